#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# package.superproject: kymo below a project's own source tree, where the project installs and exports targets linked
# with each of kymo's targets; a project in C++ alone that finds the exported library builds with it. One that has kymo
# below it gets a message that names the missing language, C.
set -u
cd "$(dirname "$0")/../.." || exit 1
top=$PWD
work=$(mktemp -d "${TMPDIR:-/tmp}/kymo.XXXXXX") && trap 'rm -rf "$work"' EXIT
run() { "$@" >"$work/log" 2>&1 || { tail -n 30 "$work/log" && exit 1; }; }

mkdir -p "$work/mine/third_party/kymo" "$work/user"
for part in CMakeLists.txt cmake hostlink ports runtime; do ln -s "$top/$part" "$work/mine/third_party/kymo/"; done
cat >"$work/mine/CMakeLists.txt" <<'TEXT'
cmake_minimum_required(VERSION 3.20)
project(mine LANGUAGES ${MINE_LANGUAGE})
add_subdirectory(third_party/kymo)
kymo_add_runtime(kymo_here ARCH posix TRANSPORTS posix_fd DEFINITIONS KYMO_LANES=4 KYMO_TRACY=1)
add_library(mine mine.c)
target_link_libraries(mine PUBLIC kymo_here kymo::tracy)
install(TARGETS mine kymo_here kymo_tracy EXPORT mine COMPONENT mine)
install(EXPORT mine FILE mineConfig.cmake DESTINATION lib/cmake/mine COMPONENT mine)
add_library(client EXCLUDE_FROM_ALL mine.c)
target_link_libraries(client PUBLIC Tracy::TracyClient)
install(TARGETS client TracyClient EXPORT client COMPONENT client)
install(EXPORT client DESTINATION lib/cmake/client COMPONENT client)
export(EXPORT mine FILE exported.cmake)
TEXT
cat >"$work/mine/mine.c" <<'TEXT'
#include "tracy/TracyC.h"
int mine(void);
int mine(void) {
    TracyCZoneN(zone, "mine", 1);
    TracyCZoneEnd(zone);
    return 0;
}
TEXT
cat >"$work/user/CMakeLists.txt" <<'TEXT'
cmake_minimum_required(VERSION 3.20)
project(user LANGUAGES CXX)
find_package(mine REQUIRED)
find_package(Threads REQUIRED)
add_executable(user user.cpp)
target_link_libraries(user PRIVATE mine Threads::Threads)
TEXT
printf 'extern "C" int mine(void);\nint main() { return mine(); }\n' >"$work/user/user.cpp"

for enable in OFF ON; do
    run cmake -G Ninja -S "$work/mine" -B "$work/build" -DTRACY_ENABLE=$enable -DCMAKE_BUILD_TYPE=Debug -DMINE_LANGUAGE=C
done
run cmake --build "$work/build" --target mine
run cmake --install "$work/build" --prefix "$work/installed" --component mine
! grep -rl "$work/mine" "$work/installed/lib/cmake" || { echo "the installed package names the source tree" && exit 1; }
run cmake -G Ninja -S "$work/user" -B "$work/user/build" -DCMAKE_PREFIX_PATH="$work/installed"
run cmake --build "$work/user/build"
run "$work/user/build/user"
! cmake -G Ninja -S "$work/mine" -B "$work/cxx" -DMINE_LANGUAGE=CXX >"$work/log" 2>&1 &&
    grep -q 'kymo is written in C: add C' "$work/log" || { tail -n 30 "$work/log" && exit 1; }
echo "exported and found"
