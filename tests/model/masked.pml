/* SPDX-License-Identifier: MIT */
/* Model of runtime/src/ring/ring_masked.c: reservations under an interrupt mask, and a consumer on another core.
 *
 * The functions have the names of those in C; positions count cells of two words. What a context does with interrupts masked
 * is one step: no other context runs meanwhile, and the consumer's steps meanwhile could as well come after it, as
 * such a step reads the tail at most once, writes into free cells only, and publishes what it has written.
 *
 * Not modelled: the value of the clock ("late" is a limit in the past), times in records, contents of records beyond
 * "written or not", the context, kymo_ring_abandon(). */

#include "contexts.pml"

#define CELLS 8
#define LOSS_CELLS 3
#define REOPEN_CELLS 1
#define RETURN_CELLS 2
#define LONG_CELLS 3

#ifndef BREAK
#define BREAK 0
#endif

#define MASKED masked
#define LOCALS                                                                                                         \
    bool ok, is_promised, began_stopped;                                                                               \
    byte start, i;

/* ---- the lane ---- */

#define NO_RING 255
byte write = NO_RING; /* cells from the ring's start, whose end is CELLS */
byte reserved, room_end, run_end, tail;
bool attention = true; /* run_end is 0 */
bool late;
byte lost;
byte refused_entries;
bool restate;
byte tail_refused = NO_RING;
#ifdef STOP
bool stopped;
#define STOPPED stopped
#else
#define STOPPED false
#endif
bool masked; /* interrupts are masked from one step to the next */
byte given_back, collected; /* promises of zones that ended on another lane */

/* ---- the ring ---- */

#define NOTHING 0
#define PAIR_RECORD 1 /* clocks and repeated contexts: no event */
#define EVENT_RECORD 2
#define LONG_RECORD 3
#define LOSS_RECORD 4
#define PAYLOAD 5
#define FILLING 6  /* kind KYMO_LONG_FILLING */
#define RESERVED 7 /* payload that is not written yet */
#define SKIP 8     /* kind KYMO_LONG_SKIP */
byte cell[CELLS];  /* the consumer leaves NOTHING, which the code does not, so that a cell that is used twice shows */

/* ---- variables that the code does not have ---- */

byte promised;      /* cells promised to ends of zones and to returns of interrupts, and not collected */
short missing;      /* events emitted - delivered - reported lost */
bool stop_returned; /* kymo_stop() has returned */

/* The order of the pointers, and nothing is promised twice. */
inline account() {
    assert(write == NO_RING || (write <= reserved && reserved <= room_end && room_end <= CELLS));
    assert(write == NO_RING || reserved - write == promised)
}

/* ---- records ---- */

inline put(at, content) {
    assert(at < reserved && cell[at] == NOTHING); /* inside the ring, on no unread record, and in room of its own */
    cell[at] = content
}

inline write_pair(record) {
    put(write, record);
    write++
}

inline ask_attention() {
    attention = true;
#ifdef NARROW_CLOCK
    late = true
#endif
}

inline count_lost(events) {
    lost = lost + events;
    ask_attention()
}

/* ---- room ---- */

#define HAS_ROOM(cells) (room_end - reserved >= cells)

inline first_use() {
    reserved = 0;
    room_end = 0;
    tail = 0;
    late = true;
    write = 0
}

inline make_room(need) {
#if BREAK != 4 /* an interrupt that is let in before step_open() finds the end of the run before */
    attention = true;
#endif
    room_end = (tail > write -> tail - 1 : CELLS);
    ok = HAS_ROOM(need);
    if
#if BREAK == 1 /* no cell stays free: a full ring looks like an empty one */
    :: !ok && tail <= write && tail >= reserved - write + need ->
#else
    :: !ok && tail <= write && tail >= reserved - write + need + 1 ->
#endif
        if
        :: write != CELLS -> assert(cell[write] == NOTHING); cell[write] = SKIP
        :: else
        fi;
        reserved = reserved - write;
#if BREAK == 1
        room_end = tail;
#else
        room_end = tail - 1;
#endif
        write = 0;
        ok = true
    :: else
    fi
}

