// Keeps the library target alive until the folder has its sources.
typedef int kiln_cache_placeholder;
