/* SPDX-License-Identifier: MIT */
/* Call stacks at a viewer, in every protocol: of zones, messages and memory, with the functions at each address. */
#include <string.h>

#include "cases.h"
#include "kymo/wire.h"
#include "tracy_run.h"

static const struct track core0 = {1, 0, 0, KYMO_CONTEXT_MAIN, "core 0", NULL, NULL, 0};
static const struct track core1 = {2, 1, 0, KYMO_CONTEXT_MAIN, "core 1", NULL, NULL, 0};
static const struct site zone = {
    .kind = KYMO_SITE_ZONE, .known = true, .name = "zone", .function = "f", .file = "f.c"};
static const struct site text = {
    .kind = KYMO_SITE_MESSAGE, .known = true, .name = "text", .function = "f", .file = "f.c"};
static const struct site heap = {
    .kind = KYMO_SITE_POOL, .known = true, .name = "heap", .function = "f", .file = "f.c"};

/* 0x80001004 has two known functions, the inner one inlined into the outer one; 0x80002000 has only a name. */
static const struct code_place *find(void *state, uint64_t address) {
    static const struct code_line two[] = {{"inner", "in.h", 3}, {"outer", "out.c", 40}};
    static const struct code_line name[] = {{"asm_loop", "", 0}};
    static const struct code_place both = {0x80001000, 0x40, 2, two, false},
                                   one = {0, 0, 1, name, false};
    (void)state;
    return address > 0x80001000 && address <= 0x80001040 ? &both
           : address == 0x80002000                       ? &one
                                                         : NULL;
}

static const struct symbols symbols = {.find = find};

static struct callstack stack_of(uint32_t count, uint64_t first) {
    struct callstack stack = {.count = count, .symbols = &symbols};
    for (uint32_t i = 0; i < count; i++) {
        stack.address[i] = first + i;
    }
    return stack;
}

static void give(struct tracy_run *run, struct event event, const struct callstack *stack) {
    event.stack = stack;
    assert_int_equal(tracy_run_event(run, &event), 0);
}

static void end(struct tracy_run *run) {
    tracy_run_end(run);
    assert_string_equal(run->failure, "");
    assert_string_equal(run->peer->failure, "");
    assert_int_equal(run->terminates, 1);
}

static struct event event_of(enum event_kind kind, int64_t time_ns, const struct track *track) {
    struct event event = {.kind = kind, .time_ns = time_ns, .track = track};
    event.site = kind == EVENT_MESSAGE                       ? &text
                 : kind == EVENT_ALLOC || kind == EVENT_FREE ? &heap
                                                             : &zone;
    if (kind == EVENT_MESSAGE) {
        event.u.text.bytes = "hello";
        event.u.text.length = 5;
    } else if (kind == EVENT_ALLOC || kind == EVENT_FREE) {
        event.u.memory.address = 0x20000000;
        event.u.memory.bytes = 16;
    }
    return event;
}

/* Two cores in turn, with and without stacks, the longest one too. */
static void each_event_has_its_stack(struct tracy_run *run) {
    const struct callstack few = stack_of(3, 0x80001004), most = stack_of(CALLSTACK_MAX, 0x1000);
    const struct callstack none = {.count = 0};
    give(run, event_of(EVENT_ZONE_BEGIN, 10, &core0), &few);
    assert_int_equal(run->encode->repairs.total, 0);
    give(run, event_of(EVENT_ZONE_BEGIN, 11, &core1), NULL);
    give(run, event_of(EVENT_ZONE_BEGIN, 12, &core0), &most);
    give(run, event_of(EVENT_ZONE_BEGIN, 13, &core0), &none);
    give(run, event_of(EVENT_MESSAGE, 14, &core1), &few);
    give(run, event_of(EVENT_ALLOC, 15, &core0), &few);
    give(run, event_of(EVENT_FREE, 16, &core1), &most);
    give(run, event_of(EVENT_ALLOC, 17, &core0), NULL);
    give(run, event_of(EVENT_ALLOC, 18, &core0), &few); /* twice: freed first, without a stack */
    give(run, event_of(EVENT_MESSAGE, 19, &core0), NULL);
    for (int i = 0; i < 3; i++) {
        give(run, event_of(EVENT_ZONE_END, 20 + i, &core0), NULL);
    }
    give(run, event_of(EVENT_ZONE_END, 30, &core1), NULL);
    end(run);
    const struct peer_counts *counts = &run->peer->counts;
    assert_int_equal(counts->zones, 4);
    assert_int_equal(counts->called_zones, 2);
    assert_int_equal(counts->messages, 2 + 1); /* and that of the repair */
    assert_int_equal(counts->called_messages, 1);
    assert_int_equal(counts->allocs, 3);
    assert_int_equal(counts->called_allocs, 2);
    assert_int_equal(counts->frees, 2);
    assert_int_equal(counts->called_frees, 1);
    assert_int_equal(run->peer->address_count, 3 + CALLSTACK_MAX);
}