/* ---- the slow path, in steps between which interrupts are let in ---- */

inline step_collect() {
    i = given_back - collected;
    collected = given_back;
    i = (i < reserved - write -> i : reserved - write);
    reserved = reserved - i;
    promised = promised - i;
    tail_refused = (i != 0 -> NO_RING : tail_refused);
    i = 0
}

#define WANTED(need) (need + 1 + (lost != 0 -> LOSS_CELLS + 1 + REOPEN_CELLS : 0))

inline refuse_or_pass(need, events) {
    ok = false;
    if
    :: refused_entries != 0 -> count_lost(events)
    :: refused_entries == 0 ->
        if
        :: write == NO_RING -> first_use()
        :: else
        fi;
        if
        :: lost != 0 && tail_refused == tail -> lost = lost + events
        :: else ->
            ok = HAS_ROOM(WANTED(need));
            if
            :: !ok -> make_room(WANTED(need))
            :: else
            fi;
            if
            :: !ok -> tail_refused = tail; count_lost(events)
            :: else -> tail_refused = NO_RING
            fi
        fi
    fi
}

inline step_clock() {
    if
    :: HAS_ROOM(1) && late ->
        reserved++;
        late = false;
        write_pair(PAIR_RECORD)
    :: else
    fi
}

inline step_loss() {
    if
    :: lost != 0 && HAS_ROOM(LOSS_CELLS + 1) ->
        reserved = reserved + LOSS_CELLS;
        put(write, LOSS_RECORD + 16 * lost);
        put(write + 1, PAYLOAD);
        put(write + 2, PAYLOAD);
        write = write + LOSS_CELLS;
        lost = 0
    :: else
    fi;
    if
    :: lost == 0 && restate && HAS_ROOM(1) ->
        restate = false;
        reserved++;
        write_pair(PAIR_RECORD)
    :: else
    fi
}

inline open_run() {
    if
    :: lost == 0 && !restate && !late -> attention = false; run_end = room_end
    :: else
    fi
}

/* kymo_ring_resume() stores before it looks, as kymo_stop() on another core does. */
inline step_open() {
#ifdef STOP
    d_step { here; masked = true };
#if BREAK == 5 /* the other way round */
    d_step { ok = !stopped };
    d_step { open_run() };
#else
    d_step { open_run() };
    d_step { ok = !stopped };
#endif
    d_step {
        if
        :: !ok -> ask_attention()
        :: else
        fi;
        ok = true;
        masked = false
    }
#else
    d_step { here; open_run() }
#endif
}

/* ok: try again. */
inline prepare(need, events) {
#ifdef ENDS_ELSEWHERE
    d_step {
        here;
        if
        :: write != NO_RING -> step_collect()
        :: else
        fi;
        account()
    };
#endif
    d_step {
        here;
        ok = false;
        if
        :: STOPPED -> missing = missing - events /* not counted */
        :: else -> refuse_or_pass(need, events)
        fi
    };
    if
    :: ok ->
        d_step { here; step_clock(); account() };
        d_step { here; step_loss(); account() };
        step_open()
    :: !ok
    fi
}

/* ---- events ---- */

#define NEED(what) (what == BEGIN -> 2 : (what == LONG -> LONG_CELLS : (what == ENTER -> 1 + RETURN_CELLS : 1)))
#define EVENTS(what) (what == BEGIN -> 2 : 1) /* a refused begin counts for its end, too */

/* kymo_zone_begin(), kymo_ring_short(), kymo_ring_switch(), kymo_ring_enter() and the masked part of kymo_ring_long(),
 * if there is room: take() and the writes. */
#ifdef NARROW_CLOCK
#define FAST !attention /* the keepalive looks at the limit, and asks for attention */
#else
#define FAST (!attention && !late)
#endif

