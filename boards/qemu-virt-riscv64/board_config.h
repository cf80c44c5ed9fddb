/* SPDX-License-Identifier: MIT */
/* The demo's sizes on this board, see boards/common/board.h. Also read by start.S. */
#ifndef BOARD_CONFIG_H
#define BOARD_CONFIG_H

#ifndef BOARD_CORES
#define BOARD_CORES 2
#endif
#define BOARD_STACK_BYTES 16384 /* of one core */
#define BOARD_MTIME_HZ 10000000u
#define BOARD_VIRTIO_BASE 0x10001000u
#define BOARD_VIRTIO_STRIDE 0x1000u
#define BOARD_VIRTIO_SLOTS 8u
#define BOARD_NET_ADDRESS 0u /* from the emulator's DHCP server */
#define DEMO_IMAGE_SIDE 96
#define DEMO_CHANNELS 16
#define DEMO_IMAGES 96
#define DEMO_SENSOR_CYCLES 5

#endif
