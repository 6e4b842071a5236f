# The header "unicode/categories.h": what kind of character each is.
set(unicode_script ${CMAKE_CURRENT_SOURCE_DIR}/tools/unicode_categories.py)
set(unicode_header ${CMAKE_BINARY_DIR}/embedded/unicode/categories.h)
add_custom_command(
  OUTPUT ${unicode_header}
  COMMAND ${Python3_EXECUTABLE} ${unicode_script} ${unicode_header}
  DEPENDS ${unicode_script}
  COMMENT "Writing unicode/categories.h")
add_library(highwater_unicode INTERFACE ${unicode_header})
target_include_directories(highwater_unicode INTERFACE ${CMAKE_BINARY_DIR}/embedded)
