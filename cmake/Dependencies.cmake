# What Highwater is built with: the ExecuTorch and wgpu packages of the Python environment, and
# Debian's flatbuffers.
find_package(Python3 REQUIRED COMPONENTS Interpreter)

# Asks the environment where a package is, without importing it: importing executorch costs seconds.
# Under pip's build isolation only the site-packages of the environment itself has ExecuTorch.
function(find_python_package name result)
  execute_process(
    COMMAND
      ${Python3_EXECUTABLE} -c
      "import importlib.util, os, sysconfig
spec = importlib.util.find_spec('${name}')
folder = list(spec.submodule_search_locations)[0] if spec else os.path.join(sysconfig.get_path('purelib'), '${name}')
print(folder if os.path.isdir(folder) else '')"
    OUTPUT_VARIABLE folder
    OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT folder)
    message(FATAL_ERROR "The Python package '${name}' is missing from ${Python3_EXECUTABLE}. "
                        "Install what requirements.txt names first.")
  endif()
  set(${result}
      ${folder}
      PARENT_SCOPE)
endfunction()

find_python_package(executorch EXECUTORCH_PACKAGE)
find_package(executorch REQUIRED CONFIG PATHS ${EXECUTORCH_PACKAGE}/lib/cmake NO_DEFAULT_PATH)

# webgpu.h only: the implementation itself is loaded at run time.
find_python_package(wgpu WGPU_PACKAGE)
set(WGPU_NATIVE_LIBRARY ${WGPU_PACKAGE}/resources/libwgpu_native-release.so)
configure_file(${WGPU_PACKAGE}/resources/webgpu.h ${CMAKE_BINARY_DIR}/webgpu/webgpu.h COPYONLY)
add_library(highwater_webgpu INTERFACE)
target_include_directories(highwater_webgpu SYSTEM INTERFACE ${CMAKE_BINARY_DIR}/webgpu)

# The schemas of a .pte file and of a delegate's program, as the installed exporter has them.
find_path(FLATBUFFERS_INCLUDE flatbuffers/flatbuffers.h REQUIRED)
# The compiler must be the headers' own; a Python environment may hold another version.
find_program(FLATC flatc REQUIRED PATHS ${FLATBUFFERS_INCLUDE}/../bin NO_DEFAULT_PATH)
set(schema_headers)
foreach(schema backends/vulkan/serialization/schema.fbs schema/scalar_type.fbs schema/program.fbs)
  cmake_path(GET schema STEM stem)
  set(schema_header ${CMAKE_BINARY_DIR}/schema/${stem}_generated.h)
  add_custom_command(
    OUTPUT ${schema_header}
    COMMAND ${FLATC} --cpp --scoped-enums -o ${CMAKE_BINARY_DIR}/schema
            ${EXECUTORCH_PACKAGE}/${schema}
    DEPENDS ${EXECUTORCH_PACKAGE}/${schema}
    COMMENT "Reading ${schema}")
  list(APPEND schema_headers ${schema_header})
endforeach()
add_library(highwater_schema INTERFACE ${schema_headers})
target_include_directories(highwater_schema SYSTEM INTERFACE ${CMAKE_BINARY_DIR}/schema
                                                             ${FLATBUFFERS_INCLUDE})
