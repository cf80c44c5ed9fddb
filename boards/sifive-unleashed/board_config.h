/* SPDX-License-Identifier: MIT */
/* The demo's sizes on this board, see boards/common/board.h. Also read by start.S. */
#ifndef BOARD_CONFIG_H
#define BOARD_CONFIG_H

/* Hart 0 is the E51 monitor core, hart 1 the first U54. */
#define BOARD_CORES 2
#define BOARD_STACK_BYTES 16384   /* of one core */
#define BOARD_MTIME_HZ 1000000u   /* RTCCLK of the board */
#define BOARD_TLCLK_HZ 500000000u /* bus clock, half of the core clock: see README.md */
/* A run makes 50 kB of trace a second. */
#ifndef BOARD_BAUD
#define BOARD_BAUD 1000000u
#endif
#define DEMO_IMAGE_SIDE 96
#define DEMO_CHANNELS 16
#define DEMO_IMAGES 48
#define DEMO_SENSOR_CYCLES 3

#endif
