# What an installation holds: the libraries with the WebGPU implementation beside them, the headers, and
# the CMake package "highwater". A wheel is the same tree, inside the Python package's folder.
include(CMakePackageConfigHelpers)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/highwater)

install(
  TARGETS highwater_engine highwater_tools
  EXPORT highwater-targets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
set_target_properties(highwater_engine highwater_tools PROPERTIES INSTALL_RPATH "$ORIGIN")
install(
  FILES ${WGPU_NATIVE_LIBRARY}
  DESTINATION ${CMAKE_INSTALL_LIBDIR}
  RENAME libwgpu_native.so)
install(DIRECTORY include/highwater DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

install(
  EXPORT highwater-targets
  NAMESPACE highwater::
  DESTINATION ${package_folder})
if(HIGHWATER_DELEGATE)
  # Of its own, because it cannot be found without ExecuTorch.
  install(
    TARGETS highwater_delegate
    EXPORT highwater-delegate-targets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  # In a wheel ExecuTorch's package is the neighbour of ours.
  set_target_properties(highwater_delegate PROPERTIES INSTALL_RPATH
                                                      "$ORIGIN:$ORIGIN/../../executorch/lib")
  install(
    EXPORT highwater-delegate-targets
    NAMESPACE highwater::
    DESTINATION ${package_folder})
endif()
configure_package_config_file(cmake/highwater-config.cmake.in highwater-config.cmake
                              INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(highwater-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/highwater-config.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/highwater-config-version.cmake
        DESTINATION ${package_folder})
