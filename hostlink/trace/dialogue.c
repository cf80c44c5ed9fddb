#include "trace/dialogue.h"

#include "base/host_clock.h"
#include "trace/pipeline.h"

/* A board that is heard answers pings, so silence means that it is not there, or was reset and waits. */
#define SILENCE_NS (2 * NS_PER_S)
#define HELLO_EVERY_NS NS_PER_S
#define NAMES_EVERY_NS (NS_PER_S / 2)
/* The first pings come quickly, for a first fit of the clock; later ones follow its drift. */
#define QUICK_PINGS 8u
#define QUICK_PING_EVERY_NS (100 * NS_PER_MS)
#define PING_EVERY_NS NS_PER_S

/* True if the board cannot know that a host is there: at the start, and when it was reset. */
static bool look(struct dialogue *dialogue, const struct dialogue_view *view, uint64_t now_ns) {
    bool stranger =
        !dialogue->started || (dialogue->sessions > 0 && view->sessions > dialogue->sessions);
    dialogue->started = true;
    dialogue->sessions = view->sessions;
    if (view->frames != dialogue->frames) {
        dialogue->frames = view->frames;
        dialogue->heard_ns = now_ns;
    }
    return stranger;
}

static bool is_heard(const struct dialogue *dialogue, uint64_t now_ns) {
    return dialogue->frames > 0 && now_ns - dialogue->heard_ns < SILENCE_NS;
}

static size_t say_hello(struct dialogue *dialogue, uint64_t now_ns, uint8_t *out, size_t size) {
    dialogue->hello_ns = now_ns + HELLO_EVERY_NS;
    /* It makes the board send its names: ask for them only if they do not come. */
    dialogue->names_ns = now_ns + NAMES_EVERY_NS;
    return command_hello(out, size);
}

/* The cookie is the time of sending: with the time at which the answer is recorded, the capture file
 * holds both ends of the round trip. */
static size_t ping(struct dialogue *dialogue, uint64_t now_ns, uint8_t *out, size_t size) {
    bool quick = dialogue->pings < QUICK_PINGS;
    dialogue->ping_ns = now_ns + (quick ? QUICK_PING_EVERY_NS : PING_EVERY_NS);
    dialogue->open[dialogue->pings++ % DIALOGUE_PINGS_OPEN] = now_ns;
    return command_ping(out, size, now_ns);
}

size_t dialogue_next(struct dialogue *dialogue, const struct dialogue_view *view, uint64_t now_ns,
                     uint8_t *out, size_t size) {
    bool stranger = look(dialogue, view, now_ns);
    bool heard = is_heard(dialogue, now_ns);
    if (stranger || (!heard && now_ns >= dialogue->hello_ns)) {
        return say_hello(dialogue, now_ns, out, size);
    }
    if (heard && view->wants_names && now_ns >= dialogue->names_ns) {
        dialogue->names_ns = now_ns + NAMES_EVERY_NS;
        return command_get_names(out, size);
    }
    if (heard && now_ns >= dialogue->ping_ns) {
        return ping(dialogue, now_ns, out, size);
    }
    return 0;
}

bool dialogue_pong(struct dialogue *dialogue, uint64_t cookie, uint64_t now_ns) {
    for (size_t i = 0; i < DIALOGUE_PINGS_OPEN; i++) {
        if (cookie != 0 && dialogue->open[i] == cookie && now_ns >= cookie) {
            dialogue->open[i] = 0;
            dialogue->last_ns = now_ns - cookie;
            if (dialogue->pongs == 0 || dialogue->last_ns < dialogue->best_ns) {
                dialogue->best_ns = dialogue->last_ns;
            }
            dialogue->pongs++;
            return true;
        }
    }
    return false;
}
