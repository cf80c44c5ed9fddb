#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# package.functions: kymo_functions() makes zones of the functions of its target's own list of sources, though another
# target of the folder shares a source; and an EXCLUDE that names no source stops the configuration.
set -u
cd "$(dirname "$0")/../.." || exit 1
top=$PWD
work=$(mktemp -d "${TMPDIR:-/tmp}/kymo.XXXXXX") && trap 'rm -rf "$work"' EXIT

# configure EXCLUDED: of the target "some".
configure() {
    cat >"$work/CMakeLists.txt" <<TEXT
cmake_minimum_required(VERSION 3.20)
project(mine LANGUAGES C)
add_subdirectory($top kymo)
add_executable(every main.c shared.c)
add_executable(some main.c shared.c)
kymo_functions(every)
kymo_functions(some EXCLUDE $1)
TEXT
    echo 'int main(void) { return 0; }' >"$work/main.c"
    echo 'int shared(void); int shared(void) { return 1; }' >"$work/shared.c"
    cmake -G Ninja -S "$work" -B "$work/build" >"$work/out" 2>&1
}
# has_zones TARGET SOURCE
has_zones() {
    ninja -C "$work/build" -t commands "$1" | grep -E -- "-c .*/$2\$" | grep "$1.dir" | grep -q finstrument-functions
}

configure shared.c || { tail -n 12 "$work/out"; exit 1; }
for case in every:main.c every:shared.c some:main.c; do
    has_zones "${case%:*}" "${case#*:}" || { echo "$case: its functions are no zones"; exit 1; }
done
! has_zones some shared.c || { echo "some:shared.c: excluded, and its functions are zones"; exit 1; }
! configure share.c || { echo "EXCLUDE share.c was accepted"; exit 1; }
tr -s ' \n' ' ' <"$work/out" | grep -qF 'kymo_functions(some): EXCLUDE share.c: the target has no such source' ||
    { tail -n 12 "$work/out"; exit 1; }
echo 'each target has its own list'
