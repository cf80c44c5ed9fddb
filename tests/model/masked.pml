/* Model of runtime/src/ring_masked.c: reservations under an interrupt mask, and a consumer on another core.
 *
 * While a context masks interrupts no other one runs, but the consumer does: each word that it can see is published in a
 * step of its own. Room and positions count cells of two words. The functions have the names of those in C.
 *
 * Not modelled: the value of the clock ("late" stands for a limit in the past), the times in records, the contents of
 * records beyond "written or not". */

#include "contexts.pml"

#define CELLS 8
#define DUES_CELLS 2
#define LOSS_CELLS 2
#define REOPEN_CELLS 1
#define RETURN_CELLS 2
#define LONG_CELLS 3

#ifndef ATTENTIONS
#define ATTENTIONS 0
#endif
#ifndef BREAK
#define BREAK 0
#endif

#define MASKED masked
#define LOCALS                                                                                                         \
    bool ok, due, lossy, refused_if_taken, is_promised;                                                                \
    byte need, events, start, seen_tail, i;                                                                            \
    short wanted;

/* ---- the lane ---- */

#define NO_RING 255
byte write = NO_RING, run_end, tail; /* cells from the ring's start; the end is CELLS */
short room;
byte lost;
byte muted;
bool late;
bool stopped;
bool masked;

/* ---- the ring ---- */

#define NOTHING 0
#define PAIR_RECORD 1 /* clocks and repeated contexts: no event */
#define EVENT_RECORD 2
#define LONG_RECORD 3
#define LOSS_RECORD 4
#define PAYLOAD 5
#define FILLING 6  /* kind KYMO_LONG_FILLING */
#define RESERVED 7 /* ghost: payload that is not written yet */
#define SKIP 8     /* kind KYMO_LONG_SKIP */
byte cell[CELLS];  /* ghost: the consumer leaves NOTHING, so that a cell that is written twice is seen */

/* ---- ghost state: the code has none of it ---- */

byte promised; /* cells promised to ends of zones and to returns of interrupts */
short missing; /* events emitted - delivered - reported lost */
bool stop_returned;
#if ATTENTIONS
byte attentions = ATTENTIONS;
#endif

/* Of the current run each cell is used, promised or room. */
inline account() { assert(write == NO_RING || run_end - write == room + promised) }

/* ---- records: masked ---- */

inline put(at, content) {
    assert(at < run_end && at < CELLS && cell[at] == NOTHING);
    cell[at] = content
}

inline write_pair(record) {
    d_step {
        put(write, record);
        write++
    }
}

/* From a promise: an end or a return finds its room. */
inline use_promise() {
    assert(promised > 0);
    promised--
}

inline count_lost(lost_events) {
    lost = lost + lost_events;
    late = true
}

inline make_room(cells) {
    seen_tail = tail;
    d_step {
        run_end = (seen_tail > write -> seen_tail - 1 : CELLS);
#if BREAK == 4 /* the promises are forgotten */
        room = run_end - write;
#else
        room = run_end - write - promised;
#endif
        ok = room >= cells;
        if
        :: !ok && seen_tail <= write && seen_tail - 1 - promised >= cells ->
            if
            :: write != CELLS -> put(write, SKIP)
            :: else
            fi;
            ok = true;
#if BREAK == 1 /* no cell stays free: full looks like empty */
            run_end = seen_tail;
            room = seen_tail - promised;
#else
            run_end = seen_tail - 1;
            room = seen_tail - 1 - promised;
#endif
            write = 0
        :: else
        fi;
        seen_tail = 0;
        account()
    }
}

inline first_use() {
    d_step { run_end = 0; late = true; tail = 0 };
    write = 0
}

inline calm() {
    late = false;
#ifdef STOP
    d_step { if :: stopped -> late = true :: else fi }
#endif
}

inline write_dues() {
    write_pair(PAIR_RECORD);
    if
    :: lost != 0 ->
        d_step {
            put(write, LOSS_RECORD + 16 * lost);
            put(write + 1, PAYLOAD);
            write = write + LOSS_CELLS;
            lost = 0
        }
    :: lost == 0
    fi;
    write_pair(PAIR_RECORD)
}

/* ok: "need" cells are reserved. */
inline take_slow() {
    due = stopped;
    if
    :: due -> d_step { late = true; due = false; missing = missing - events } /* not counted */
    :: !due ->
        if
        :: write == NO_RING -> first_use()
        :: write != NO_RING
        fi;
        d_step {
            lossy = lost != 0;
            due = lossy || late;
            wanted = need + (due -> DUES_CELLS : 0) + (lossy -> LOSS_CELLS + REOPEN_CELLS : 0);
            ok = muted == 0 && room >= wanted
        };
        if
        :: !ok && muted == 0 -> make_room(wanted)
        :: ok || muted != 0
        fi;
        if
        :: d_step { !ok -> count_lost(events); due = false; lossy = false; wanted = 0 }
        :: ok ->
            d_step {
                room = room - need - (due -> DUES_CELLS : 0) - (lossy -> LOSS_CELLS : 0);
                wanted = 0;
                lossy = false
            };
            if
            :: due ->
                calm();
                write_dues()
            :: !due
            fi;
            due = false
        fi
    fi
}

