# The modules highwater._native and highwater._delegate, and the model that ships.
find_package(
  Python 3.11 REQUIRED
  COMPONENTS Interpreter Development.Module)
find_python_package(nanobind NANOBIND_PACKAGE)
find_package(nanobind REQUIRED CONFIG PATHS ${NANOBIND_PACKAGE}/cmake NO_DEFAULT_PATH)

# A module that finds Highwater's libraries beside it, with its type stubs.
function(highwater_module name)
  nanobind_add_module(${name} NB_STATIC ${ARGN})
  target_include_directories(${name} PRIVATE src)
  set_target_properties(${name} PROPERTIES INSTALL_RPATH "$ORIGIN/lib")
  if(HIGHWATER_PRECOMPILE)
    target_precompile_headers(${name} PRIVATE <nanobind/nanobind.h> <nanobind/stl/string.h>
                              <nanobind/stl/vector.h> include/highwater/session.h)
  endif()
  if(HIGHWATER_UNITY)
    set_target_properties(nanobind-static PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)
  endif()
  nanobind_add_stub(
    ${name}_stub
    MODULE ${name}
    OUTPUT ${name}.pyi
    PYTHON_PATH $<TARGET_FILE_DIR:${name}>
    DEPENDS ${name})
  # For wheels alone.
  install(TARGETS ${name} LIBRARY DESTINATION . COMPONENT python EXCLUDE_FROM_ALL)
  install(
    FILES ${CMAKE_BINARY_DIR}/${name}.pyi
    DESTINATION .
    COMPONENT python EXCLUDE_FROM_ALL)
endfunction()

highwater_module(
  _native
  src/python/convert.cpp
  src/python/file.cpp
  src/python/generator.cpp
  src/python/leave_python.cpp
  src/python/listing.cpp
  src/python/module.cpp
  src/python/numbers.cpp
  src/python/options.cpp
  src/python/profile.cpp
  src/python/raise.cpp
  src/python/records.cpp
  src/python/session.cpp
  src/python/texts.cpp
  src/python/tokenizer.cpp)
target_link_libraries(_native PRIVATE highwater_engine highwater_tools)
target_compile_definitions(_native PRIVATE HIGHWATER_EXECUTORCH="${HIGHWATER_EXECUTORCH}")

if(HIGHWATER_DELEGATE)
  highwater_module(_delegate src/python/delegate_module.cpp src/python/numbers.cpp
                   src/python/raise.cpp src/python/records.cpp src/python/texts.cpp)
  target_link_libraries(_delegate PRIVATE highwater_delegate)
endif()

# The model that ships, so that there is something to try.
install(
  FILES models/kjv/model.pte models/kjv/tokenizer.json
  DESTINATION models/kjv
  COMPONENT python EXCLUDE_FROM_ALL)
