#!/bin/sh
# Builds Chasles for C and C++ and installs it below a folder: crates/chasles-c/install.sh PREFIX
# Header, libraries, and what CMake and pkg-config look for. The folder may be moved as a whole. Linux and macOS.
set -eu
if [ $# -ne 1 ] || [ "${1#-}" != "$1" ]; then
    echo "usage: crates/chasles-c/install.sh PREFIX" >&2
    exit 2
fi
mkdir -p "$1"
prefix=$(cd "$1" && pwd)
cd "$(dirname "$0")"

cargo build --release --locked -p chasles-c --lib
id=$(cargo pkgid --locked -p chasles-c)
version=${id##*[#@]}
# What `interface` says in the header; the name that programs ask for when they start ends with it.
interface=$(sed -n 's/^#define CHASLES_INTERFACE_VERSION \([0-9]*\)$/\1/p' include/chasles.h)
target=${CARGO_TARGET_DIR:-../../target}/release

mkdir -p "$prefix/include" "$prefix/lib/cmake/chasles" "$prefix/lib/pkgconfig"
cp include/chasles.h "$prefix/include/"
cp "$target/libchasles_c.a" "$prefix/lib/"
if [ -e "$target/libchasles_c.dylib" ]; then
    cp "$target/libchasles_c.dylib" "$prefix/lib/libchasles_c.$interface.dylib"
    ln -sf "libchasles_c.$interface.dylib" "$prefix/lib/libchasles_c.dylib"
else
    cp "$target/libchasles_c.so" "$prefix/lib/libchasles_c.so.$interface"
    ln -sf "libchasles_c.so.$interface" "$prefix/lib/libchasles_c.so"
fi
cp cmake/chaslesConfig.cmake "$prefix/lib/cmake/chasles/"
sed "s/@VERSION@/$version/" cmake/chaslesConfigVersion.cmake.in > "$prefix/lib/cmake/chasles/chaslesConfigVersion.cmake"
sed "s/@VERSION@/$version/" chasles.pc.in > "$prefix/lib/pkgconfig/chasles.pc"
echo "chasles $version is installed below $prefix"