/* A refused begin counts for two. */
inline take(cells, count) {
    atomic {
        here;
        masked = true;
        need = cells;
        events = count;
        missing = missing + events;
        refused_if_taken = stop_returned;
        ok = write != NO_RING && !late && room >= need;
        if
        :: ok -> room = room - need
        :: !ok
        fi
    };
    if
    :: ok
    :: !ok -> take_slow()
    fi;
    assert(!ok || !refused_if_taken);
    d_step { need = 0; events = 0; refused_if_taken = false }
}

inline unmask() {
    account();
    masked = false
}

inline end_call() {
    d_step { ok = false; unmask() }
}

/* ---- calls ---- */

inline zone_begin() {
    take(2, 2);
    if
    :: ok ->
        d_step {
#if BREAK == 3 /* the end is not promised */
            room = room + 1;
#else
            promised++;
#endif
            open++;
            missing-- /* the end counts when it is called */
        };
        write_pair(EVENT_RECORD)
    :: !ok
    fi;
    end_call()
}

inline zone_end() {
    d_step {
        here;
        missing++;
        use_promise();
        put(write, EVENT_RECORD);
        write++;
        account()
    }
}

inline ring_short() {
    take(1, 1);
    if
    :: ok -> write_pair(EVENT_RECORD)
    :: !ok
    fi;
    end_call()
}

/* Interrupts are masked for the reservation only. */
inline ring_long() {
    take(LONG_CELLS, 1);
    if
    :: ok ->
        d_step {
            start = write;
#if BREAK == 2 /* published before it is filled */
            put(start, LONG_RECORD);
#else
            put(start, FILLING);
#endif
            put(start + 1, RESERVED);
            put(start + 2, RESERVED);
            write = write + LONG_CELLS;
            unmask()
        };
        d_step {
            here;
            cell[start + 1] = PAYLOAD;
            cell[start + 2] = PAYLOAD
        };
        d_step {
            here;
            cell[start] = LONG_RECORD;
            start = 0;
            ok = false
        }
    :: !ok -> end_call()
    fi
}

inline perform() {
    if
    :: operation == SHORT -> ring_short()
    :: operation == LONG -> ring_long()
    :: operation == BEGIN -> zone_begin()
    :: operation == END -> zone_end()
    :: operation == 0
    fi;
    operation = 0
}

inline interrupt_enter() {
    take(1 + RETURN_CELLS, 1);
    if
    :: ok ->
        d_step { promised = promised + RETURN_CELLS; is_promised = true };
        write_pair(EVENT_RECORD)
    :: !ok -> d_step { muted++; late = true }
    fi;
    end_call()
}

inline interrupt_leave() {
    atomic { here; masked = true; missing++ };
    if
    :: is_promised ->
        is_promised = false;
        d_step {
            use_promise();
            if
            :: late -> put(write, PAIR_RECORD); write++
            :: else -> room++
            fi
        };
        d_step { use_promise(); put(write, EVENT_RECORD); write++ }
    :: !is_promised ->
        d_step {
            muted--;
            if
            :: stopped -> missing--
            :: else -> count_lost(1)
            fi
        }
    fi;
    end_call()
}

#include "calls.pml"

/* ---- the consumer ---- */

/* A complete record stays as it is until its cells are given back: the consumer may read it in the step that does so. */
inline read_record() {
    if
    :: cell[tail] == LONG_RECORD -> words = LONG_CELLS; missing--
    :: cell[tail] % 16 == LOSS_RECORD -> words = LOSS_CELLS; missing = missing - cell[tail] / 16
    :: cell[tail] == EVENT_RECORD -> words = 1; missing--
    :: cell[tail] == PAIR_RECORD -> words = 1
    fi; /* stops at anything else */
    cell[tail] = NOTHING;
    j = 1;
    do
    :: j < words ->
        assert(tail + j < CELLS && cell[tail + j] == PAYLOAD); /* complete */
        cell[tail + j] = NOTHING;
        j++
    :: else -> break
    od;
    tail = tail + words;
    words = 0;
    j = 0
}

#define IS_SKIP (tail == CELLS || cell[tail] == SKIP)
#define IS_FILLING (tail < CELLS && cell[tail] == FILLING)
#define HAS_RECORDS (write != NO_RING && tail != write)

active proctype consumer() {
    byte words, j;
    do
    :: d_step { HAS_RECORDS && !IS_SKIP && !IS_FILLING -> read_record() }
    :: d_step { HAS_RECORDS && IS_SKIP ->
           if
           :: tail != CELLS -> cell[tail] = NOTHING
           :: else
           fi;
           tail = 0
       }
#if ATTENTIONS
    :: d_step { attentions > 0; attentions--; late = true } /* the clock passes the limit, or another core asks */
#endif
    :: atomic { ALL_RETURNED && !HAS_RECORDS -> break }
    od;
    /* All that was committed was read, nothing is missing, and what is lost will be reported. */
    assert(missing == lost);
    assert(promised == open && muted == 0);
    assert(lost == 0 || late)
}

#ifdef STOP
/* Another core stops recording. */
active proctype stop() {
    stopped = true;
    late = true;
    stop_returned = true
}
#endif
