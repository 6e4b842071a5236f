# What Highwater is built with: files of ExecuTorch's and wgpu's Python packages, and Debian's
# flatbuffers.
find_package(Python3 REQUIRED COMPONENTS Interpreter)

# Its C++ interface changes between releases: the delegate is built for just this one.
set(HIGHWATER_EXECUTORCH 1.5.1)

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
  set(${result}
      "${folder}"
      PARENT_SCOPE)
endfunction()

# The files of a wheel of 19 MB, for environments without ExecuTorch: installed, it would bring torch.
function(fetch_executorch result)
  set(folder ${CMAKE_BINARY_DIR}/executorch-${HIGHWATER_EXECUTORCH})
  if(NOT IS_DIRECTORY ${folder}/executorch)
    message(STATUS "Fetching the wheel of executorch ${HIGHWATER_EXECUTORCH}")
    execute_process(
      COMMAND ${Python3_EXECUTABLE} -m pip --disable-pip-version-check download --quiet --no-deps
              --only-binary :all: --dest ${folder} executorch==${HIGHWATER_EXECUTORCH}
      COMMAND_ERROR_IS_FATAL ANY)
    file(GLOB wheel ${folder}/executorch-*.whl)
    file(ARCHIVE_EXTRACT INPUT ${wheel} DESTINATION ${folder})
    file(REMOVE ${wheel})
  endif()
  set(${result}
      ${folder}/executorch
      PARENT_SCOPE)
endfunction()

find_python_package(executorch EXECUTORCH_PACKAGE)
if(CMAKE_SYSTEM_NAME STREQUAL "WASI") # which takes nothing of it but the schemas
  if(NOT EXECUTORCH_PACKAGE)
    fetch_executorch(EXECUTORCH_PACKAGE)
  endif()
else()
  if(EXECUTORCH_PACKAGE)
    find_package(executorch ${HIGHWATER_EXECUTORCH} EXACT QUIET CONFIG
                 PATHS ${EXECUTORCH_PACKAGE}/lib/cmake NO_DEFAULT_PATH)
  endif()
  if(NOT executorch_FOUND)
    fetch_executorch(EXECUTORCH_PACKAGE)
    find_package(executorch ${HIGHWATER_EXECUTORCH} EXACT REQUIRED CONFIG
                 PATHS ${EXECUTORCH_PACKAGE}/lib/cmake NO_DEFAULT_PATH)
  endif()
endif()

# webgpu.h only: the implementation itself is loaded at run time.
find_python_package(wgpu WGPU_PACKAGE)
if(NOT WGPU_PACKAGE)
  message(FATAL_ERROR "The Python package 'wgpu' is missing from ${Python3_EXECUTABLE}: "
                      "pip install wgpu==0.32.0")
endif()
set(WGPU_NATIVE_LIBRARY ${WGPU_PACKAGE}/resources/libwgpu_native-release.so)
configure_file(${WGPU_PACKAGE}/resources/webgpu.h ${CMAKE_BINARY_DIR}/webgpu/webgpu.h COPYONLY)
add_library(highwater_webgpu INTERFACE)
target_include_directories(highwater_webgpu SYSTEM INTERFACE ${CMAKE_BINARY_DIR}/webgpu)

# The schemas of a .pte file and of a delegate's program, as the installed exporter has them.
find_path(FLATBUFFERS_INCLUDE flatbuffers/flatbuffers.h REQUIRED)
# The compiler must be the headers' own; a Python environment may hold another version.
find_program(FLATC flatc REQUIRED PATHS ${FLATBUFFERS_INCLUDE}/../bin NO_DEFAULT_PATH)
if(CMAKE_SYSTEM_NAME STREQUAL "WASI")
  # Beside them lie the headers of this machine's C library.
  file(COPY ${FLATBUFFERS_INCLUDE}/flatbuffers DESTINATION ${CMAKE_BINARY_DIR}/flatbuffers)
  set(FLATBUFFERS_INCLUDE ${CMAKE_BINARY_DIR}/flatbuffers)
endif()
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
