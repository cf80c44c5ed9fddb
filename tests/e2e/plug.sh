#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# e2e.BOARD.plug: host late, cable out and in, board reset in the middle. Usage: plug.sh BUILD HOSTLINK
set -u
cd "$(dirname "$0")/../.." || exit 1
exec python3 tests/e2e/plug.py "$1" "$2"
