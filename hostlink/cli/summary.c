/* SPDX-License-Identifier: MIT */
#include "cli/summary.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/human.h"
#include "base/say.h"

struct summary *summary_new(void) {
    struct summary *summary = calloc(1, sizeof *summary);
    if (summary == NULL) {
        return NULL;
    }
    *summary = (struct summary){.zones = zonestats_new(), .program = program_new()};
    if (summary->zones == NULL || summary->program == NULL) {
        summary_free(summary);
        return NULL;
    }
    return summary;
}

int summary_event(void *state, const struct event *event) {
    struct summary *summary = state;
    const int error = zonestats_event(summary->zones, event);
    return error != 0 ? error : program_event(summary->program, event);
}

void summary_free(struct summary *summary) {
    zonestats_free(summary->zones);
    program_free(summary->program);
    free(summary);
}

void summary_devices(const struct pipeline_totals *totals, FILE *out) {
    if (totals->devices.blocks != 0) {
        char blocks[HUMAN_COUNT_SIZE];
        fprintf(out, "devices: %" PRIu64 " records of %s, not among the events\n",
                totals->devices.records,
                human_count(blocks, totals->devices.blocks, "block", "blocks"));
    }
}

void summary_events(const struct pipeline_totals *totals, FILE *out) {
    fprintf(out, "events: emitted %" PRIu64 " delivered %" PRIu64 " lost %" PRIu64 "\n",
            totals->emitted, totals->delivered, totals->lost);
}

static void print_fault(void *context, enum finding of, const char *text) {
    FILE *out = context;
    fprintf(out, "%s: %s\n", of == FINDING_CLOCK ? "clock error" : "usage error", text);
}

void summary_faults(const struct pipeline_totals *totals, FILE *out) {
    findings_of_board(&(struct findings){out, print_fault}, totals);
}

/* It is looked at when the board drains it: a full one may have been seen half full. */
static void print_ring(const struct pipeline_totals *totals, FILE *out) {
    const struct board_info *info = &totals->info;
    char bytes[HUMAN_SIZE];
    const unsigned percent = board_info_ring_percent(info);
    if (totals->lost_ring == 0 && percent > 0) {
        fprintf(out, "ring: at most %u %% of %s were in use\n", percent,
                human_number(bytes, (double)info->number[KYMO_INFO_RING_BYTES][0], "B"));
    }
}

/* Times of cores with counters of their own, against lane 0's. */
static void print_core_clocks(const struct pipeline_totals *totals, FILE *out) {
    char text[HUMAN_SIZE];
    for (uint32_t i = 0; i < BOARD_INFO_LANES; i++) {
        if (totals->info.core_clock_times[i] != 0) {
            const int64_t ns = board_info_clock_ns(&totals->info, i, totals->clock_hz);
            fprintf(out, "clock of core %u: within %s of core 0's\n", i,
                    ns == BOARD_INFO_CLOCK_UNKNOWN_NS ? "an unknown time"
                                                      : human_time(text, (uint64_t)ns));
        }
    }
}

static void print_line(void *context, enum finding of, const char *text) {
    (void)of;
    fprintf(context, "%s\n", text);
}

int summary_print(struct summary *summary, const struct pipeline_totals *totals,
                  struct table_to *to) {
    int error = zonestats_table(summary->zones, to);
    if (to->form == TABLE_TEXT) {
        const struct findings lines = {to->text, print_line};
        fputc('\n', to->text);
        error =
            error != 0 ? error : program_say(summary->program, totals, summary->is_part, &lines);
        zonestats_busiest(summary->zones, to->text);
        print_ring(totals, to->text);
        print_core_clocks(totals, to->text);
        summary_devices(totals, to->text);
        summary_faults(totals, to->text);
    }
    return error;
}

static void say_finding(void *context, enum finding of, const char *text) {
    (void)context, (void)of;
    say("%s", text);
}

const struct findings summary_says = {NULL, say_finding};

void summary_warn(const struct pipeline_totals *totals, unsigned line_percent) {
    findings_of_trace(&summary_says, totals, line_percent);
}
