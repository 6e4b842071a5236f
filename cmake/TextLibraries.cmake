# PCRE2, which matches the patterns of tokenizers. The archive, so that an installation of Highwater
# needs no package of the distribution; its names stay inside (tools.map).
find_path(PCRE2_INCLUDE pcre2.h REQUIRED)
find_library(PCRE2_LIBRARY NAMES libpcre2-8.a pcre2-8-static REQUIRED)
add_library(highwater_pcre2 INTERFACE)
target_include_directories(highwater_pcre2 SYSTEM INTERFACE ${PCRE2_INCLUDE})
target_link_libraries(highwater_pcre2 INTERFACE ${PCRE2_LIBRARY})
