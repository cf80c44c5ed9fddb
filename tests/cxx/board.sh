#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# e2e.BOARD.cxx: the program of C++ on the board. Usage: board.sh FOLDER (of its image) HOSTLINK [ELF] (that
# has its names)
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/e2e/begin.sh
. tests/e2e/judged.sh
export KYMO_JUDGE="python3 -B tests/cxx/expected.py"
export KYMO_ELF=${3:-}
judged uart "$1" "$2"
