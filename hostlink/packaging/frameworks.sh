#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Makes FOLDER/include and FOLDER/frameworks: headers and libraries of IOKit and CoreFoundation for a compiler that has
# macOS' C library only, as zig. They have what platform/macos/frameworks/iokit.h declares; the program gets the system's own.
# Usage: frameworks.sh FOLDER
set -euo pipefail
declared=$(cd "$(dirname "$0")/../platform/macos/frameworks" && pwd)/iokit.h
for name in CoreFoundation/CoreFoundation.h IOKit/IOKitLib.h IOKit/serial/IOSerialKeys.h IOKit/serial/ioss.h; do
    mkdir -p "$1/include/${name%/*}"
    echo "#include \"$declared\"" >"$1/include/$name"
done
# framework FOLDER NAME PREFIX SYMBOL: of a name with that prefix, and of one that the compiler names.
framework() {
    local folder=$1/frameworks/$2.framework symbols
    symbols=$(sed -nE "s/^[A-Za-z_].*[ *]($3[A-Za-z]+)\(.*/_\1/p" "$declared" | paste -sd , -)
    mkdir -p "$folder"
    cat >"$folder/$2.tbd" <<END
--- !tapi-tbd
tbd-version: 4
targets: [ x86_64-macos, arm64-macos ]
install-name: /System/Library/Frameworks/$2.framework/Versions/A/$2
exports:
  - targets: [ x86_64-macos, arm64-macos ]
    symbols: [ $symbols${4:+,$4} ]
...
END
}
framework "$1" IOKit IO ""
framework "$1" CoreFoundation CF ___CFConstantStringClassReference
