/* SPDX-License-Identifier: MIT */
/* A firmware that does everything at random, to make captures with odd cases: full rings, interrupts,
 * tasks, more places than the encoder has slots, every payload, extreme values, steps of the clock.
 *   record_cases SEED STEPS FILE
 * writes the capture and prints how many events the firmware emitted, counted by its calls. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kymo/kymo.h"
#include "kymo_arch.h"
#include "record/payload.h"
#include "record_random.h"
#include "ring/ring.h"
#include "send/link.h"

#define CAPTURE_BYTES (8u << 20)
#define DEPTH_MAX 12u
#define LANES 2u
#define TASKS 2u /* of each lane, to begin with: they move */
#define INTERRUPTS 3u
#define ZONES 80u

/* One array, so that a context is site 0. */
enum { FIRST_INTERRUPT = 0, FIRST_ZONE = INTERRUPTS, FIRST_OTHER = INTERRUPTS + ZONES };
enum {
    PLOT_A = FIRST_OTHER,
    PLOT_B,
    PLOT_C,
    FRAME_MAIN,
    FRAME_NAMED,
    POOL,
    STRING,
    FLOW,
    FLOW_UNNAMED,
    FIRST_MESSAGE
};
#define MESSAGES 9u
#define SITES (FIRST_MESSAGE + MESSAGES)

/* The shortest length allowed. */
#define X32 "0123456789abcdef0123456789ABCDEF"
#define LONGER_THAN_A_PACKET X32 X32 X32 X32 X32 X32

static const struct kymo_site sites[SITES]
    __attribute__((section("kymo_sites"), aligned(8), used)) = {
        SITE(KYMO_SITE_CONTEXT, "timer", KYMO_CONTEXT_INTERRUPT),
        SITE(KYMO_SITE_CONTEXT, "radio", KYMO_CONTEXT_INTERRUPT),
        SITE(KYMO_SITE_CONTEXT, "dma \"0\"", KYMO_CONTEXT_INTERRUPT),
        ZONE_SITES_10,
        ZONE_SITES_10,
        ZONE_SITES_10,
        ZONE_SITES_10,
        ZONE_SITES_10,
        ZONE_SITES_10,
        ZONE_SITES_10,
        ZONE_SITES_10,
        SITE(KYMO_SITE_PLOT, "whole", 0u),
        SITE(KYMO_SITE_PLOT, "single", KYMO_PLOT_PERCENT),
        SITE(KYMO_SITE_PLOT, "double", KYMO_PLOT_STEP),
        SITE(KYMO_SITE_FRAME, NULL, 0u),
        SITE(KYMO_SITE_FRAME, "cycle", 0u),
        SITE(KYMO_SITE_POOL, "heap", 0u),
        SITE(KYMO_SITE_STRING, "constant \\ text" LONGER_THAN_A_PACKET, 0u),
        SITE(KYMO_SITE_FLOW, "jobs", 0u),
        SITE(KYMO_SITE_FLOW, NULL, 0u),
        SITE(KYMO_SITE_MESSAGE, "no argument, 100 %%", 0u),
        SITE(KYMO_SITE_MESSAGE, "%d %u %lld %llu %f %s %s %p", 0x87654321u),
        SITE(KYMO_SITE_MESSAGE, "%g %e", 0x59u),
        SITE(KYMO_SITE_MESSAGE, "%8.2f|%-8d|%+d|%08x|%o|%.3d", 0x122115u),
        SITE(KYMO_SITE_MESSAGE, "%*d|%.*s|%.3s|%6s|%hd|%hhu", 0x21666111u),
        SITE(KYMO_SITE_MESSAGE, "%lld %llx %llo", 0x333u),
        SITE(KYMO_SITE_MESSAGE, "%x %u %o %X %hhx %hhd", 0x111111u),
        SITE(KYMO_SITE_MESSAGE, "<%s> <%s> <%s>", 0x666u),
        SITE(KYMO_SITE_MESSAGE, "%20p|%-20p|%5c|%-5c|", 0x1188u),
};

/* A context and the zones that are open in it. */
struct running {
    kymo_context context;
    kymo_zone open[DEPTH_MAX];
    struct kymo_lane *owner[DEPTH_MAX]; /* of a function that is open */
    uintptr_t function[DEPTH_MAX];      /* 0: not a function */
    uint32_t depth;
};

