#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# e2e.BOARD.rtt: the demo through a debug probe. Usage: rtt.sh BUILD HOSTLINK
set -u
cd "$(dirname "$0")/../.." || exit 1
hostlink=$2
. tests/e2e/begin.sh
. tests/e2e/judged.sh
. tests/e2e/probe.sh
judged rtt "$1" "$2"
