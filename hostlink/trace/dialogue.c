/* SPDX-License-Identifier: MIT */
#include "trace/dialogue.h"

#include "base/host_clock.h"
#include "trace/pipeline.h"
#include "wire/command.h"

/* A board that is heard answers pings, so silence means that it is not there, or was reset and
 * waits. */
#define SILENCE_NS (2 * NS_PER_S)
#define HELLO_EVERY_NS NS_PER_S
#define NAMES_EVERY_NS (NS_PER_S / 2)
/* The first pings come quickly, for a first fit of the clock; later ones follow its drift. */
#define QUICK_PINGS 8u
#define QUICK_PING_EVERY_NS (100 * NS_PER_MS)
#define PING_EVERY_NS (200 * NS_PER_MS)
/* Pings are later by a pseudo-random time up to this: a board that looks for commands once a period is then asked at
 * any place of it, so that now and then a ping waits for next to nothing. */
#define PING_SPREAD_NS UINT64_C(0x3ffffff)

/* If an answer comes this fast, so many pings follow it: both sides are awake by then. A board that looks for
 * commands once a period takes each a bit sooner, as each ping is later by a part of the time that the one before
 * took beyond half of the best. On a slower line they would take room that events need. */
#define TRAIN_NS (3 * NS_PER_MS)
#define TRAIN_FOLLOWS 7u
/* And so many more until one of them took at most a quarter more than the best: other work of either
 * side is in the way. */
#define LOOSE_FOLLOWS 8u

/* The processor time that an answer is worth: with all pings of all trains a thirtieth of one processor. */
#define WATCH_NS NS_PER_MS

/* An answer comes within this, or takes longer than is worth waiting for: a board reads commands
 * between other work. */
#define ANSWER_NS (100 * NS_PER_MS)
/* The names of parameters are requested this often, in case the greeting or the answer was lost;
 * after that, the board has no parameters. */
#define SEARCHES_MAX 16u
/* Twice as long from one to the next, up to this: a slow line needs its time for all names. */
#define SEARCH_WAIT_NS NS_PER_S
#define SEARCH_DOUBLINGS 3u

/* True if the board cannot know that a host is there: at the start, and when it was reset. */
static bool look(struct dialogue *dialogue, const struct dialogue_view *view, uint64_t now_ns) {
    bool stranger =
        !dialogue->started || (dialogue->sessions > 0 && view->sessions > dialogue->sessions);
    dialogue->started = true;
    dialogue->sessions = view->sessions;
    if (view->packets != dialogue->packets) {
        dialogue->packets = view->packets;
        dialogue->heard_ns = now_ns;
        dialogue->free_ns = dialogue->greeting ? 0 : dialogue->free_ns;
        dialogue->greeting = false;
    }
    return stranger;
}

static bool is_heard(const struct dialogue *dialogue, uint64_t now_ns) {
    return dialogue->packets > 0 && now_ns - dialogue->heard_ns < SILENCE_NS;
}

static size_t say_hello(struct dialogue *dialogue, uint64_t now_ns, uint8_t *out, size_t size) {
    dialogue->greeting = true;
    dialogue->hello_ns = now_ns + HELLO_EVERY_NS;
    /* It makes the board send its names: ask for them only if they do not come. */
    dialogue->names_ns = now_ns + NAMES_EVERY_NS;
    return command_hello(out, size);
}