static struct running mains[LANES], tasks[LANES][TASKS];
static struct running *current[LANES];
static uint64_t emitted;
static uint8_t capture[CAPTURE_BYTES];
static size_t capture_bytes;
static bool choked;

static void advance(void);

static size_t link_write(void *context, const uint8_t *bytes, size_t length) {
    (void)context;
    size_t part = below(4u) == 0u ? below((uint32_t)length + 1u) : length;
    if (capture_bytes + part > CAPTURE_BYTES) {
        fprintf(stderr, "record_cases: the capture is longer than its buffer\n");
        exit(1);
    }
    memcpy(capture + capture_bytes, bytes, part);
    capture_bytes += part;
    return part;
}

static void begin(struct running *r) {
    if (r->depth < DEPTH_MAX) {
        /* Mostly places near each other, as in real code. */
        uint32_t place = below(3u) == 0u ? below(ZONES) : r->depth * 3u + below(3u);
        r->function[r->depth] = 0u;
        r->owner[r->depth] = NULL;
#if KYMO_FUNCTIONS
        if (below(3u) == 0u) {
            const uintptr_t far = below(4u) == 0u ? (uintptr_t)0x7f00u << 32 : 0u;
            r->function[r->depth] = far + 0x80000000u + 0x40u * place;
            r->open[r->depth] = NULL;
            r->owner[r->depth] = kymo_ring_function_begin(r->function[r->depth]);
            r->depth++;
            emitted += 2u;
            return;
        }
#endif
        r->open[r->depth++] = kymo_zone_begin(&sites[(uint32_t)FIRST_ZONE + place]);
        emitted += 2u;
    }
}

static void end(struct running *r) {
    if (r->depth == 0u) {
        return;
    }
    r->depth--;
#if KYMO_FUNCTIONS
    if (r->function[r->depth] != 0u) {
        kymo_ring_function_end(r->owner[r->depth], r->function[r->depth],
                               below(4u) == 0u ? KYMO_KIND_FUNCTION_LEFT : KYMO_KIND_FUNCTION_END);
        return;
    }
#endif
    kymo_zone_end(r->open[r->depth]);
}

static void end_all(struct running *r) {
    while (r->depth != 0u) {
        end(r);
        advance();
    }
}

static void attribute(const struct running *r) {
    kymo_zone zone = r->depth == 0u ? NULL : r->open[r->depth - 1u];
    const char *text = any_text();
    if (zone == NULL) {
        return;
    }
    emitted++;
    const uint32_t words[2] = {(uint32_t)any_number(), (uint32_t)any_number()};
    switch (below(6u)) {
    case 4:
        (void)kymo_ring_long(KYMO_KIND_ZONE_COUNT, kymo_site_reference(&sites[STRING]), words,
                             below(2u));
        break;
    case 0:
        kymo_zone_text(zone, text, strlen(text));
        break;
    case 3:
        (void)kymo_ring_long(KYMO_KIND_ZONE_COUNTERS, 0u, words, 1u + below(2u));
        break;
    case 1:
        kymo_zone_name(zone, text, strlen(text));
        break;
    case 2:
        kymo_zone_value(zone, any_number());
        break;
    default:
        kymo_zone_color(zone, (uint32_t)any_number() & 0xffffffu);
        break;
    }
}

static uint64_t argument(uint32_t class) {
    switch (class) {
    case KYMO_ARG_DOUBLE:
        return kymo_word_double(any_double());
    case KYMO_ARG_FLOAT:
        return kymo_word_float((float)any_double());
    case KYMO_ARG_STRING:
        return (uint64_t)(uintptr_t)any_text();
    case KYMO_ARG_SITE:
        return (uint64_t)(uintptr_t)&sites[STRING];
    default:
        return any_number();
    }
}

static void message(void) {
    uint32_t number = below(MESSAGES);
    const struct kymo_site *site = &sites[(uint32_t)FIRST_MESSAGE + number];
    uint64_t values[8] = {0};
    for (uint32_t i = 0; i < 8u; i++) {
        values[i] = argument(site->detail >> (4u * i) & 15u);
    }
    if (number == 4u) { /* width and precision */
        values[0] = (uint64_t)(int64_t)(int32_t)(below(25u)) - 12u;
        values[2] = (uint64_t)(int64_t)(int32_t)(below(9u)) - 4u;
    } else if (number == 8u) { /* characters */
        values[2] = 'a' + below(26u);
        values[3] = 'A' + below(26u);
    }
    kymo_message(site, values);
    emitted++;
}

