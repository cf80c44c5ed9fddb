/* SPDX-License-Identifier: MIT */
/* Model of runtime/src/ring/ring_atomic.c: reservations by atomic additions, and a consumer that runs at any time.
 *
 * Each load, store and read-modify-write of a word that another context or the consumer can see is a step of its own.
 * Room, head and tail count cells of two words. The functions have the names of those in C.
 *
 * Not modelled: the value of the clock ("late" stands for a limit in the past), the times in records, the contents of
 * records beyond "written or not". */

#include "contexts.pml"

#define CELLS 8
#define LOSS_CELLS 3
#define REOPEN_CELLS 1
#define RETURN_CELLS 2
#define LONG_CELLS 3

#ifndef ATTENTIONS
#define ATTENTIONS 0
#endif
#ifndef BREAK
#define BREAK 0
#endif

#define MASKED false
#define LOCALS                                                                                                         \
    bool ok, due, lossy, restates, won, opens, is_promised, is_orphan;                                                                    \
    byte need, promises, events, start, i, seen, free_to, losses;                                                                \
    short freed;

/* ---- the lane ---- */

#ifdef IN_USE
/* In use, with two unread records and little room. */
short room = 2, promised; /* one word: cells that are free, and cells that are promised */
byte head = 6, tail, tail_seen = CELLS;
bool late;
#else
/* All zero, as it was never used; its limit is in the past. */
short room, promised;
byte head, tail, tail_seen; /* count on modulo 256 */
bool late = true;
#endif
byte lost;
#ifdef SWITCHES
bool restate; /* a switch was refused */
#else
#define restate false
#endif
#ifdef INTERRUPT
byte refused_entries;
#endif
#ifdef LEAVES
byte orphans; /* ends to come of zones of threads that are over */
#endif
#ifdef STOP
bool stopped;
#endif

/* ---- the ring: the two words of each cell ---- */

#define NOTHING 0
#define PAIR_RECORD 1 /* clocks and contexts too: records of one cell that are no event */
#define EVENT_RECORD 2
#define LONG_RECORD 3
#define LOSS_RECORD 4
#define PAYLOAD 5
#ifdef IN_USE
byte first[CELLS] = { LONG_RECORD, PAYLOAD, PAYLOAD, LONG_RECORD, PAYLOAD, PAYLOAD, NOTHING, NOTHING };
byte second[CELLS] = { 1, 1, 1, 1, 1, 1, 0, 0 };
short missing = 2; /* ghost: events emitted - delivered - reported lost */
#else
byte first[CELLS];
byte second[CELLS];
short missing;
#endif

#ifdef LAZY
/* The consumer's steps commute with all others but reads of the tail: it is enough to let it run before these. */
#define CONSUMER_RUNS (looks[level] || ALL_RETURNED)
#else
#define CONSUMER_RUNS true
#endif
bool looks[3]; /* the context's next step reads the tail */

#ifdef ENDS_ELSEWHERE
bool elsewhere; /* a zone is being ended by another core */
#else
#define elsewhere false
#endif

#define AT(index) ((index) % CELLS)

/* ---- ghost state: the code has none of it ---- */

short taken;     /* room that contexts took and have not used yet */
short collected; /* room that contexts collected and have not added yet */
#if ATTENTIONS
byte attentions = ATTENTIONS; /* times that the limit still comes to lie in the past by itself */
#endif

/* Every cell is in exactly one of these. */
inline account() { assert((room + collected + taken + promised + head + 1024 - tail_seen) % 256 == 0) }

/* ---- room ---- */

inline give_room(cells) {
    d_step {
        here;
        room = room + cells;
        taken = taken - cells;
        account()
    }
}

inline take_free(cells) {
    d_step {
        here;
        ok = room >= cells;
        room = room - cells;
        taken = taken + cells;
        account()
    };
    if
    :: ok
    :: !ok -> give_room(cells)
    fi
}

/* A promise for later counts as soon as it is taken: no end may take a promise that has no room. */
inline take_room(cells, promises) {
#if BREAK == 5 /* the promise is made first, and taken back if there is no room for it */
    d_step {
        here;
        ok = room >= cells;
        room = room - cells;
        promised = promised + promises;
        taken = taken + cells - promises;
        account()
    };
    if
    :: ok
    :: d_step { here && !ok ->
           room = room + cells;
           promised = promised - promises;
           taken = taken - cells + promises;
           account()
       }
    fi
#else
    take_free(cells);
    if
    :: d_step { here && ok && promises != 0 ->
           promised = promised + promises;
           taken = taken - promises;
           account()
       }
    :: !ok || promises == 0
    fi
#endif
}

