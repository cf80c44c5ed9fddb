/* SPDX-License-Identifier: MIT */
#include "board_link.h"
#include "rtt.h"

#define UP_BYTES 16384u
#define DOWN_BYTES 64u

static struct kymo_rtt rtt;
static uint8_t up[UP_BYTES], down[DOWN_BYTES];

bool board_link_init(void) {
    const struct kymo_rtt_config config = {
        .name = "kymo", .up = up, .up_bytes = sizeof up, .down = down, .down_bytes = sizeof down};
    return kymo_rtt_init(&rtt, &config);
}

const struct kymo_transport *board_link_transport(void) { return kymo_rtt_transport(&rtt); }

bool board_link_idle(void) { return kymo_rtt_idle(&rtt); }
