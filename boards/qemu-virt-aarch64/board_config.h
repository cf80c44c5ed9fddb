/* SPDX-License-Identifier: MIT */
/* The demo's sizes on this board, see boards/common/board.h. Also read by start.S. */
#ifndef BOARD_CONFIG_H
#define BOARD_CONFIG_H

#define BOARD_CORES 2
#define BOARD_STACK_BYTES 16384 /* of one core */
#define BOARD_VIRTIO_BASE 0x0a000000u
#define BOARD_VIRTIO_STRIDE 0x200u
#define BOARD_VIRTIO_SLOTS 32u
#define BOARD_NET_ADDRESS 0x0a00020fu /* 10.0.2.15, which the emulator expects */
#define DEMO_IMAGE_SIDE 96
#define DEMO_CHANNELS 16
#define DEMO_IMAGES 96
#define DEMO_SENSOR_CYCLES 5

#endif
