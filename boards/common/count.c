/* SPDX-License-Identifier: MIT */
#include "count.h"

/* Bytes that a line keeps free for one more " NAME TIMES". */
#define LINE_RESERVE 40u

#if KYMO_ENABLE

extern const struct count __start_demo_counts[], __stop_demo_counts[];

static const char *const kind_names[COUNT_KINDS] = {
    "zones", "notes", "messages", "plots", "frames", "allocs", "frees", "switches",
};

static uint32_t events_of(const struct count *count) {
    const uint32_t each = count->kind == COUNT_ZONE || count->kind == COUNT_SWITCH ? 2u : 1u;
    return each * count->times;
}

/* One line: as many counters of the kind as fit, from "first" on. Returns where the next one starts. */
static const struct count *report_line(const struct count *first, unsigned kind,
                                       void (*print)(const struct text *line)) {
    struct text pairs = {.length = 0u};
    uint32_t sum = 0u;
    const struct count *count = first;
    for (; count < __stop_demo_counts && pairs.length + 2u * LINE_RESERVE < TEXT_BYTES; count++) {
        if (count->kind != kind) {
            continue;
        }
        sum += count->times;
        text_add(&pairs, " ");
        text_add(&pairs, count->name);
        text_add(&pairs, " ");
        text_add_number(&pairs, count->times);
    }
    if (pairs.length > 0u) {
        struct text line;
        text_start(&line, "demo: ");
        text_add(&line, kind_names[kind]);
        text_add(&line, " ");
        text_add_number(&line, sum);
        pairs.bytes[pairs.length] = '\0';
        text_add(&line, pairs.bytes);
        print(&line);
    }
    return count;
}

static uint32_t events_of_core(unsigned core) {
    uint32_t sum = 0u;
    for (const struct count *count = __start_demo_counts; count < __stop_demo_counts; count++) {
        sum += count->core == core ? events_of(count) : 0u;
    }
    return sum;
}

void count_report(void (*print)(const struct text *line)) {
    for (unsigned kind = 0u; kind < COUNT_KINDS; kind++) {
        const struct count *count = __start_demo_counts;
        while (count < __stop_demo_counts) {
            count = report_line(count, kind, print);
        }
    }
    uint32_t total = 0u;
    for (unsigned core = 0u; core < 2u; core++) {
        const uint32_t events = events_of_core(core);
        struct text line;
        text_start(&line, "demo: core ");
        text_add_number(&line, core);
        text_add(&line, " events ");
        text_add_number(&line, events);
        print(&line);
        total += events;
    }
    struct text line;
    text_start(&line, "demo: emitted ");
    text_add_number(&line, total);
    print(&line);
}

#else

void count_report(void (*print)(const struct text *line)) {
    struct text line;
    text_start(&line, "demo: emitted 0");
    print(&line);
}

#endif