static const struct peer_line *line_at(const struct tracy_run *run, uint64_t key, uint32_t count,
                                       uint32_t number) {
    const struct peer_address *address = tracy_peer_address(run->peer, key - 1); /* the call */
    assert_non_null(address);
    assert_true(address->answered);
    assert_int_equal(address->count, count);
    return &address->lines[number];
}

static void addresses_have_their_functions(struct tracy_run *run) {
    const struct callstack known = stack_of(2, 0x80001004), name = stack_of(1, 0x80002000);
    const struct callstack unknown = stack_of(1, 0x1234);
    give(run, event_of(EVENT_ZONE_BEGIN, 10, &core0), &known);
    give(run, event_of(EVENT_ZONE_END, 11, &core0), NULL);
    give(run, event_of(EVENT_MESSAGE, 12, &core0), &name);
    give(run, event_of(EVENT_MESSAGE, 13, &core0), &unknown);
    end(run);
    const struct peer_line *line = line_at(run, 0x80001004, 2, 0);
    assert_string_equal(line->function, "inner");
    assert_string_equal(line->file, "in.h");
    assert_int_equal(line->line, 3);
    assert_string_equal(line_at(run, 0x80001005, 2, 1)->function, "outer");
    assert_string_equal(line_at(run, 0x80002000, 1, 0)->function, "asm_loop");
    assert_string_equal(line_at(run, 0x1234, 1, 0)->function, "[unknown]");
    assert_string_equal(line_at(run, 0x1234, 1, 0)->file, "[unknown]");
    /* An inlined function has a symbol within its function, the same at both addresses; unknown code has its own. */
    assert_int_equal(line_at(run, 0x80001004, 2, 1)->symbol, 0x80001000);
    assert_int_equal(line_at(run, 0x80001004, 2, 1)->symbol_bytes, 0x40);
    assert_int_equal(line_at(run, 0x80001004, 2, 0)->symbol, 0x80001003);
    assert_int_equal(line_at(run, 0x80001005, 2, 0)->symbol, 0x80001003);
    assert_int_equal(line_at(run, 0x1234, 1, 0)->symbol, 0x1233);
    assert_int_equal(run->peer->symbol_count, 4);
    assert_int_equal(run->peer->symbols[0].address, 0x80001003);
    assert_int_equal(run->peer->symbols[0].line, 3);
    assert_int_equal(run->peer->symbols[1].address, 0x80001000);
    assert_int_equal(run->peer->symbols[1].line, 40);
}

/* Addresses that cannot be packed are replaced, counted and named; the others stay. */
static void no_address_ends_the_session(struct tracy_run *run) {
    struct callstack stack = {.count = 5,
                              .symbols = &symbols,
                              .address = {UINT64_C(0x4000000000000000), UINT64_MAX,
                                          UINT64_C(0xc000000012345678), 0,
                                          UINT64_C(0xffffffff80001000)}};
    give(run, event_of(EVENT_ZONE_BEGIN, 10, &core0), &stack);
    assert_int_equal(run->encode->repairs.count[TRACY_REPAIR_ADDRESS], 1);
    give(run, event_of(EVENT_ALLOC, 11, &core0), &stack);
    assert_int_equal(run->encode->repairs.count[TRACY_REPAIR_ADDRESS], 2);
    for (uint64_t i = 0; i < TRACY_NO_ADDRESSES_MAX + 10; i++) {
        stack = (struct callstack){.count = 1, .address = {UINT64_C(0x8000000000000000) + i}};
        give(run, event_of(EVENT_MESSAGE, 12, &core0), &stack);
    }
    give(run, event_of(EVENT_ZONE_END, 13, &core0), NULL);
    end(run);
    assert_string_equal(line_at(run, TRACY_NO_ADDRESS + 1, 1, 0)->function,
                        "0x4000000000000000 (no address)");
    assert_string_equal(line_at(run, TRACY_NO_ADDRESS + 2, 1, 0)->function,
                        "0xc000000012345678 (no address)");
    assert_string_equal(line_at(run, UINT64_MAX, 1, 0)->function, "[unknown]");
    assert_string_equal(line_at(run, TRACY_NO_ADDRESS + TRACY_NO_ADDRESSES_MAX, 1, 0)->function,
                        "(no address)");
}