static void plot(void) {
    switch (below(3u)) {
    case 0:
        kymo_plot_int(&sites[PLOT_A], (int64_t)any_number());
        break;
    case 1:
        kymo_plot_float(&sites[PLOT_B], (uint32_t)kymo_word_float((float)any_double()));
        break;
    default:
        kymo_plot_double(&sites[PLOT_C], kymo_word_double(any_double()));
        break;
    }
    emitted++;
}

static void memory(void) {
    const void *address = (const void *)(uintptr_t)any_number();
    if (below(2u) == 0u) {
        kymo_alloc(&sites[POOL], address, (size_t)any_number());
    } else {
        kymo_free(&sites[POOL], address);
    }
    emitted++;
}

static void packet(void) {
    switch (below(3u)) {
    case 0:
        kymo_frame(&sites[FRAME_MAIN]);
        break;
    case 1:
        kymo_frame_start(&sites[FRAME_NAMED]);
        break;
    default:
        kymo_frame_end(&sites[FRAME_NAMED]);
        break;
    }
    emitted++;
}

static void info(void) {
    const char *text = any_text();
    kymo_app_info(text, strlen(text));
    emitted++;
}

static void object(void) {
    static const enum kymo_object_class classes[] = {KYMO_OBJECT_LOCK,  KYMO_OBJECT_LOCK,
                                                     KYMO_OBJECT_QUEUE, KYMO_OBJECT_TASK,
                                                     KYMO_OBJECT_TIMER, KYMO_OBJECT_LOCK};
    const uint64_t identity = any_object();
    if (below(3u) == 0u) {
        kymo_object_event(KYMO_KIND_OBJECT_END, identity);
        emitted++;
    } else {
        kymo_object(identity, classes[below(6u)], any_text(),
                    below(2u) == 0u ? NULL : &sites[FIRST_ZONE]);
    }
}

/* Events of a kernel, in any order. */
static void kernel(void) {
    static const enum kymo_event_kind kinds[] = {KYMO_KIND_TASK_READY,    KYMO_KIND_TASK_PRIORITY,
                                                 KYMO_KIND_TASK_STACK,    KYMO_KIND_TASK_WAITS,
                                                 KYMO_KIND_OBJECT_PUT,    KYMO_KIND_OBJECT_GET,
                                                 KYMO_KIND_TASK_SUSPENDED};
    enum kymo_event_kind kind = kinds[below(7u)];
    const uint64_t identity = any_object();
    const bool of_object = ((uint32_t)kind & KYMO_KIND_HAS_OBJECT) != 0u;
    const uint32_t words[2] = {below(3u) == 0u ? 0u : below(5000u),
                               of_object ? (uint32_t)(identity >> 32) : below(3u)};
    kind = kind == KYMO_KIND_TASK_STACK && words[1] != 0u ? KYMO_KIND_TASK_PERIOD : kind;
    (void)kymo_ring_long(
        kind, of_object ? (uint32_t)identity : (uint32_t)tasks[below(LANES)][below(TASKS)].context,
        words, ((uint32_t)kind & KYMO_KIND_HAS_WORDS) != 0u ? kymo_trimmed(words, 2u) : 0u);
    emitted += KYMO_KIND_IS_COUNTED(kind) ? 1u : 0u;
}

/* In any order, so that holds overlap and lack their begins and ends. */
static void lock(void) {
    static const enum kymo_event_kind kinds[] = {
        KYMO_KIND_LOCK_WAIT,        KYMO_KIND_LOCK_OBTAIN,        KYMO_KIND_LOCK_RELEASE,
        KYMO_KIND_LOCK_WAIT_SHARED, KYMO_KIND_LOCK_OBTAIN_SHARED, KYMO_KIND_LOCK_RELEASE_SHARED};
    kymo_object_event(kinds[below(6u)], any_object());
    emitted++;
    if (below(8u) == 0u) {
        object();
    }
}

