// kiln-compile-helper: what libkiln starts to compile in when COMPILE_ISOLATE is set. All of it is in the library.
#include "jit/isolate.h"

int main(int argc, char **argv) { return kiln_compile_helper(argc, argv); }
