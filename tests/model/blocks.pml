/* SPDX-License-Identifier: MIT */
/* The blocks of a ring that keeps the newest: runtime/src/ring/newest.h and newest.c. The first and the last word of a record is
 * the ordinal of its event in the lane. */

#define BLOCK(number) ((number) % BLOCKS)
#define CELL(number, cell) (BLOCK(number) * BLOCK_CELLS + (cell))
#define CHECK(number, events) (1 + (number) * 32 + (events))
#define LONGER 100 /* more, in the first word of a record of two cells */
#define CLOCK 200

/* ---- the ring ---- */
short block_check[BLOCKS];
byte block_number[BLOCKS];
byte block_events[BLOCKS];
byte first[BLOCKS * BLOCK_CELLS];
byte second[BLOCKS * BLOCK_CELLS];

/* ---- the lane ---- */
byte number; /* of the block that was entered last */

#ifndef STEP
#define STEP true
#endif

/* kymo_block_begin(): the check is wrong as long as anything changes. */
inline block_begin(new, events, zeros) {
    d_step { STEP; block_check[BLOCK(new)] = 0 };
    d_step { STEP; block_number[BLOCK(new)] = new };
    d_step { STEP; block_events[BLOCK(new)] = events };
    d_step {
        STEP;
        i = 0;
        do
        :: i < zeros -> first[CELL(new, i)] = 0; second[CELL(new, i)] = 0; i++
        :: else -> break
        od;
        i = 0
    };
    d_step { STEP; block_check[BLOCK(new)] = CHECK(new, events) }
}
