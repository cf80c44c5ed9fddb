/* SPDX-License-Identifier: MIT */
/* Model of runtime/src/ring/ring_newest_atomic.c with recall.c: threads whose signal handlers preempt them between any two
 * steps, and a consumer in another thread at any time. Each load, store and exchange of a word that another context or the
 * consumer can see is a step of its own.
 *
 * Not modelled: the value of the clock ("late" is a limit in the past), contexts, a stop; an event has one cell. */

#define CALLS_0 SHORT
#define CALLS_1 SHORT
#define CALLS_2 SHORT
#include "contexts.pml"

#ifndef BLOCKS
#define BLOCKS 2
#endif
#define BLOCK_CELLS 2
#define TRIES 2

#ifndef BREAK
#define BREAK 0
#endif

#define MASKED false
#define STEP here
#define IS_OVER ALL_RETURNED
#define ACCEPTED (emitted - lost)
#define IS_SETTLED(which) (pin == 0 || pin - 1 > which)

#define LOCALS                                                                                                         \
    bool is_mine, due, accepted, entered;                                                                              \
    byte i, tries, need, claimed, seen_number, seen_events, seen_room, events, at;

/* ---- the lane ---- */

byte state_number, state_events, state_room; /* "state": one word */
byte pin;
bool late = true;
byte lost;

byte emitted; /* variables that the code does not have */

#include "blocks.pml"

inline set_pin() {
    d_step { here; is_mine = pin == 0 };
    if
    :: is_mine ->
        d_step { here; seen_number = state_number };
        d_step { here; pin = seen_number + 1 };
        d_step { here; seen_events = state_number };
        if
        :: d_step { here && seen_events != seen_number -> pin = seen_events + 1 }
        :: seen_events == seen_number
        fi;
        d_step { seen_number = 0; seen_events = 0 }
    :: !is_mine
    fi
}

inline exchange(new_number, new_events, new_room) {
    accepted = state_number == seen_number && state_events == seen_events && state_room == seen_room;
    if
    :: accepted -> state_number = new_number; state_events = new_events; state_room = new_room
    :: else
    fi
}

/* entered is false where the block is held by a preempted context. */
inline enter_block() {
    d_step {
        here;
#if BREAK == 3 /* the pin is not looked at */
        entered = true
#else
        entered = claimed + 1 - (pin - 1) < BLOCKS
#endif
    };
    if
    :: entered ->
        d_step {
            here;
            accepted = number == claimed;
            if
            :: accepted -> number = claimed + 1
            :: else
            fi
        };
        if
        :: accepted ->
            d_step { here; events = (seen_number != 0 -> block_events[BLOCK(seen_number)] + seen_events : 0) };
            block_begin((claimed + 1), events, BLOCK_CELLS);
            d_step { here; exchange(claimed + 1, 0, BLOCK_CELLS) };
            if
            :: d_step { here && accepted -> late = false }
            :: !accepted
            fi
        :: !accepted
        fi
    :: !entered
    fi;
    d_step { accepted = false; events = 0 }
}

inline refuse() {
    d_step { here; lost++ };
    d_step { here; seen_number = state_number; seen_events = state_events; seen_room = state_room };
    d_step { here; exchange(seen_number, seen_events, 0); accepted = false }
}

/* The block is still its own: nothing is written over what others have been given. */
inline write_word(place, word) {
    assert(block_number[BLOCK(seen_number)] == seen_number && number - seen_number < BLOCKS);
    place = word
}

inline write_record() {
    d_step { at = BLOCK_CELLS - seen_room; events = block_events[BLOCK(seen_number)] + seen_events + 1 };
    if
    :: due ->
        d_step { here; write_word(first[CELL(seen_number, at)], CLOCK); at++ };
        d_step { here; late = false }
    :: !due
    fi;
#if BREAK == 4 /* the first word comes first */
    d_step { here; write_word(first[CELL(seen_number, at)], events) };
    d_step { here; write_word(second[CELL(seen_number, at)], events) };
#else
    d_step { here; write_word(second[CELL(seen_number, at)], events) };
    d_step { here; write_word(first[CELL(seen_number, at)], events) };
#endif
    d_step { at = 0; events = 0 }
}

inline reserve() {
    tries = TRIES;
    do
    :: tries > 0 ->
        d_step { here; claimed = number };
        d_step { here; seen_number = state_number; seen_events = state_events; seen_room = state_room };
        d_step { here; due = late };
        d_step { need = (due -> 2 : 1); tries-- };
        if
        :: seen_room < need || seen_number != claimed ->
            enter_block();
            if
            :: !entered -> tries = 0
            :: entered
            fi
        :: else ->
            d_step { here; exchange(seen_number, seen_events + 1, seen_room - need) };
            if
            :: accepted -> break
            :: !accepted
            fi
        fi
    :: tries == 0 -> break
    od;
    atomic { tries = 0; need = 0; claimed = 0; entered = false }
}

inline perform() {
    d_step { here; emitted++ };
    set_pin();
    reserve();
    if
    :: accepted -> write_record()
    :: !accepted -> refuse()
    fi;
    d_step {
        here;
        if
        :: is_mine -> pin = 0
        :: else
        fi;
        is_mine = false; accepted = false; due = false; seen_number = 0; seen_events = 0; seen_room = 0
    };
    operation = 0
}

#include "calls.pml"
#include "recall.pml"

/* The clock passes the limit, or another core asks for attention. */
#if ATTENTIONS
active proctype clock() {
    byte times = ATTENTIONS;
end:do
    :: d_step { times > 0 -> times--; late = true }
    od
}
#endif
