install(TARGETS kiln kiln_command)
install(DIRECTORY include/kiln TYPE INCLUDE)