/* Two alternate, so that one waits for the other; the bytes of one take several packets. */
static void large(void) {
#if KYMO_LARGE
    static const uint8_t bytes[3000] = {1u, 0u, 2u};
    static struct kymo_large things[] = {
        {.bytes = "a picture", .length = 9u, .name = "camera \"1\"", .type = 1u},
        {.bytes = bytes, .length = sizeof bytes, .type = 2u},
    };
    emitted += kymo_large_send(&things[below(2u)]) ? 1u : 0u;
#endif
}

/* In any order, so that ids come again, and starts and ends lack each other. */
static void flow(void) {
    static const enum kymo_event_kind kinds[] = {KYMO_KIND_FLOW_SEND, KYMO_KIND_FLOW_STEP,
                                                 KYMO_KIND_FLOW_RECEIVE, KYMO_KIND_ASYNC_BEGIN,
                                                 KYMO_KIND_ASYNC_END};
    const uint64_t far = below(3u) == 0u ? (uint64_t)1u << 40 : 0u;
    kymo_flow(kinds[below(5u)], &sites[FLOW + below(2u)], far + below(4u));
}

/* Events that only Tracy's markup sends. */
static void markup(void) {
    const char *text = any_text();
    const struct kymo_text given = {text, strlen(text)};
    const uint32_t color = (uint32_t)any_number() & 0xffffffu;
    switch (below(7u)) {
    case 0:
        kymo_message_text(&sites[FIRST_MESSAGE], below(2u) == 0u ? &given : NULL, color, 0u);
        break;
    case 1:
        kymo_plot_config(&sites[PLOT_A], below(4u), color);
        break;
    case 2:
        kymo_memory_discard(&sites[POOL]);
        break;
    case 3:
        kymo_object_name(any_object(), &given);
        break;
    case 4:
    case 5:
        flow();
        break;
    default:
        kymo_lock_mark(any_object(), &sites[FIRST_ZONE]);
        break;
    }
    emitted++;
}

static void change_clock(void) {
#if KYMO_CLOCK_CHANGES
    if (below(2u) == 0u) {
        kymo_clock_rate(below(4u) == 0u ? 0u : 1u + below(1000000000u));
    } else {
        (void)kymo_clock_slept(below(100000u), 32768u);
    }
#endif
}

static void switch_task(void) {
    struct running *next = below(3u) == 0u ? &mains[fake.lane] : &tasks[below(LANES)][below(TASKS)];
    for (uint32_t lane = 0; lane < LANES; lane++) {
        if (next == current[lane]) { /* it runs there */
            return;
        }
    }
    current[fake.lane] = next;
    (void)kymo_context_switch(next->context);
    emitted++;
}

static void name_task(void) {
    uint32_t number = below(TASKS);
    char name[16];
    (void)snprintf(name, sizeof name, "task %u.%u", (unsigned)fake.lane, (unsigned)number);
    kymo_context_name(tasks[fake.lane][number].context, KYMO_CONTEXT_TASK, name);
}

/* Ends everything that it has open. The event of each end was counted at the begin. */
static void forget(struct running *r) {
    while (r->depth != 0u) {
        r->depth--;
        emitted -= r->open[r->depth] != NULL || r->owner[r->depth] != NULL ? 1u : 0u;
#if KYMO_FUNCTIONS
        if (r->function[r->depth] != 0u) {
            kymo_ring_function_left(r->owner[r->depth]);
        }
#endif
    }
}

static bool runs_elsewhere(const struct running *r) {
    bool runs = false;
    for (uint32_t lane = 0; lane < LANES; lane++) {
        runs = runs || (lane != fake.lane && r == current[lane]);
    }
    return runs;
}

/* By itself, or by another while it does not run. The next one gets its number. */
static void end_task(void) {
    struct running *r = &tasks[below(LANES)][below(TASKS)];
    if (runs_elsewhere(r) || (r->depth != 0u && KYMO_CONTEXTS == 0)) {
        return;
    }
    kymo_context_end(r->context);
    emitted++;
    forget(r);
    if (r == current[fake.lane]) {
        current[fake.lane] = &mains[fake.lane];
        (void)kymo_context_switch(0u);
        emitted++;
    }
}

#include "record_stacks.h"

