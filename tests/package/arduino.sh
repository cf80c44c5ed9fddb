#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The library for the Arduino IDE and PlatformIO, as its script makes it: what both want of its folder; the
# example compiles for a Cortex-M as C++11 and C++17 against a model of a core's classes; and on this machine a trace over a Stream is
# whole and nothing waits. Usage: arduino.sh HOSTLINK
set -u
hostlink=$(realpath "$1")
cd "$(dirname "$0")/../.." || exit 1
top=$PWD
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
status=0
wrong() {
    echo "$*"
    status=1
}
make=ports/vendor/arduino/make_library.sh
warnings=(-Wall -Wextra -Wpedantic -Wconversion -Werror)
model=(-I "$top/tests/package/arduino")

# "Library specification", Arduino: the fields, the example in a folder of its name, sources below src.
$make "$work/kymo" cortex-m -D KYMO_RING_BYTES=2048 || exit 1
for field in name version author maintainer sentence paragraph category architectures; do
    grep -qE "^$field=." "$work/kymo/library.properties" || wrong "library.properties has no $field"
done
version=$(sed -n 's/^project(kymo VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
grep -qx "version=$version" "$work/kymo/library.properties" || wrong "library.properties: the version is not $version"
header=$(sed -n 's/^includes=//p' "$work/kymo/library.properties")
[ -f "$work/kymo/src/$header" ] || wrong "library.properties: includes=$header is not there"

# "library.json", PlatformIO's documentation: the fields, with files that are there.
python3 -B - "$work/kymo" "$version" <<'PYTHON' || status=1
import json, pathlib, re, sys
folder = pathlib.Path(sys.argv[1])
manifest = json.loads((folder / "library.json").read_text(encoding="utf-8"))
wrong = []
if not re.fullmatch(r"[a-zA-Z0-9][\w .-]*", manifest["name"]) or manifest["version"] != sys.argv[2]:
    wrong.append(f"name or version: {manifest['name']} {manifest['version']}")
for text in ("description", "license", "frameworks", "platforms"):
    if not isinstance(manifest[text], str) or not manifest[text]:
        wrong.append(f"{text}: {manifest[text]}")
wrong += [f"header {name}" for name in manifest["headers"] if not (folder / "src" / name).is_file()]
wrong += [f"example {file}" for example in manifest["examples"] for file in example["files"]
          if not (folder / example["base"] / file).is_file()]
for line in wrong:
    print("library.json:", line)
sys.exit(1 if wrong else 0)
PYTHON

arm=(-mcpu=cortex-m0plus -mthumb -ffreestanding -Os)
arm-none-eabi-gcc -std=c11 "${arm[@]}" "${warnings[@]}" -c "$work/kymo/src/kymo.c" -o "$work/kymo.o" || wrong "kymo.c"
for dialect in 11 17; do
    arm-none-eabi-g++ -std=gnu++$dialect -fno-exceptions -fno-rtti "${arm[@]}" "${warnings[@]}" "${model[@]}" -I "$work/kymo/src" \
        -include Arduino.h -x c++ -c "$work/kymo/examples/TracedBlink/TracedBlink.ino" -o "$work/sketch.o" ||
        wrong "the example as C++$dialect"
done

$make "$work/here" posix -D KYMO_LANES=2 || exit 1
for compilers in gcc:g++ clang:clang++; do
    { ${compilers%:*} -std=gnu11 -fsanitize=address,undefined -c "$work/here/src/kymo.c" -o "$work/kymo.o" &&
        ${compilers#*:} -std=c++11 -fsanitize=address,undefined "${warnings[@]}" "${model[@]}" -I "$work/here/src" \
            tests/package/arduino/program.cpp "$work/kymo.o" -pthread -o "$work/program"; } ||
        { wrong "${compilers#*:}: does not build" && continue; }
    "$work/program" >"$work/t.kymo" || wrong "${compilers#*:}: wrong"
    "$hostlink" convert "$work/t.kymo" -o "$work/t.csv" >"$work/out" 2>&1
    tail -n 1 "$work/out" | grep -qx 'events: emitted 300 delivered 300 lost 0' || wrong "$(tail -n 3 "$work/out")"
    grep -q '^round,.*,100,' "$work/t.csv" || wrong "not 100 rounds: $(cat "$work/t.csv")"
done
exit $status
