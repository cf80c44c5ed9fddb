/* SPDX-License-Identifier: MIT */
/* The transport over TCP, on virtual machines: virtio-net in one of the machine's slots,
 * named in its board_config.h, and the network stack. */
#include "board_config.h"
#include "board_link.h"
#include "kymo/arch.h"
#include "kymo/kymo.h"
#include "kymo_net.h"
#include "virtio_net.h"

static struct kymo_virtio_net device;
static struct kymo_net net;

static uint32_t now_ms(void) {
    return (uint32_t)(kymo_arch_clock64() / (kymo_arch_clock_hz() / 1000u));
}

/* For an image with a key. A machine that starts at another time each time has no other source of fresh values; a
 * board should take its random number generator. */
uint64_t kymo_command_nonce(void) { return kymo_arch_clock64(); }

static bool find_device(void) {
    for (unsigned slot = 0u; slot < BOARD_VIRTIO_SLOTS; slot++) {
        if (kymo_virtio_net_init(&device,
                                 BOARD_VIRTIO_BASE + (uintptr_t)slot * BOARD_VIRTIO_STRIDE)) {
            return true;
        }
    }
    return false;
}

bool board_link_init(void) {
    struct kymo_net_config config = {.link = kymo_virtio_net_link(&device),
                                     .now_ms = now_ms,
                                     .address = BOARD_NET_ADDRESS,
                                     .name = "kymo-demo"};
    if (!find_device()) {
        return false;
    }
    /* The machine has no source of random numbers but the time at which it was started. */
    const uint64_t time = kymo_arch_clock64();
    for (unsigned i = 0u; i < sizeof time; i++) {
        config.secret[i] = (uint8_t)(time >> (8u * i));
    }
    kymo_net_init(&net, &config);
    return true;
}

const struct kymo_transport *board_link_transport(void) { return kymo_net_transport(&net); }

/* The host closes when it has read all: what it had not read yet would go with the machine. */
bool board_link_idle(void) {
    kymo_net_close(&net);
    kymo_net_poll(&net);
    return !kymo_net_connected(&net);
}
