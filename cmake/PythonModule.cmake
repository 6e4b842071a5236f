# highwater._native, and its type stubs.
find_package(
  Python 3.11 REQUIRED
  COMPONENTS Interpreter Development.Module)
find_python_package(nanobind NANOBIND_PACKAGE)
find_package(nanobind REQUIRED CONFIG PATHS ${NANOBIND_PACKAGE}/cmake NO_DEFAULT_PATH)

nanobind_add_module(
  _native
  NB_STATIC
  src/python/convert.cpp
  src/python/generator.cpp
  src/python/leave_python.cpp
  src/python/module.cpp
  src/python/numbers.cpp
  src/python/options.cpp
  src/python/profile.cpp
  src/python/session.cpp
  src/python/texts.cpp)
target_include_directories(_native PRIVATE src)
target_link_libraries(_native PRIVATE highwater)
set_target_properties(_native PROPERTIES INSTALL_RPATH "$ORIGIN/lib")
nanobind_add_stub(
  _native_stub
  MODULE _native
  OUTPUT _native.pyi
  PYTHON_PATH $<TARGET_FILE_DIR:_native>
  DEPENDS _native)

# For wheels alone, together with the model that ships, so that there is something to try.
install(TARGETS _native LIBRARY DESTINATION . COMPONENT python EXCLUDE_FROM_ALL)
install(
  FILES ${CMAKE_BINARY_DIR}/_native.pyi
  DESTINATION .
  COMPONENT python EXCLUDE_FROM_ALL)
install(
  FILES models/kjv/model.pte models/kjv/tokenizer.json
  DESTINATION models/kjv
  COMPONENT python EXCLUDE_FROM_ALL)
