/* SPDX-License-Identifier: MIT */
/* The demo's sizes on this board, see boards/common/board.h. Also read by start.S. */
#ifndef BOARD_CONFIG_H
#define BOARD_CONFIG_H

#define BOARD_CORES 2
#define BOARD_STACK_BYTES 16384 /* of one core */
#define DEMO_IMAGE_SIDE 96
#define DEMO_CHANNELS 16
#define DEMO_IMAGES 64
#define DEMO_SENSOR_CYCLES 4

#endif
