# Turns .wgsl files below the folders `root` and `library` into headers that targets linking `name` can
# include: "wgsl/gather/cat.h" for gather/cat.wgsl, whose kernel is wgsl::gather::cat. Files of one name
# in two folders are two kernels.
function(embed_wgsl name root library)
  set(script ${CMAKE_CURRENT_SOURCE_DIR}/tools/embed_wgsl.py)
  set(folder ${CMAKE_BINARY_DIR}/embedded)
  set(options)
  if(CMAKE_SYSTEM_NAME STREQUAL "WASI")
    set(options --short)
  endif()
  set(headers)
  foreach(base ${root} ${library})
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${base}/*.wgsl)
    foreach(source ${sources})
      cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${base} OUTPUT_VARIABLE kernel)
      cmake_path(REMOVE_EXTENSION kernel)
      set(header ${folder}/wgsl/${kernel}.h)
      if(header IN_LIST headers)
        message(FATAL_ERROR "${source} has the name of another file: ${kernel}")
      endif()
      add_custom_command(
        OUTPUT ${header}
        COMMAND ${Python3_EXECUTABLE} ${script} ${source} ${kernel} ${library} ${header} ${header}.d
                ${options}
        DEPENDS ${source} ${script}
        DEPFILE ${header}.d
        COMMENT "Embedding ${kernel}.wgsl")
      list(APPEND headers ${header})
    endforeach()
  endforeach()
  add_library(${name} INTERFACE ${headers})
  target_include_directories(${name} INTERFACE ${folder})
endfunction()
