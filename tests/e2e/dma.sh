#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# e2e.BOARD.dma: the demo over the serial port, fed by the chip's DMA. Usage: dma.sh BUILD HOSTLINK
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/e2e/begin.sh
. tests/e2e/judged.sh
judged dma "$1" "$2"
