/* SPDX-License-Identifier: MIT */
/* Model of runtime/src/ring/ring_newest.c with recall.c: one core writes, with interrupts masked for all of a call, and never
 * finds the ring full; the consumer on another core runs at any time.
 *
 * As no interrupt comes within a call, one context stands for all. A record of two cells represents long ones. "late"
 * (a limit in the past) comes at any time. Not modelled: resets, runs, contexts, the value of the clock, a stop. */

#define BLOCKS 2
#define BLOCK_CELLS 4 /* the last one is for the 0 after the last record */

#ifndef BREAK
#define BREAK 0
#endif
#ifndef OPERATIONS
#define OPERATIONS 6
#endif

#ifndef ATTENTIONS
#define ATTENTIONS 1
#endif

#define IS_SETTLED(which) true
#define IS_OVER over_and_out
#define ACCEPTED emitted

bool over_and_out;
byte emitted;

#include "blocks.pml"

/* Writes the 0 after the record first, and its first word last: a reset at any step leaves whole records. */
inline put(ordinal, cells) {
    if
    :: write + cells < BLOCK_CELLS -> first[CELL(number, write + cells)] = 0
    :: write + cells == BLOCK_CELLS -> assert(false)
    fi;
#if BREAK == 4 /* the first word comes first */
    first[CELL(number, write)] = (cells == 2 -> LONGER + ordinal : ordinal);
    second[CELL(number, write + cells - 1)] = ordinal;
#else
    second[CELL(number, write + cells - 1)] = ordinal;
    first[CELL(number, write)] = (cells == 2 -> LONGER + ordinal : ordinal);
#endif
    write = write + cells
}

#define FITS(cells) (number != 0 && write + cells <= BLOCK_CELLS - 1)

/* The number first: a reader of the block that is given up must see it before anything changes there. */
inline enter_block() {
#if BREAK == 3
    block_begin(number + 1, emitted, 1);
    number++;
#else
    number++;
    block_begin(number, emitted, 1);
#endif
    write = 0
}

active proctype producer() {
    byte i, write, need, left = OPERATIONS, attentions = ATTENTIONS;
    bool late;

    do
    :: atomic { left > 0 -> left--;
           if
           :: need = 1 /* kymo_ring_short(), kymo_zone_begin(), kymo_zone_end(), kymo_ring_switch() */
           :: need = 2 /* kymo_ring_long() */
           fi;
           if
           :: attentions > 0 -> attentions--; late = true
           :: true
           fi
       };
       if /* take(), take_slow() */
       :: !late && FITS(need)
       :: late || !FITS(need) ->
           if
           :: !FITS(need + 1) -> enter_block()
           :: FITS(need + 1) && late -> put(CLOCK, 1)
           fi
       fi;
       late = false;
       emitted++;
       put(emitted, need)
    :: left == 0 -> over_and_out = true; break
    od
}

#include "recall.pml"
