/* SPDX-License-Identifier: MIT */
/* Expected results of the demo: checksums of each scene of the network by its size, and of one cycle of
 * the sensor loop. They were computed by tests/unit/boards/demo_reference.c, which does the same arithmetic
 * from its description in another way (floating-point sums, exact in this range; a transform by
 * recursion), and shares no code with the demo; tests/unit/boards/test_demo.c compares the two. */
#ifndef SUMS_H
#define SUMS_H

#include <stdint.h>

#include "board_config.h"
#include "net.h"

#if DEMO_IMAGE_SIDE == 96 && DEMO_CHANNELS == 16
static const uint32_t sums_scenes[NET_SCENES] = {
    0x233429a7u, 0x8b7407fdu, 0xb01a53bcu, 0xf7a6c97fu,
    0x9a485133u, 0x34f89d58u, 0xe51afb3bu, 0x4eb4680cu,
};
#elif DEMO_IMAGE_SIDE == 32 && DEMO_CHANNELS == 4
static const uint32_t sums_scenes[NET_SCENES] = {
    0x5dd09a89u, 0x1d11ddb8u, 0xb28adac9u, 0x8d5f343cu,
    0xe6700c71u, 0x52edfbf0u, 0x076ee639u, 0x334385a1u,
};
#else
#error "there are no sums for this size of the network"
#endif

#define SUMS_SENSOR 0xc0353ee3u

#endif
