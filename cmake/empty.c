// libkiln is made of the static parts named in libkiln.cmake; CMake wants one source of its own.
typedef int kiln_translation_unit_is_not_empty;
