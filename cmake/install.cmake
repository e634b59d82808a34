install(TARGETS kiln)
install(DIRECTORY include/kiln TYPE INCLUDE)
