#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# unit.tracy_live: Tracy's markup with a host: nothing before its hello, parameters, images. Usage: live.sh HOSTLINK
set -u
hostlink=$(realpath "$1")
cd "$(dirname "$0")/../.." || exit 1
. tests/freestanding/compilers.sh
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
freestanding_as_one "$work/runtime.c"
flags=(-O1 -fsanitize=address,undefined -fno-sanitize-recover=all -Wall -Wextra -Wpedantic -Werror -DKYMO_LANES=2
    -DKYMO_RING_BYTES=65536 -DKYMO_TRACY=1 -DKYMO_ON_DEMAND=1
    -DKYMO_LARGE=2 -DKYMO_TRACY_IMAGE=1024 -DTRACY_ENABLE -DTRACY_ON_DEMAND -Iruntime/include -Iports/transport
    -Iports/arch/posix)
for source in "$work/runtime.c" ports/arch/posix/arch.c ports/transport/posix_fd.c; do
    gcc -std=c11 "${flags[@]}" -c "$source" -o "$work/$(basename "$source").o" || exit 1
done
g++ -std=c++17 "${flags[@]}" tests/tracy/live.cpp "$work"/*.o -pthread -o "$work/program" || exit 1

timeout 900 "$work/program" "$work/socket" &
program=$!
mkdir "$work/images"
while [ ! -S "$work/socket" ] && kill -0 $program; do
    sleep 0.05
done
timeout 900 "$hostlink" "unix:$work/socket" -q --no-tracy -o "$work/x.kymo" --set 'live number=7' --set 'live trigger=1' \
    --large "$work/images" >"$work/out" 2>&1 || { cat "$work/out"; echo "hostlink ended with $?"; exit 1; }
wait $program || { echo "the program ended with $?"; exit 1; }
"$hostlink" convert "$work/x.kymo" -o "$work/x.events.csv" -o "$work/x.csv" >"$work/convert" 2>&1 ||
    { cat "$work/convert"; exit 1; }
grep -E '^events: emitted ([0-9]+) delivered \1 lost 0$' "$work/convert" >/dev/null || { cat "$work/convert"; exit 1; }
python3 -B - "$work" <<'PYTHON'
import csv, pathlib, sys
work = pathlib.Path(sys.argv[1])
events = list(csv.DictReader(open(work / "x.events.csv", newline="")))
of = lambda kind: [(row["name"], row["value"], row["text"]) for row in events if row["kind"] == kind]
wrong = []
def expect(what, seen, expected):
    if seen != expected:
        wrong.append(f"{what}: {seen}, should be {expected}")
expect("zones", [name for name, *_ in of("zone begin")], ["with the host"])
expect("ends", [name for name, *_ in of("zone end")], ["with the host"])
# Values of both callbacks together, in any order.
plots = {name: value for name, value, _ in of("plot")}
expect("parameters", plots, {"index": "9", "value": "8"})
expect("the lock", [of(kind)[0][0] for kind in ("object", "lock wait", "lock obtain", "lock release")],
       4 * ["made before the host"])
warnings = sorted(text for _, _, text in of("message"))
expect("warnings", warnings, [
    "tracy: an image came before the last one was sent and is left out, 1 times so far",
    "tracy: an image was larger than KYMO_TRACY_IMAGE and is left out, 1 times so far",
    "tracy: an image was larger than KYMO_TRACY_IMAGE and is left out, 2 times so far"])
files = list((work / "images").iterdir())
expect("images", len(files), 1)
head, _, pixels = files[0].read_bytes().partition(b"ENDHDR\n") if files else (b"", b"", b"")
expect("head", head, b"P7\nWIDTH 8\nHEIGHT 4\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\n")
rows = [bytes(range(row * 32, row * 32 + 32)) for row in (3, 2, 1, 0)]
expect("pixels", pixels, b"".join(rows))
for line in wrong:
    print(line)
sys.exit(1 if wrong else 0)
PYTHON
