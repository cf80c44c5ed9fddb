/* Model of runtime/src/ring_atomic.c: reservations by atomic additions, and a consumer that runs at any time.
 *
 * Each load, store and read-modify-write of a word that another context or the consumer can see is a step of its own.
 * Room, head and tail count cells of two words. The functions have the names of those in C.
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

#define MASKED false
#define LOCALS                                                                                                         \
    bool ok, due, lossy, won;                                                                                          \
    byte need, events, start, i, seen, free_to, losses;                                                                \
    short freed;

/* ---- the lane ---- */

#ifdef IN_USE
/* In use, with two unread records and little room. */
short room = 2;
byte head = 6, tail, tail_seen = CELLS;
bool late;
#else
/* All zero, as it was never used; its limit lies in the past. */
short room;
byte head, tail, tail_seen; /* count on modulo 256 */
bool late = true;
#endif
byte lost;
#ifdef INTERRUPT
byte muted;
#endif
#ifdef STOP
bool stopped;
#endif

/* ---- the ring: what the two words of each cell hold ---- */

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

#define AT(index) ((index) % CELLS)

/* ---- ghost state: the code has none of it ---- */

short taken;     /* room that contexts took and have not used yet */
short collected; /* room that contexts collected and have not added yet */
byte promised;   /* cells promised to ends of zones and to returns of interrupts */
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

inline take_room(cells) {
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

/* The room that the consumer has freed since somebody collected some goes to exactly one context. */
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

inline make_room(cells) {
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
    take_room(cells)
}

/* ---- records ---- */

inline take_place(cells, promises, from_promise) {
    d_step {
        here;
        start = head;
        head = head + cells;
        if
        :: from_promise ->
            assert(promised >= cells); /* an end finds the room that its begin promised */
            promised = promised - cells
        :: else ->
            taken = taken - cells - promises;
            promised = promised + promises
        fi;
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
        :: operation == BEGIN && record == EVENT_RECORD -> open++; missing-- /* the end counts when it is called */
        :: record == LOSS_RECORD -> first[AT(start + 1)] = losses; losses = 0
        :: else
        fi;
        i = 0;
        start = 0
    }
}

inline write_pair(record, promises, from_promise) {
    take_place(1, promises, from_promise);
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
        take_place(LOSS_CELLS, 0, false);
        write_record(LOSS_RECORD, LOSS_CELLS)
    fi
}

inline calm() {
    d_step { here; late = false }
#ifdef STOP
    ; d_step { here; if :: stopped -> late = true :: else fi }
#endif
}

#define DUES (DUES_CELLS + (lossy -> LOSS_CELLS + REOPEN_CELLS : 0))

inline write_dues() {
    d_step { here; lossy = lost != 0 };
    take_room(DUES);
    if
    :: !ok -> make_room(DUES)
    :: ok
    fi;
    if
    :: ok ->
        write_pair(PAIR_RECORD, 0, false);
#if BREAK != 4
        calm();
#endif
        if
        :: lossy ->
            give_room(REOPEN_CELLS);
            write_loss()
        :: !lossy ->
            d_step { here; if :: lost != 0 -> late = true :: else fi }
        fi;
#if BREAK == 4 /* calm undoes the attention that a nested loss asked for */
        calm();
#endif
        write_pair(PAIR_RECORD, 0, false)
    :: !ok
    fi;
    lossy = false
}

/* ok: "need" cells of room are taken. */
inline take_slow() {
    d_step { here; due = late; ok = true };
#ifdef INTERRUPT
    d_step { here; ok = muted == 0 };
#endif
    if
    :: ok && due -> write_dues()
    :: !ok || !due
    fi;
    due = false;
    if
    :: ok ->
        take_room(need);
        if
        :: !ok -> make_room(need)
        :: ok
        fi
    :: !ok
    fi;
    if
    :: !ok -> count_lost(events)
    :: ok
    fi
}

/* A refused begin counts for two. The count of what is emitted begins with the call. */
inline take(cells, count) {
    d_step {
        here;
        need = cells;
        events = count;
        missing = missing + events;
        due = late
    };
    if
    :: !due -> take_room(need)
    :: due -> ok = false
    fi;
    if
    :: ok
    :: !ok -> take_slow()
    fi;
    d_step { due = false; events = 0; need = 0 }
}

/* ---- calls ---- */

inline zone_begin() {
    take(2, 2);
    if
    :: ok ->
#if BREAK == 3 /* the end is not promised */
        give_room(1);
        write_pair(EVENT_RECORD, 0, false)
#else
        write_pair(EVENT_RECORD, 1, false)
#endif
    :: !ok
    fi
}

inline zone_end() {
    d_step { here; missing++ };
    write_pair(EVENT_RECORD, 0, true)
}

inline ring_short() {
    take(1, 1);
    if
    :: ok -> write_pair(EVENT_RECORD, 0, false)
    :: !ok
    fi
}

inline ring_long() {
    take(LONG_CELLS, 1);
    if
    :: ok ->
        take_place(LONG_CELLS, 0, false);
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
    :: operation == 0
    fi;
    d_step { ok = false; operation = 0 }
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
    :: atomic { ALL_RETURNED && first[AT(tail)] == NOTHING -> break }
    od;
    /* All that was committed was read, nothing is missing, and what is lost will be reported. */
    atomic {
        assert(head == tail);
        assert(taken == 0 && collected == 0 && promised == open);
        assert(missing == lost);
        assert(lost == 0 || late)
    }
}
