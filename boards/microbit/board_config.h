/* SPDX-License-Identifier: MIT */
/* The demo's sizes on this board, see boards/common/board.h; also read by start.S. */
#ifndef BOARD_CONFIG_H
#define BOARD_CONFIG_H

#define BOARD_CORES 1
#define BOARD_STACK_BYTES 2048
#define BOARD_INTERRUPTS 32
#define DEMO_IMAGE_SIDE 32
#define DEMO_CHANNELS 4
#define DEMO_IMAGES 96
#define DEMO_SENSOR_CYCLES 5
#define LAYERS_ROW_MAX 64

#endif