inline take_and_write(what) {
    ok = write != NO_RING && FAST && reserved + NEED(what) <= run_end;
    if
    :: ok ->
#if BREAK == 3 /* the end is not promised */
        reserved = reserved + (what == BEGIN -> 1 : NEED(what));
#else
        reserved = reserved + NEED(what);
#endif
        assert(!began_stopped);
        if
        :: what == LONG ->
            start = write;
#if BREAK == 2 /* committed before it is filled */
            put(start, LONG_RECORD);
#else
            put(start, FILLING);
#endif
            put(start + 1, RESERVED);
            put(start + 2, RESERVED);
            write = write + LONG_CELLS
        :: else ->
            write_pair(EVENT_RECORD);
            if
            :: what == BEGIN ->
                promised++;
                zones++;
                missing-- /* the end is emitted when it is called */
            :: what == ENTER ->
                promised = promised + RETURN_CELLS;
                is_promised = true
            :: else
            fi
        fi
    :: else
    fi
}

inline refused(what) {
    if
    :: what == ENTER -> refused_entries++; ask_attention()
    :: what == SWITCH -> restate = true; ask_attention()
    :: else
    fi
}

inline record(what) {
    d_step {
        here;
        missing = missing + EVENTS(what);
        began_stopped = stop_returned;
        take_and_write(what);
        account()
    };
    if
    :: !ok ->
        prepare(NEED(what), EVENTS(what));
        d_step {
            here;
            if
            :: ok -> /* take_again() */
                take_and_write(what);
                if
                :: !ok && STOPPED -> missing = missing - EVENTS(what)
                :: !ok && !STOPPED -> count_lost(EVENTS(what))
                :: else
                fi
            :: else
            fi;
            if
            :: !ok -> refused(what)
            :: else
            fi;
            account()
        }
    :: ok
    fi;
    if
    :: ok && what == LONG ->
        d_step {
            here;
            cell[start + 1] = PAYLOAD;
            cell[start + 2] = PAYLOAD
        };
        d_step {
            here;
            cell[start] = LONG_RECORD;
            start = 0
        }
    :: !ok || what != LONG
    fi;
    d_step { ok = false; began_stopped = false }
}

/* Without a promise it is refused and counted: then the caller ended a zone twice. */
inline zone_end() {
    d_step {
        here;
        missing++;
#ifndef DOUBLE_ENDS
        assert(write < reserved);
#endif
        if
        :: write < reserved -> promised--; write_pair(EVENT_RECORD)
        :: else -> count_lost(1)
        fi;
        account()
    }
}

inline perform() {
    if
    :: operation == END -> zone_end()
    :: operation == 0
    :: operation != END && operation != 0 -> record(operation)
    fi;
    operation = 0
}

inline interrupt_enter() { record(ENTER) }

inline interrupt_leave() {
    d_step {
        here;
        missing++;
        if
        :: is_promised && reserved - write < RETURN_CELLS -> restate = true; count_lost(1)
        :: is_promised && reserved - write >= RETURN_CELLS ->
            if
            :: late -> write_pair(PAIR_RECORD)
            :: else -> reserved--
            fi;
            promised = promised - RETURN_CELLS;
            write_pair(EVENT_RECORD)
        :: !is_promised ->
            refused_entries--;
            if
            :: STOPPED -> missing--
            :: else -> count_lost(1)
            fi
        fi;
        is_promised = false;
        account()
    }
}

#include "calls.pml"

/* ---- other cores ---- */

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
    :: atomic { ALL_RETURNED && !HAS_RECORDS -> break }
    od;
    /* All committed events were read, none is missing, and each loss will be reported. */
    assert(missing == lost);
    assert(refused_entries == 0);
    assert(lost == 0 || attention)
}

/* The clock passes the limit, or another core asks for attention. */
#ifdef ATTENTIONS
active proctype clock() {
    byte times = ATTENTIONS;
end:do
#ifndef NARROW_CLOCK
    :: d_step { times > 0; times--; late = true }
#endif
    :: d_step { times > 0; times--; ask_attention() }
    od
}
#endif

/* kymo_stop() on another core. */
#ifdef STOP
active proctype stop() {
    stopped = true;
    d_step { ask_attention() };
    stop_returned = true
}
#endif

/* A zone ends on another core, whose lane gives the promise back. */
#ifdef ENDS_ELSEWHERE
active proctype other_core() {
    byte times = ENDS_ELSEWHERE;
end:do
    :: d_step { times > 0 && zones > 0 -> times--; zones--; given_back++ }
    od
}
#endif
