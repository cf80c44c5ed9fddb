#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# e2e.BOARD.uart: the demo over the serial port. Usage: uart.sh BUILD HOSTLINK
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/e2e/begin.sh
. tests/e2e/judged.sh
judged uart "$1" "$2"
