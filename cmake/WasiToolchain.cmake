# Compiles to wasm32-wasi by Debian's clang, whose packages tools/setup --web installs.
set(CMAKE_SYSTEM_NAME WASI)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(llvm 22)
set(triple wasm32-wasip1)
set(CMAKE_CXX_COMPILER clang++-${llvm})
set(CMAKE_CXX_COMPILER_TARGET ${triple})
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
list(APPEND CMAKE_PREFIX_PATH /usr /usr/local) # of tools and headers that the build itself uses

# Debian has a folder of headers and one of libraries for each package. Without -nostdinc++ clang
# would look for its own beside the compiler.
set(libcxx /usr/lib/llvm-${llvm})
set(CMAKE_CXX_FLAGS_INIT
    "-nostdinc++ -isystem ${libcxx}/include/wasm32-wasi/c++/v1 -isystem /usr/include/wasm32-wasi")
file(GLOB builtins ${libcxx}/lib/clang/${llvm}/lib/*wasi*/libclang_rt.builtins*.a
     ${libcxx}/lib/clang/${llvm}/lib/wasi*/libclang_rt.builtins*.a)
list(GET builtins 0 builtins)
set(CMAKE_EXE_LINKER_FLAGS_INIT
    "-nostdlib++ -nodefaultlibs -L ${libcxx}/lib/wasm32-wasi -L /usr/lib/wasm32-wasi -B /usr/lib/wasm32-wasi")
set(CMAKE_CXX_STANDARD_LIBRARIES_INIT "-lc++ -lc++abi -lc ${builtins}")