static struct event sample_of(int64_t time_ns, const struct track *track) {
    struct event event = {.kind = EVENT_SAMPLE, .time_ns = time_ns, .track = track};
    event.u.sample.period_ns = 1000000;
    return event;
}

static const struct peer_thread *thread_of(const struct tracy_run *run, uint32_t id) {
    for (size_t i = 0; i < run->peer->thread_count; i++) {
        if (run->peer->threads[i].id == id) {
            return &run->peer->threads[i];
        }
    }
    fail();
    return NULL;
}

/* Samples of two threads, at times apart by each form of a difference, between items that have the same
 * reference or another. The sampled instruction itself is shown, as the event has the address after it. */
static void samples_are_of_the_instruction(struct tracy_run *run) {
    static const int64_t steps[] = {0, 1, 65535, 65536, 4295032831, 4295032832, 7000000000};
    const struct callstack stack = stack_of(3, 0x80001001), none = {.count = 0};
    int64_t time_ns = 100;
    give(run, event_of(EVENT_ZONE_BEGIN, time_ns, &core0), &stack);
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        const struct track *track = i % 2 == 0 ? &core0 : &core1;
        time_ns += steps[i];
        give(run, sample_of(time_ns, track), &stack);
        give(run, (struct event){.kind = EVENT_SWITCH, .time_ns = time_ns, .track = &core0}, NULL);
        give(run, event_of(EVENT_MESSAGE, time_ns, &core1), NULL);
    }
    /* An empty stack gives no sample; and one core's may be earlier than another's. */
    give(run, sample_of(time_ns, &core0), &none);
    give(run, sample_of(time_ns, &core0), NULL);
    give(run, sample_of(time_ns - 50, &core1), &stack);
    give(run, event_of(EVENT_ZONE_END, time_ns, &core0), NULL);
    end(run);
    assert_int_equal(run->peer->last_calls.count, 3);
    assert_int_equal(run->peer->last_calls.address[0], 0x80001000);
    assert_int_equal(run->peer->last_calls.address[1], 0x80001001);
    assert_int_equal(thread_of(run, core0.id)->sampled_ns, time_ns);
    assert_int_equal(thread_of(run, core1.id)->sampled_ns, time_ns - 50);
    assert_int_equal(run->peer->counts.samples, sizeof steps / sizeof steps[0] + 1);
    assert_string_equal(line_at(run, 0x80001001, 2, 0)->function, "inner");
    assert_string_equal(line_at(run, 0x80001002, 2, 0)->function, "inner");
    assert_int_equal(run->encode->sample_period_ns, 1000000);
}

/* The same as no_address_ends_the_session(), for samples. */
static void no_sample_ends_the_session(struct tracy_run *run) {
    static const uint64_t first[] = {0,
                                     1,
                                     UINT64_C(1) << 62,
                                     (UINT64_C(1) << 62) + 1,
                                     UINT64_MAX,
                                     UINT64_C(0xc000000000000000),
                                     UINT64_C(0xf000000000000000)};
    for (size_t i = 0; i < sizeof first / sizeof first[0]; i++) {
        const struct callstack stack = stack_of(1, first[i]);
        give(run, sample_of(10, &core0), &stack);
    }
    end(run);
    assert_int_equal(run->peer->counts.samples, sizeof first / sizeof first[0]);
}

CASE(in_every_protocol) {
    static void (*const tests[])(struct tracy_run *) = {
        each_event_has_its_stack, addresses_have_their_functions, no_address_ends_the_session,
        samples_are_of_the_instruction, no_sample_ends_the_session};
    tracy_run_each(tests, sizeof tests / sizeof tests[0]);
}