static void one_event(struct running *r) {
    static void (*const rare[])(void) = {message, plot, memory, packet, info, lock, markup, kernel};
    uint32_t choice = below(KYMO_CLOCK_CHANGES ? 18u : 19u); /* tasks are not what its case is of */
    if (KYMO_CALLSTACKS != 0 && below(8u) == 0u) {
        call_stack();
    }
    if (below(12u) == 0u) {
        sample();
        return;
    }
    if (choice < 5u) {
        begin(r);
    } else if (choice < 9u) {
        end(r);
    } else if (choice < 11u) {
        attribute(r);
    } else {
        rare[choice - 11u]();
    }
}

static void interrupt(uint32_t nesting) {
    struct running r = {.context = (kymo_context)&sites[FIRST_INTERRUPT + nesting]};
    kymo_context before = kymo_context_switch(r.context);
    uint32_t events = below(6u);
    for (uint32_t i = 0; i < events; i++) {
        advance();
        one_event(&r);
        if (nesting + 1u < INTERRUPTS && below(8u) == 0u) {
            interrupt(nesting + 1u);
        }
    }
    end_all(&r);
    (void)kymo_context_switch(before);
    emitted += 2u;
}

/* Mostly a small step; at times none, and up to the largest delta. */
static void advance(void) {
    static const uint64_t steps[] = {0u, 1u, 255u, 65536u, 0x3fffffffu, 0x7ffffff0u, 0xfffffff0u};
    uint32_t count = sizeof(kymo_clock_t) == 8u ? 7u : 5u;
    fake.clock += below(200u) == 0u ? steps[below(count)] : below(100u);
    kymo_clock_keepalive();
}

static void step(void) {
    uint32_t choice = below(40u);
    advance();
    if (choice == 0u) {
        switch_task();
    } else if (choice == 1u) {
        name_task();
    } else if (choice == 2u) {
        fake.lane = below(LANES);
    } else if (choice < 6u) {
        interrupt(below(INTERRUPTS));
    } else if (choice == 7u) {
        end_task();
    } else if (choice == 8u) {
        large();
    } else if (choice == 9u && below(8u) == 0u) {
        change_clock();
    } else {
        one_event(current[fake.lane]);
    }
    choked = below(500u) == 0u ? !choked : choked;
    if (!choked && below(4u) == 0u) {
        (void)kymo_drain(below(2u) == 0u ? 0u : 1u + below(600u));
    }
}

static void prepare(void) {
    fake_reset();
    fake.clock = below(1000000u);
    fake.clock_hz = 1000000000u;
    for (uint32_t lane = 0; lane < LANES; lane++) {
        current[lane] = &mains[lane];
        for (uint32_t i = 0; i < TASKS; i++) {
            tasks[lane][i].context = (kymo_context)0x500000000u + 8u * (1u + TASKS * lane + i);
        }
    }
}

/* Ends everything open, with a drain between, so that each switch needed for this is recorded. */
static void close_everything(void) {
    for (uint32_t lane = 0; lane < LANES; lane++) {
        fake.lane = lane;
        for (uint32_t i = 0; i <= TASKS; i++) {
            struct running *r = i < TASKS ? &tasks[lane][i] : &mains[lane];
            (void)kymo_context_switch(r->context);
            emitted++;
            end_all(r);
            while (kymo_drain(0u)) {}
        }
    }
}

int main(int argc, char **argv) {
    const struct kymo_transport transport = {.write = link_write};
    if (argc != 4) {
        fprintf(stderr, "usage: record_cases SEED STEPS FILE\n");
        return 2;
    }
    random_state = strtoull(argv[1], NULL, 10) * 2u + 1u;
    prepare();
    kymo_init(&transport, "cases");
    /* By default it depends on the program's address, and so would the division of bytes into packets. */
    kymo_link.session = (uint32_t)random_bits();
    for (unsigned long steps = strtoul(argv[2], NULL, 10); steps != 0u; steps--) {
        step();
    }
    close_everything();
    kymo_finish();
    while (kymo_pending()) {
        (void)kymo_drain(0u);
    }
    FILE *file = fopen(argv[3], "wb");
    if (file == NULL || fwrite(capture, 1, capture_bytes, file) != capture_bytes ||
        fclose(file) != 0) {
        perror(argv[3]);
        return 1;
    }
    printf("%" PRIu64 "\n", emitted);
    return 0;
}
