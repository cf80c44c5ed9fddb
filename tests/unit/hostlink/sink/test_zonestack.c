/* SPDX-License-Identifier: MIT */
#include "sink/zonestack.h"

#include <stdio.h>
#include <string.h>

#include "cases.h"

static const struct track track = {.id = 1, .name = "core 0"};
static const struct site outer = {.name = "outer", .function = "", .file = ""};
static const struct site inner = {.name = "inner", .function = "", .file = ""};

static void begin(struct zone_stack *stack, const struct site *site, int64_t time_ns) {
    struct event event = {
        .kind = EVENT_ZONE_BEGIN, .time_ns = time_ns, .track = &track, .site = site};
    assert_int_equal(zone_stack_push(stack, &event), 0);
}

static void say(struct zone_stack *stack, enum event_kind kind, const char *text) {
    struct event event = {.kind = kind, .track = &track};
    event.u.text.bytes = text;
    event.u.text.length = strlen(text);
    assert_true(zone_is_note(kind));
    assert_int_equal(zone_stack_note(stack, &event), 0);
}

CASE(notes_belong_to_the_innermost) {
    struct zone_stack stack = {0};
    begin(&stack, &outer, 5);
    say(&stack, EVENT_ZONE_TEXT, "one");
    begin(&stack, &inner, 6);
    say(&stack, EVENT_ZONE_TEXT, "two");
    say(&stack, EVENT_ZONE_TEXT, "three");
    assert_ptr_equal(zone_stack_top(&stack)->site, &inner);
    assert_int_equal(zone_stack_top(&stack)->start_ns, 6);
    assert_string_equal(zone_stack_top(&stack)->text, "two\nthree");
    zone_stack_pop(&stack);
    say(&stack, EVENT_ZONE_TEXT, "four");
    assert_string_equal(zone_stack_top(&stack)->text, "one\nfour");
    zone_stack_pop(&stack);
    assert_null(zone_stack_top(&stack));
    zone_stack_free(&stack);
}

CASE(a_name_in_time_and_a_late_one) {
    struct zone_stack stack = {0};
    begin(&stack, &outer, 0);
    assert_string_equal(open_zone_show(zone_stack_top(&stack)), "outer");
    begin(&stack, &inner, 0);
    say(&stack, EVENT_ZONE_NAME, "first");
    say(&stack, EVENT_ZONE_NAME, "in time");
    assert_string_equal(open_zone_show(zone_stack_top(&stack)), "in time");
    say(&stack, EVENT_ZONE_NAME, "late");
    assert_string_equal(zone_stack_top(&stack)->shown, "in time");
    assert_string_equal(zone_stack_top(&stack)->late_name, "late");
    zone_stack_free(&stack);
}

CASE(values_and_colors) {
    struct zone_stack stack = {0};
    struct event event = {.kind = EVENT_ZONE_VALUE, .track = &track};
    begin(&stack, &outer, 0);
    assert_false(zone_stack_top(&stack)->has_value);
    event.u.value = UINT64_MAX;
    assert_int_equal(zone_stack_note(&stack, &event), 0);
    event.kind = EVENT_ZONE_COLOR;
    event.u.value = UINT64_C(0xff123456);
    assert_int_equal(zone_stack_note(&stack, &event), 0);
    assert_true(zone_stack_top(&stack)->has_value && zone_stack_top(&stack)->has_color);
    assert_true(zone_stack_top(&stack)->value == UINT64_MAX);
    assert_int_equal(zone_stack_top(&stack)->color, 0x123456);
    zone_stack_free(&stack);
}

/* The name says which event it is: two sites of one name are the same one. Repeated counts are added. */
CASE(counts_by_name) {
    static struct site named[ZONE_COUNTS_MAX + 2];
    static char names[ZONE_COUNTS_MAX + 2][8];
    struct zone_stack stack = {0};
    struct event event = {.kind = EVENT_ZONE_COUNT, .track = &track};
    begin(&stack, &outer, 0);
    assert_null(zone_stack_top(&stack)->counters);
    for (uint32_t i = 0; i < ZONE_COUNTS_MAX + 2; i++) {
        const uint32_t number = i == 1 ? 0 : i;
        (void)snprintf(names[i], sizeof names[i], "e%u", (unsigned)number);
        named[i].name = names[i];
        event.site = event.u.count.of = &named[i];
        event.u.count.times = 10 + i;
        assert_int_equal(zone_stack_note(&stack, &event), 0);
    }
    const struct zone_counters *counters = zone_stack_top(&stack)->counters;
    assert_int_equal(counters->count, ZONE_COUNTS_MAX);
    assert_string_equal(counters->events[0].of->name, "e0");
    assert_int_equal(counters->events[0].times, 10 + 11);
    assert_string_equal(counters->events[1].of->name, "e2");
    assert_int_equal(counters->events[ZONE_COUNTS_MAX - 1].times, 10 + ZONE_COUNTS_MAX);
    assert_non_null(strstr(zone_stack_top(&stack)->text, "19 e9"));
    event.kind = EVENT_ZONE_COUNTERS;
    event.u.counters.cycles = event.u.counters.instructions = UINT32_MAX;
    assert_int_equal(zone_stack_note(&stack, &event), 0);
    assert_int_equal(zone_stack_note(&stack, &event), 0);
    assert_true(counters->cycles == UINT64_C(2) * UINT32_MAX &&
                counters->instructions == counters->cycles);
    zone_stack_pop(&stack);
    zone_stack_free(&stack);
}

/* A main loop's zone may get a text each round, for hours. */
CASE(texts_are_bounded) {
    struct zone_stack stack = {0};
    begin(&stack, &outer, 0);
    for (int i = 0; i < 10000; i++) {
        say(&stack, EVENT_ZONE_TEXT, "0123456789");
    }
    assert_true(zone_stack_top(&stack)->text_cut);
    assert_true(zone_stack_top(&stack)->text_length <= ZONE_TEXT_BYTES_MAX);
    assert_true(zone_stack_top(&stack)->text_length > ZONE_TEXT_BYTES_MAX - 12);
    zone_stack_free(&stack);
}

CASE(deep) {
    struct zone_stack stack = {0};
    for (int i = 0; i < 1000; i++) {
        begin(&stack, i % 2 ? &inner : &outer, i);
    }
    for (int i = 999; i >= 0; i--) {
        assert_int_equal(zone_stack_top(&stack)->start_ns, i);
        zone_stack_pop(&stack);
    }
    zone_stack_free(&stack);
}
