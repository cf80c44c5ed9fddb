/* SPDX-License-Identifier: MIT */
/* The demo's sizes as a program of this machine, see boards/common/board.h: those of small boards. */
#ifndef BOARD_CONFIG_H
#define BOARD_CONFIG_H

#define BOARD_CORES 1
#define DEMO_IMAGE_SIDE 32
#define DEMO_CHANNELS 4
#define DEMO_IMAGES 48
#define DEMO_SENSOR_CYCLES 3

#endif
