# kiln-llvm-static.so, for packages that bring all they need (scripts/wheel.py): LLVM is inside of it, with the targets
# that Kiln generates code for, and nothing of LLVM or libstdc++ that other libraries of the process could see.
set(kiln_targets X86 AMDGPU AArch64)
execute_process(COMMAND ${LLVM_CONFIG} --link-static --libs ${kiln_targets} passes lto option debuginfodwarf
                OUTPUT_VARIABLE archives OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
if(failed)
  message(STATUS "LLVM is here as a shared library alone: no kiln-llvm-static.so, which make wheel needs")
  return()
endif()
separate_arguments(archives)
list(FILTER archives EXCLUDE REGEX Polly) # not in Debian's llvm-19-dev; unused.cpp answers for it

# unused.cpp has the initialisers of the other targets, which lld refers to.
execute_process(COMMAND ${LLVM_CONFIG} --targets-built OUTPUT_VARIABLE built OUTPUT_STRIP_TRAILING_WHITESPACE)
separate_arguments(built)
list(REMOVE_ITEM built ${kiln_targets})
list(TRANSFORM built REPLACE "(.+)" "UNUSED_TARGET(\\1)")
list(JOIN built "\n" built)
file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/unused_targets.def CONTENT "${built}\n")

add_module(kiln-llvm-static static/unused.cpp)
set_target_properties(kiln-llvm-static PROPERTIES EXCLUDE_FROM_ALL ON)
target_include_directories(kiln-llvm-static SYSTEM PRIVATE ${llvm_include} PRIVATE ${CMAKE_CURRENT_BINARY_DIR})
target_compile_options(kiln-llvm-static PRIVATE -fno-rtti -Wno-unused-parameter)
target_link_directories(kiln-llvm-static PRIVATE ${llvm_lib})
target_link_libraries(kiln-llvm-static PRIVATE -Wl,--start-group ${archives} -Wl,--end-group -Wl,-Bstatic -lz -lzstd
                                               -Wl,-Bdynamic pthread dl m)
target_link_options(kiln-llvm-static PRIVATE -static-libstdc++ -static-libgcc)
