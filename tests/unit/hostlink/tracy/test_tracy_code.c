/* SPDX-License-Identifier: MIT */
/* Machine code of functions at a viewer, in every protocol, and the look-ups for it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "kymo/wire.h"
#include "tracy_run.h"

#define OUTER 0x80001000u
#define OUTER_BYTES 0x40u
#define SILENT 0x80002000u /* there is no code of it */
#define LARGE 0x80100000u
#define LARGE_BYTES 131072u

static const struct track core0 = {1, 0, 0, KYMO_CONTEXT_MAIN, "core 0", NULL, NULL, 0};

static struct { unsigned finds, glances, codes; } calls;

static const struct code_place *find(void *state, uint64_t address) {
    (void)state;
    (void)address;
    calls.finds++;
    return NULL;
}

/* Texts in one place, gone with the next call. */
static const struct code_place *glance(void *state, uint64_t address) {
    static char text[4][32];
    static struct code_line lines[2];
    static struct code_place place;
    (void)state;
    calls.glances++;
    memset(text, 'x', sizeof text);
    snprintf(text[0], sizeof text[0], "inner");
    snprintf(text[1], sizeof text[1], "in.h");
    snprintf(text[2], sizeof text[2], "outer 0x%llx", (unsigned long long)(address >> 12));
    snprintf(text[3], sizeof text[3], "out.c");
    lines[0] = (struct code_line){text[0], text[1], 3};
    lines[1] = (struct code_line){text[2], text[3], 40};
    place = address > OUTER && address <= OUTER + OUTER_BYTES
                ? (struct code_place){OUTER, OUTER_BYTES, 2, lines, false}
            : address > SILENT && address <= SILENT + 8
                ? (struct code_place){SILENT, 8, 1, lines + 1, false}
                : (struct code_place){LARGE, address % 2 == 0 ? LARGE_BYTES : LARGE_BYTES + 1, 1,
                                      lines + 1, false};
    return &place;
}

static const uint8_t *code(void *state, uint64_t start, uint64_t bytes) {
    static uint8_t content[LARGE_BYTES];
    (void)state;
    calls.codes++;
    for (size_t i = 0; i < sizeof content; i++) {
        content[i] = (uint8_t)(start / 16 + i * 3);
    }
    assert_true(bytes <= sizeof content);
    return start == SILENT ? NULL : content;
}

static bool are_known;
static bool is_ready(void *state, uint64_t address) {
    (void)state;
    (void)address;
    return are_known;
}

static const struct symbols symbols = {.find = find, .glance = glance, .code = code};
static const struct symbols slow = {.find = find, .glance = glance, .is_ready = is_ready};

static void sample_with(struct tracy_run *run, uint64_t address, const struct symbols *with) {
    const struct callstack stack = {.count = 1, .symbols = with, .address = {address}};
    const struct event event = {
        .kind = EVENT_SAMPLE, .time_ns = 10, .track = &core0, .stack = &stack};
    assert_int_equal(tracy_run_event(run, &event), 0);
    tracy_run_pump(run);
}

static void sample(struct tracy_run *run, uint64_t address) { sample_with(run, address, &symbols); }

static struct tracy_run *start(uint32_t protocol, enum tracy_cpu cpu) {
    struct tracy_run *run = tracy_run_new();
    memset(&calls, 0, sizeof calls);
    tracy_run_connect(run, protocol);
    run->encode->callstacks.gives_code = cpu != TRACY_CPU_UNKNOWN;
    run->peer->cpu = cpu;
    run->peer->asks_code = cpu != TRACY_CPU_UNKNOWN || run->peer->proto.source_is_code;
    return run;
}

static void end(struct tracy_run *run) {
    tracy_run_end(run);
    assert_string_equal(run->failure, "");
    assert_int_equal(run->terminates, 1);
    assert_int_equal(run->peer->code_open, 0);
}

static const struct peer_symbol *symbol_at(const struct tracy_run *run, uint64_t address) {
    for (size_t i = 0; i < run->peer->symbol_count; i++) {
        if (run->peer->symbols[i].address == address) {
            return &run->peer->symbols[i];
        }
    }
    fail();
    return NULL;
}

