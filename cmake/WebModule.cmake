# The engine for browsers: one wasm module. What of webgpu.h it calls are its imports, which web/ serves.
file(GLOB web_sources CONFIGURE_DEPENDS src/web/*.cpp)
highwater_objects(highwater_web_objects ${web_sources})
target_link_libraries(highwater_web_objects PRIVATE highwater_webgpu)
# A page downloads it: small comes before quick, and its work is the device's.
foreach(target highwater_engine_objects highwater_web_objects)
  target_compile_options(${target} PRIVATE -Oz -flto -ffunction-sections -fdata-sections
                                           -fno-threadsafe-statics)
  # A pointer that is owned goes in a register, as others do.
  target_compile_definitions(${target} PRIVATE _LIBCPP_ABI_ENABLE_UNIQUE_PTR_TRIVIAL_ABI
                                               _LIBCPP_ABI_ENABLE_SHARED_PTR_TRIVIAL_ABI)
endforeach()
add_executable(highwater_web)
target_link_libraries(highwater_web PRIVATE highwater_engine_objects highwater_web_objects)
target_link_options(
  highwater_web
  PRIVATE
  -mexec-model=reactor
  -Oz
  -flto
  --no-wasm-opt # Debian's does not know what this clang writes; web/ has its own
  -Wl,--import-undefined
  -Wl,--export-table
  -Wl,--gc-sections
  -Wl,-z,stack-size=262144
  -Wl,--strip-all)
set_target_properties(highwater_web PROPERTIES OUTPUT_NAME highwater SUFFIX .wasm)
