#!/bin/sh
# SPDX-License-Identifier: MIT
# Writes kymo as a library for the Arduino IDE and PlatformIO. Usage: make_library.sh DIR [ARCH [-D KNOB=VALUE ...]]
# DIR is the library's folder, for example ~/Arduino/libraries/kymo; ARCH, a folder of ports/arch, is cortex-m if it is
# not said. Knobs as for runtime/amalgamate.sh.
set -eu
[ $# -ge 1 ] || { sed -n '2,4s/^# //p' "$0" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
folder=$1
shift
[ $# -ge 1 ] || set -- cortex-m
mkdir -p "$folder/src"
"$here/../../../runtime/amalgamate.sh" "$@" -o "$folder/src"
cp "$here/kymo_arduino.h" "$folder/src"
cp -R "$here/library.properties" "$here/library.json" "$here/examples" "$folder"