/* ok: so much was promised. */
inline take_promised(cells) {
    d_step {
        here;
        ok = promised >= cells;
        promised = promised - cells;
        taken = taken + cells;
        account()
    };
    if
    :: ok
    :: d_step { here && !ok ->
           promised = promised + cells;
           taken = taken - cells;
           account()
       }
    fi
}

#ifdef LEAVES
inline take_orphan() {
    d_step {
        here;
        ok = orphans > 0;
        if
        :: ok -> orphans--
        :: else
        fi
    }
}

/* By comparison: nothing is hidden from others meanwhile. */
inline take_one() {
    d_step {
        here;
        ok = promised >= 1;
        if
        :: ok -> promised--; taken++
        :: else
        fi;
        account()
    }
}
inline take_back() {
    take_one();
    if
    :: ok -> give_room(1)
    :: !ok
    fi
}

/* Writes an end that found no promise: no room is kept for it. */
inline take_late_end() {
    take_orphan();
    if
    :: !ok -> take_back()
    :: ok
    fi;
    if
    :: !ok -> take_orphan()
    :: ok
    fi
}

/* The thread is over, and another one has the lane. */
inline ring_left() {
#if BREAK == 9 /* a promise is given back before it is an orphan */
    do
    :: take_one();
       if
       :: ok ->
           give_room(1);
           d_step { here; orphans++ }
       :: !ok -> break
       fi
    od;
    skip
#else
    d_step { here; orphans++ };
    do
    :: take_one();
       if
       :: ok ->
           d_step { here; orphans++ };
           give_room(1)
       :: !ok -> break
       fi
    od;
    take_late_end();
    assert(ok)
#endif
}
#endif

