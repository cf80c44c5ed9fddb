/* SPDX-License-Identifier: MIT */
/* The demo's sizes on this board, see boards/common/board.h. Also read by start.S. */
#ifndef BOARD_CONFIG_H
#define BOARD_CONFIG_H

#define BOARD_CORES 1
#define BOARD_STACK_BYTES 1536 /* of one core */
/* mtime: the 32768 Hz crystal of the chip's always-on domain; QEMU has its own idea of it. */
#ifdef BOARD_EMULATED
#define BOARD_MTIME_HZ 10000000u
#else
#define BOARD_MTIME_HZ 32768u
#endif
/* A run makes 25 kB of trace a second. */
#ifndef BOARD_BAUD
#define BOARD_BAUD 1000000u
#endif
#define DEMO_IMAGE_SIDE 32
#define DEMO_CHANNELS 4
#define DEMO_IMAGES 64
#define DEMO_SENSOR_CYCLES 4

#endif
