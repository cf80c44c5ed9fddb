#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Rules for the text of the tree: file length, line length, tabs, licences, machine paths, the table of boards.
set -u
cd "$(dirname "$0")/../.." || exit 1
bad=0

# The files of the project: those in git, or, in an unpacked archive, those on disk.
# Arguments: at most one pattern for names.
files() {
    git ls-files --cached --others --exclude-standard -- "$@" 2>/dev/null ||
        find . -path ./build -prune -o -type f -name "${1:-*}" -print
}

# One program for all files: four for each file take seventy times as long. Columns are bytes.
mapfile -t sources < <({ files '*.[ch]'; files '*.cpp'; } | while read -r file; do [ ! -f "$file" ] || echo "$file"; done)
LC_ALL=C awk '
    function complain(text) { print FILENAME ": " text; bad = 1 }
    FNR == 1 { wide = 0 }
    FNR == 801 { complain("more than 800 lines; split it") }
    /\t/ { complain(FNR ": a tab; indent by 4 spaces") }
    /[ \t]$/ { complain(FNR ": blanks at the end of the line") }
    length > 120 && !wide { wide = 1; complain(FNR ": a line far beyond 100 columns") }
    END { exit bad }' "${sources[@]}" || bad=1

# The table of boards in doc is the list of boards.
diff <(tests/run.sh --boards | sort) <(sed -nE 's/^\| `([^`]+)` \|.*\| (QEMU|rp2040js) \|$/\1/p' doc/boards.md | sort) || {
    echo "doc/boards.md: its table of boards differs from boards/CMakeLists.txt"
    bad=1
}

# Every source file names its licence.
unlicensed=$(for pattern in '*.[chS]' '*.cpp' '*.hpp' '*.sh' '*.py' '*.cmake' '*CMakeLists.txt' '*.js' '*.mjs' '*.ld'; do
    files "$pattern"
done | xargs -r -d '\n' awk '
    FNR == 1 { named = 0 }
    /SPDX-License-Identifier: MIT/ { named = 1 }
    FNR == 2 { if (!named) { print FILENAME }; nextfile }' 2>/dev/null)
[ -z "$unlicensed" ] || {
    echo "say no licence in their first two lines, SPDX-License-Identifier: MIT:"
    echo "$unlicensed"
    bad=1
}

# Spelt in two parts so that this file does not find itself.
paths='/(home|root|Users|work)''/|/tmp/[a-z]+''/'
if files | xargs -r -d '\n' grep -nIE "$paths" -- 2>/dev/null; then
    echo "paths of one machine: use relative paths"
    bad=1
fi
exit $bad
