# Turns .wgsl files into headers "wgsl/<stem>.h" that targets linking `name` can include.
function(embed_wgsl name)
  set(script ${CMAKE_CURRENT_SOURCE_DIR}/tools/embed_wgsl.py)
  set(folder ${CMAKE_BINARY_DIR}/embedded)
  set(headers)
  foreach(source ${ARGN})
    cmake_path(GET source STEM stem)
    set(header ${folder}/wgsl/${stem}.h)
    add_custom_command(
      OUTPUT ${header}
      COMMAND ${Python3_EXECUTABLE} ${script} ${source} ${header} ${header}.d
      DEPENDS ${source} ${script}
      DEPFILE ${header}.d
      COMMENT "Embedding ${stem}.wgsl")
    list(APPEND headers ${header})
  endforeach()
  add_library(${name} INTERFACE ${headers})
  target_include_directories(${name} INTERFACE ${folder})
endfunction()
