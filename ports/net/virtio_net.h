/* SPDX-License-Identifier: MIT */
/* The network device of virtual machines as a link of the network stack: virtio-net over
 * virtio-mmio, polled or with an interrupt, never waiting.
 *
 * "Virtual I/O Device (VIRTIO) Version 1.1", OASIS, 11 April 2019, called VIRTIO below. Both
 * register layouts: version 2 (section 4.2.2) and the legacy version 1 (section 4.2.4). The
 * device reads and writes the buffers, so memory must be coherent with it and addressed by it as
 * by the processor. */
#ifndef KYMO_VIRTIO_NET_H
#define KYMO_VIRTIO_NET_H

#include <stdbool.h>
#include <stdint.h>

#include "kymo/language.h"
#include "net_link.h"

KYMO_C_BEGIN

/* Frames that wait to be read, and as many to be sent: a power of two. */
#define KYMO_VIRTIO_NET_FRAMES 8

/* A header precedes each frame: 12 bytes, of which a legacy device knows 10 (VIRTIO 5.1.6). */
#define KYMO_VIRTIO_NET_HEAD_BYTES 12u
#define KYMO_VIRTIO_NET_PAGE_BYTES 4096u

/* A split virtqueue (VIRTIO 2.6), as the legacy layout wants it: the used ring on a page of its
 * own. */
struct kymo_virtio_net_queue {
    KYMO_ALIGNAS_(KYMO_VIRTIO_NET_PAGE_BYTES) struct {
        uint64_t address;
        uint32_t length;
        uint16_t flags;
        uint16_t next;
    } descriptors[KYMO_VIRTIO_NET_FRAMES];
    struct {
        uint16_t flags;
        uint16_t index;
        uint16_t ring[KYMO_VIRTIO_NET_FRAMES];
    } available;
    KYMO_ALIGNAS_(KYMO_VIRTIO_NET_PAGE_BYTES) struct {
        uint16_t flags;
        uint16_t index;
        struct {
            uint32_t id;
            uint32_t length;
        } ring[KYMO_VIRTIO_NET_FRAMES];
    } used;
    uint8_t buffers[KYMO_VIRTIO_NET_FRAMES]
                   [(KYMO_VIRTIO_NET_HEAD_BYTES + KYMO_NET_FRAME_BYTES + 7u) / 8u * 8u];
    uint16_t seen; /* of the used ring */
};

/* One device. Owned by the caller, in static memory; the fields are private to the driver. */
struct kymo_virtio_net {
    struct kymo_virtio_net_queue receive;
    struct kymo_virtio_net_queue transmit;
    uintptr_t base;
    uint32_t head_bytes;
    uint16_t free_buffers[KYMO_VIRTIO_NET_FRAMES];
    uint16_t free_count;
    struct kymo_net_link link;
};

/* Takes the device whose registers begin at "base" into use, without interrupts. False if there
 * is no network device, or one that needs features unknown to this driver; the slot is then left
 * alone, or the device marked as failed. */
bool kymo_virtio_net_init(struct kymo_virtio_net *device, uintptr_t base);

/* For kymo_net_init(); valid as long as *device. */
static inline const struct kymo_net_link *kymo_virtio_net_link(
    const struct kymo_virtio_net *device) {
    return &device->link;
}

/* Whether the device interrupts when a frame has arrived, so that a processor may sleep until
 * then. */
void kymo_virtio_net_interrupts(struct kymo_virtio_net *device, bool on);

/* For the interrupt handler: takes the interrupt back. Frames are then taken by kymo_net_poll(). */
void kymo_virtio_net_acknowledge(const struct kymo_virtio_net *device);

KYMO_C_END

#endif