/* The mixer of splitmix64 (Steele, Lea, Flood, Fast Splittable Pseudorandom Number Generators, 2014). */
static uint64_t mixed(uint64_t x) {
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* The cookie is the time of sending: with the time at which the answer is recorded, the capture
 * file holds both ends of the round trip. */
static size_t ping(struct dialogue *dialogue, uint64_t now_ns, uint8_t *out, size_t size) {
    if (!dialogue->follows) {
        dialogue->trains++;
        dialogue->follow = TRAIN_FOLLOWS + LOOSE_FOLLOWS;
        dialogue->delay_ns = 0;
        dialogue->loose = true;
    }
    dialogue->follows = false;
    const bool quick = dialogue->trains <= QUICK_PINGS;
    const uint64_t spread_ns = mixed(now_ns) & PING_SPREAD_NS;
    dialogue->ping_ns = now_ns + (quick ? QUICK_PING_EVERY_NS : PING_EVERY_NS + spread_ns);
    dialogue->open[dialogue->pings++ % DIALOGUE_PINGS_OPEN] = now_ns;
    return command_ping(out, size, now_ns);
}

static bool searches(struct dialogue *dialogue, const struct dialogue_view *view, uint64_t now_ns) {
    bool due = view->wants_params && dialogue->searches < SEARCHES_MAX &&
               now_ns >= dialogue->search_ns && now_ns >= dialogue->names_ns;
    if (due) {
        const unsigned doublings =
            dialogue->searches < SEARCH_DOUBLINGS ? dialogue->searches : SEARCH_DOUBLINGS;
        dialogue->search_ns = now_ns + (SEARCH_WAIT_NS << doublings);
        dialogue->searches++;
    }
    return due;
}

/* Chooses the command for a board that is heard. */
static size_t say(struct dialogue *dialogue, const struct dialogue_view *view, uint64_t now_ns,
                  uint8_t *out, size_t size) {
    if ((view->wants_names && now_ns >= dialogue->names_ns) || searches(dialogue, view, now_ns)) {
        dialogue->names_ns = now_ns + NAMES_EVERY_NS;
        return command_get_names(out, size);
    }
    if (now_ns >= dialogue->ping_ns) {
        return ping(dialogue, now_ns, out, size);
    }
    return params_next(&dialogue->params, now_ns, out, size);
}

size_t dialogue_next(struct dialogue *dialogue, const struct dialogue_view *view, uint64_t now_ns,
                     uint8_t *out, size_t size) {
    size_t length = 0;
    bool stranger = look(dialogue, view, now_ns);
    bool heard = is_heard(dialogue, now_ns);
    if (stranger || (!heard && now_ns >= dialogue->hello_ns)) {
        length = say_hello(dialogue, now_ns, out, size);
    } else if (heard && now_ns >= dialogue->free_ns) {
        length = say(dialogue, view, now_ns, out, size);
    }
    if (length > 0) {
        dialogue->free_ns = now_ns + ANSWER_NS;
        dialogue->sent_ns = now_ns;
        dialogue->ended = false;
    }
    return length;
}

void dialogue_param(struct dialogue *dialogue, uint32_t index, const char *name, int32_t value,
                    int32_t minimum, int32_t maximum) {
    if (params_answered(&dialogue->params, index, name, value, minimum, maximum)) {
        dialogue->free_ns = 0;
    }
}

void dialogue_restart(struct dialogue *dialogue) {
    params_forget(&dialogue->params);
    dialogue->searches = 0;
}

/* The next ping of a train. The first one of it does not show when the board looks next. */
static void go_on(struct dialogue *dialogue, uint64_t now_ns) {
    const unsigned follow = dialogue->follow;
    dialogue->loose = dialogue->loose && dialogue->last_ns > dialogue->best_ns * 5 / 4;
    if (dialogue->last_ns >= TRAIN_NS || follow == 0 ||
        (follow <= LOOSE_FOLLOWS && !dialogue->loose)) {
        return;
    }
    if (follow <= LOOSE_FOLLOWS) {
        dialogue->delay_ns = 0;
    } else if (follow < TRAIN_FOLLOWS + LOOSE_FOLLOWS) {
        dialogue->delay_ns += (dialogue->last_ns - dialogue->best_ns / 2) * 3 / 4;
    }
    dialogue->follow--;
    dialogue->follows = true;
    dialogue->ping_ns = now_ns + dialogue->delay_ns;
}

uint64_t dialogue_watch_ns(const struct dialogue *dialogue) {
    return dialogue_awaits(dialogue) && dialogue->pongs != 0 && dialogue->best_ns < WATCH_NS
               ? dialogue->open[(dialogue->pings - 1) % DIALOGUE_PINGS_OPEN] + WATCH_NS
               : 0;
}

bool dialogue_pong(struct dialogue *dialogue, uint64_t cookie, uint64_t now_ns) {
    for (size_t i = 0; i < DIALOGUE_PINGS_OPEN; i++) {
        if (cookie != 0 && dialogue->open[i] == cookie && now_ns >= cookie) {
            dialogue->ended = cookie == dialogue->sent_ns;
            dialogue->open[i] = 0;
            dialogue->free_ns = 0;
            dialogue->last_ns = now_ns - cookie;
            if (dialogue->pongs == 0 || dialogue->last_ns < dialogue->best_ns) {
                dialogue->best_ns = dialogue->last_ns;
            }
            dialogue->pongs++;
            go_on(dialogue, now_ns);
            return true;
        }
    }
    return false;
}