/* The room that the consumer has freed since the last collection goes to exactly one context. */
inline collect_room() {
#if BREAK == 1 /* an exchange instead of the comparison */
    looks[_pid] = true;
    d_step {
        here;
        free_to = tail + CELLS;
        looks[_pid] = false
    };
    d_step {
        here;
        won = true;
        seen = tail_seen;
#else
    d_step {
        here;
        seen = tail_seen;
        looks[_pid] = true
    };
    d_step {
        here;
        free_to = tail + CELLS;
        looks[_pid] = false
    };
    d_step {
        here;
        won = tail_seen == seen;
#endif
        if
        :: won ->
            freed = (free_to - seen + 128 + 256) % 256 - 128;
            tail_seen = free_to;
            collected = collected + freed
        :: else
        fi;
        seen = 0;
        free_to = 0
    }
}

inline make_room(cells, promises) {
    collect_room();
    if
    :: d_step { here && won ->
           room = room + freed;
           collected = collected - freed;
           freed = 0;
           won = false;
           account()
       }
    :: !won
    fi;
    take_room(cells, promises)
}

/* ---- records ---- */

inline take_place(cells) {
    d_step {
        here;
        start = head;
        head = head + cells;
        taken = taken - cells;
        account();
        assert((head + 256 - tail) % 256 <= CELLS); /* never more handed out than there is */
        i = 0;
        do
        :: i < cells ->
            assert(first[AT(start + i)] == NOTHING); /* the consumer left zeros */
            i++
        :: else -> break
        od;
        i = 0
    }
}

/* The words of a reserved place are its owner's alone until the first one is published, as take_place() asserts: their
 * stores need no step of their own. */
inline write_record(record, cells) {
#if BREAK == 2 /* the first word is published before the others are written */
    d_step { here; first[AT(start)] = record };
#endif
    d_step {
        here;
        first[AT(start)] = record;
        second[AT(start)] = 1;
        i = 1;
        do
        :: i < cells -> first[AT(start + i)] = PAYLOAD; second[AT(start + i)] = 1; i++
        :: else -> break
        od;
        if
        :: opens && record == EVENT_RECORD -> zones++; missing-- /* the end counts when it is called */
        :: record == LOSS_RECORD -> first[AT(start + 1)] = losses; losses = 0
        :: else
        fi;
        i = 0;
        start = 0
    }
}

inline write_pair(record) {
    take_place(1);
    write_record(record, 1)
}

inline count_lost(lost_events) {
    d_step { here; lost = lost + lost_events };
    d_step { here; late = true }
}

inline write_loss() {
    d_step { here; losses = lost; lost = 0 };
    if
    :: losses == 0 -> give_room(LOSS_CELLS)
    :: losses != 0 ->
        take_place(LOSS_CELLS);
        write_record(LOSS_RECORD, LOSS_CELLS)
    fi
}

inline resume() {
    d_step { here; late = false }
#ifdef STOP
    ; d_step { here; if :: stopped -> late = true :: else fi }
#endif
}

inline write_context() {
#ifdef SWITCHES
    if
    :: here && !restate -> give_room(1)
    :: d_step { here && restate -> restate = false };
       write_pair(PAIR_RECORD)
    fi
#endif
    restates = false
}

#define OWED_CELLS (1 + (lossy -> LOSS_CELLS + REOPEN_CELLS : 0) + (restates -> 1 : 0))

inline write_owed() {
    d_step { here; lossy = lost != 0 };
#ifdef SWITCHES
    d_step { here; restates = restate };
#endif
    take_room(OWED_CELLS, 0);
    if
    :: !ok -> make_room(OWED_CELLS, 0)
    :: ok
    fi;
    if
    :: ok ->
        write_pair(PAIR_RECORD);
#if BREAK != 4
        resume();
#endif
        if
        :: lossy ->
            give_room(REOPEN_CELLS);
            write_loss()
        :: !lossy
        fi;
        if
        :: restates -> write_context()
        :: !restates
        fi;
#if BREAK == 7 /* nobody looks whether a nested switch was refused */
        d_step { here; if :: lost != 0 -> late = true :: else fi }
#else
        d_step { here; if :: lost != 0 || restate -> late = true :: else fi }
#endif
#if BREAK == 4 /* resume undoes the attention that a nested loss asked for */
        ;
        resume()
#endif
    :: !ok
    fi;
    lossy = false;
    restates = false
}

/* ok: "need" cells of room are taken. */
inline take_slow() {
    d_step { here; due = late; ok = true };
#ifdef INTERRUPT
    d_step { here; ok = refused_entries == 0 };
#endif
    if
    :: ok && due -> write_owed()
    :: !ok || !due
    fi;
    due = false;
    if
    :: ok ->
        take_room(need, promises);
        if
        :: !ok -> make_room(need, promises)
        :: ok
        fi
    :: !ok
    fi;
    if
    :: !ok -> count_lost(events)
    :: ok
    fi
}

/* A refused begin counts for two. The count of emitted events begins with the call. */
inline take(cells, kept, count) {
    d_step {
        here;
        need = cells;
        promises = kept;
        events = count;
        missing = missing + events;
        due = late
    };
    if
    :: !due -> take_room(need, promises)
    :: due -> ok = false
    fi;
    if
    :: ok
    :: !ok -> take_slow()
    fi;
    d_step { due = false; events = 0 }
}

/* ---- calls ---- */

inline zone_begin() {
#if BREAK == 3 /* the end is not promised */
    take(1, 0, 2);
#else
    take(2, 1, 2);
#endif
    if
    :: ok ->
        opens = true;
        write_pair(EVENT_RECORD);
        opens = false
    :: !ok
    fi
}

inline ring_short() {
    take(1, 0, 1);
    if
    :: ok -> write_pair(EVENT_RECORD)
    :: !ok
    fi
}

/* Without a promise it is refused and counted: then the caller ended a zone twice. */
inline zone_end() {
    d_step { here; missing++ };
    take_promised(1);
#ifdef LEAVES
    if
    :: !ok ->
#if BREAK == 8 /* one look at the orphans */
        take_orphan();
#else
        take_late_end();
#endif
        assert(ok);
        missing--;
        is_orphan = true;
        ring_short();
        ok = true
    :: ok
    fi;
#endif
#ifndef DOUBLE_ENDS
    assert(ok);
#endif
    if
    :: is_orphan -> is_orphan = false
    :: !is_orphan && ok -> write_pair(EVENT_RECORD)
    :: !is_orphan && !ok -> count_lost(1)
    fi
}

inline ring_switch() {
    ring_short();
    if
    :: ok
    :: !ok ->
#ifdef SWITCHES
        d_step { here; restate = true };
#endif
        d_step { here; late = true }
    fi
}

inline ring_long() {
    take(LONG_CELLS, 0, 1);
    if
    :: ok ->
        take_place(LONG_CELLS);
        write_record(LONG_RECORD, LONG_CELLS)
    :: !ok
    fi
}

inline perform() {
    if
    :: operation == SHORT -> ring_short()
    :: operation == LONG -> ring_long()
    :: operation == BEGIN -> zone_begin()
    :: operation == END -> zone_end()
    :: operation == SWITCH -> ring_switch()
#ifdef LEAVES
    :: operation == LEAVE -> ring_left()
#endif
    :: operation == 0
    fi;
    d_step { ok = false; need = 0; promises = 0; operation = 0 }
}

inline interrupt_enter() {
    take(1 + RETURN_CELLS, RETURN_CELLS, 1);
    if
    :: ok ->
        is_promised = true;
        write_pair(EVENT_RECORD)
    :: !ok ->
        d_step { here; refused_entries++ };
        d_step { here; late = true }
    fi;
    ok = false
}

inline interrupt_leave() {
    d_step { here; missing++ };
    if
    :: is_promised ->
        take_promised(RETURN_CELLS);
        if
        :: ok ->
            d_step { here; due = late };
            if
            :: due -> write_pair(PAIR_RECORD)
            :: !due -> give_room(1)
            fi;
            due = false;
            write_pair(EVENT_RECORD)
        :: !ok -> count_lost(1)
        fi
    :: !is_promised ->
        d_step { here; refused_entries-- };
        count_lost(1)
    fi;
    d_step { is_promised = false; ok = false }
}

#include "calls.pml"

/* ---- the consumer ---- */

/* A record stays as it is from its first word's publication until its room is given back: the consumer may read it in the
 * step that clears it. That commutes with all that contexts do but the read of the tail. */
inline read_record() {
    if
    :: first[AT(tail)] == LONG_RECORD -> words = LONG_CELLS; missing--
    :: first[AT(tail)] == LOSS_RECORD -> words = LOSS_CELLS; missing = missing - first[AT(tail + 1)]
    :: first[AT(tail)] == EVENT_RECORD -> words = 1; missing--
    :: first[AT(tail)] == PAIR_RECORD -> words = 1
    fi; /* stops at anything else */
    i = 0;
    do
    :: i < words ->
        assert(first[AT(tail + i)] != NOTHING && second[AT(tail + i)] != 0); /* complete */
        i++
    :: else -> break
    od;
    i = 0
}

inline clear(start) {
    do
    :: i < words -> first[AT(start + i)] = NOTHING; second[AT(start + i)] = 0; i++
    :: else -> break
    od;
    i = 0
}

active proctype consumer() {
    byte words, i;
    do
#if BREAK == 6 /* the room is given back before it is zero */
    :: d_step { CONSUMER_RUNS && first[AT(tail)] != NOTHING -> read_record(); tail = tail + words };
       d_step { clear(tail - words); words = 0 }
#else
    :: d_step { CONSUMER_RUNS && first[AT(tail)] != NOTHING -> read_record(); clear(tail); tail = tail + words; words = 0 }
#endif
#if ATTENTIONS
    :: d_step { attentions > 0; attentions--; late = true } /* the clock passes the limit, or another core asks */
#endif
    :: atomic { ALL_RETURNED && !elsewhere && first[AT(tail)] == NOTHING ->
           /* All committed events were read, none is missing, and each loss will be reported. */
           assert(head == tail && taken == 0 && collected == 0);
           assert(missing == lost);
           assert((lost == 0 && !restate) || late);
#ifdef LEAVES
           assert(promised + orphans == zones);
#else
#ifndef DOUBLE_ENDS
           assert(promised == zones);
#endif
#endif
           break
       }
    od
}

/* A zone ends on another core, which takes the promise back. */
#ifdef ENDS_ELSEWHERE
active proctype other_core() {
    byte times = ENDS_ELSEWHERE;
#ifdef LEAVES
#define TAKE_ORPHAN d_step { has = orphans > 0; if :: has -> orphans-- :: else fi }
#define TAKE_BACK                                                                                                      \
    d_step { has = promised >= 1; if :: has -> promised--; taken++ :: else fi };                                       \
    d_step { if :: has -> room++; taken-- :: else fi }
    bool has;
end:do
    :: atomic { times > 0 && zones > 0 -> times--; zones--; elsewhere = true };
       TAKE_BACK;
       if :: !has -> TAKE_ORPHAN :: has fi;
#if BREAK != 8
       if :: !has -> TAKE_BACK :: has fi;
       if :: !has -> TAKE_ORPHAN :: has fi;
#endif
       d_step { assert(has); has = false; elsewhere = false }
    od
#else
end:do
    :: atomic { times > 0 && zones > 0 -> times--; zones--; elsewhere = true };
       d_step { assert(promised > 0); promised--; taken++ };
       d_step { room++; taken--; elsewhere = false }
    od
#endif
}
#endif
