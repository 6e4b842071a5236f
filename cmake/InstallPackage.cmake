# What an installation holds: the library with the WebGPU implementation beside it, the header, and
# the CMake package "highwater". A wheel is the same tree, inside the Python package's folder.
include(CMakePackageConfigHelpers)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/highwater)

set_target_properties(
  highwater PROPERTIES EXPORT_NAME delegate # highwater::delegate
                       # In a wheel ExecuTorch's package is the neighbour of ours.
                       INSTALL_RPATH "$ORIGIN/../../executorch/lib")
install(
  TARGETS highwater
  EXPORT highwater-targets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(
  FILES ${WGPU_NATIVE_LIBRARY}
  DESTINATION ${CMAKE_INSTALL_LIBDIR}
  RENAME libwgpu_native.so)
install(DIRECTORY include/highwater DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

install(
  EXPORT highwater-targets
  NAMESPACE highwater::
  DESTINATION ${package_folder})
configure_package_config_file(cmake/highwater-config.cmake.in highwater-config.cmake
                              INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(highwater-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/highwater-config.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/highwater-config-version.cmake
        DESTINATION ${package_folder})
