/* SPDX-License-Identifier: MIT */
/* The sites of the board in the examples of runtime/WIRE.md. */
#ifndef TESTS_WIRE_EXAMPLE_BOARD_H
#define TESTS_WIRE_EXAMPLE_BOARD_H

#include "kymo/kymo.h"

#define EXAMPLE_SITES 13u

extern const struct kymo_site example_sites[EXAMPLE_SITES];
extern struct kymo_param example_gain;

#endif
