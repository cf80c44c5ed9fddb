/* SPDX-License-Identifier: MIT */
/* The demo's sizes on this board, see boards/common/board.h; also read by start.S. */
#ifndef BOARD_CONFIG_H
#define BOARD_CONFIG_H

#define BOARD_CORES 1
#define BOARD_STACK_BYTES 8192
#define BOARD_INTERRUPTS 82
#define DEMO_IMAGE_SIDE 32
#define DEMO_CHANNELS 4
#define DEMO_IMAGES 96
#define DEMO_SENSOR_CYCLES 5

#endif