/* The function's, up to the most that a viewer asks for; with an answer for each of its instructions. */
static void functions_have_their_code(struct tracy_run *run) {
    sample(run, OUTER + 5);
    sample(run, SILENT + 1);
    sample(run, LARGE + 2);
    end(run);
    const struct peer_symbol *outer = symbol_at(run, OUTER), *large = symbol_at(run, LARGE);
    assert_non_null(outer->code);
    assert_int_equal(outer->bytes, OUTER_BYTES);
    assert_int_equal(outer->code[1], (uint8_t)(OUTER / 16 + 3));
    assert_non_null(large->code);
    assert_int_equal(large->code[LARGE_BYTES - 1], (uint8_t)(LARGE / 16 + (LARGE_BYTES - 1) * 3));
    assert_null(symbol_at(run, SILENT)->code);
    assert_non_null(tracy_peer_address(run->peer, OUTER + 4));
    assert_true(tracy_peer_address(run->peer, OUTER + 60)->answered);
    assert_int_equal(calls.codes, 3);
    assert_int_equal(calls.finds, 0); /* nothing that a viewer asks for is kept */
}

/* Further code than a viewer takes is not even looked for, should one ask. */
static void not_too_much(struct tracy_run *run) {
    sample(run, LARGE + 1); /* a byte too many: no viewer asks */
    assert_int_equal(tracy_answer(run->answers, TRACY_QUERY_SYMBOL_CODE, LARGE, LARGE_BYTES + 1, 0),
                     0);
    assert_int_equal(tracy_answer(run->answers, TRACY_QUERY_SYMBOL_CODE, LARGE, UINT32_MAX, 0), 0);
    run->peer->code_open += 2;
    end(run);
    assert_int_equal(calls.codes, 0);
}

/* An inlined function has a file that arrives later, when the texts are others. */
static void texts_are_copies(struct tracy_run *run) {
    sample(run, OUTER + 5);
    sample(run, SILENT + 1);
    end(run);
    const struct peer_symbol *inner = symbol_at(run, OUTER + 4);
    assert_string_equal(inner->function, "inner");
    assert_int_equal(inner->line, 3);
    struct code_line line;
    assert_true(tracy_inlined_find(&run->encode->callstacks.inlined, OUTER + 4, &line));
    assert_string_equal(line.file, "in.h");
}

/* Everything else goes on, and nobody else's end of patience brings answers without names. */
static void symbols_may_be_slow(struct tracy_run *run) {
    are_known = false;
    sample_with(run, OUTER + 5, &slow);
    sample_with(run, SILENT + 1, &slow);
    (void)tracy_answer_waiting(run->answers, INT64_MAX, true);
    tracy_run_pump(run);
    assert_int_equal(calls.glances, 0);
    assert_false(tracy_peer_address(run->peer, OUTER + 4)->answered);
    assert_int_equal(run->answers->frames.count, 2);
    are_known = true;
    while (tracy_answer_waiting(run->answers, 0, false)) {
        tracy_run_pump(run);
    }
    end(run);
    assert_true(tracy_peer_address(run->peer, OUTER + 4)->answered);
    assert_true(tracy_peer_address(run->peer, SILENT)->answered);
    assert_string_equal(symbol_at(run, OUTER + 4)->function, "inner");
}

CASE(in_every_protocol) {
    static void (*const tests[])(struct tracy_run *) = {functions_have_their_code, not_too_much,
                                                        texts_are_copies, symbols_may_be_slow};
    for (size_t i = 0; tracy_proto_known(i) != 0; i++) {
        for (size_t n = 0; n < sizeof tests / sizeof tests[0]; n++) {
            struct tracy_run *run = start(tracy_proto_known(i), TRACY_CPU_ARM64);
            tests[n](run);
            tracy_run_free(run);
        }
        /* There is no code for another processor, though viewers of 0.14 ask. */
        struct tracy_run *run = start(tracy_proto_known(i), TRACY_CPU_UNKNOWN);
        sample(run, OUTER + 5);
        end(run);
        assert_null(symbol_at(run, OUTER)->code);
        assert_int_equal(calls.codes, 0);
        tracy_run_free(run);
    }
}

/* At the end of all addresses too every symbol is within its function, and no two are the same. */
CASE(inlined_at_the_end) {
    static const char *const names[] = {"a", "b", "c", "d"};
    struct tracy_inlined inlined = {0};
    uint64_t seen[64];
    for (uint32_t i = 0; i < 64; i++) {
        char name[8];
        snprintf(name, sizeof name, "%s%u", names[i % 4], (unsigned)i);
        const struct code_line lines[] = {{name, "f.h", i}, {"outer", "f.c", 1}};
        const struct code_place place = {UINT64_MAX - 40, 40, 2, lines, false};
        seen[i] = tracy_inlined_symbol(&inlined, &place, 0, UINT64_MAX - 30 + i % 30);
        assert_true(seen[i] - place.start < place.bytes);
        for (uint32_t n = 0; n < i; n++) {
            assert_true(seen[i] != seen[n] || seen[i] == place.start);
        }
        struct code_line found;
        assert_true(tracy_inlined_find(&inlined, seen[i], &found) == (seen[i] != place.start));
    }
    tracy_inlined_free(&inlined);
}
