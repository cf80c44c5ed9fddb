/* SPDX-License-Identifier: MIT */
#include "cli/status.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/host_clock.h"
#include "base/human.h"
#include "base/say.h"
#include "platform/file.h"
#include "platform/terminal.h"

#define LINE_SIZE 256u

uint64_t status_period_ns(void) { return say_has_terminal() ? NS_PER_S / 4 : 10 * NS_PER_S; }

/* The rates, or for how long there was nothing to rate. */
static void format_flow(char *text, size_t size, const struct pipeline_totals *totals,
                        const struct status_now *now) {
    char left[HUMAN_SIZE], right[HUMAN_SIZE];
    if (now->silence_ns > 0) {
        snprintf(text, size, "no data for %s, last event at %s", human_time(left, now->silence_ns),
                 human_time(right, (uint64_t)totals->last_ns));
    } else {
        snprintf(text, size, "%s  %s", human_number(left, now->bytes_per_s, "B/s"),
                 human_number(right, now->events_per_s, "ev/s"));
    }
}

void status_format(char *text, size_t size, const struct pipeline_totals *totals,
                   const struct status_now *now) {
    char flow[3 * HUMAN_SIZE], events[HUMAN_SIZE], junk[HUMAN_SIZE], span[HUMAN_SIZE],
        ring[32] = "";
    const unsigned ring_percent =
        totals->lost_ring > 0 ? 100 : board_info_ring_percent(&totals->info);
    uint64_t seconds = now->running_ns / NS_PER_S;
    double ratio =
        totals->delivered > 0 ? (double)totals->event_bytes / (double)totals->delivered : 0.0;
    uint64_t span_ns =
        totals->last_ns > totals->first_ns ? (uint64_t)(totals->last_ns - totals->first_ns) : 0;
    format_flow(flow, sizeof flow, totals, now);
    if (ring_percent > 0) {
        snprintf(ring, sizeof ring, "  ring peak %u %%", ring_percent);
    }
    snprintf(text, size,
             "%02" PRIu64 ":%02" PRIu64 "  %s  events %s  lost %" PRIu64
             "%s  junk %s  span %s  %.2f B/event",
             seconds / 60, seconds % 60, flow, human_number(events, (double)totals->delivered, ""),
             totals->lost, ring, human_number(junk, (double)totals->junk_bytes, "B"),
             human_time(span, span_ns), ratio);
}

/* A line that wraps cannot be redrawn in place. */
static void cut_to_terminal(char *text, size_t size) {
    unsigned columns = 80, rows;
    (void)terminal_size(SYS_STDERR, &columns, &rows);
    if (columns < size) {
        text[columns - 1] = '\0';
    }
}

void status_show(char *line, size_t size) {
    if (say_has_terminal()) {
        cut_to_terminal(line, size);
        say_status(line);
    } else {
        say("%s", line);
    }
}

static double per_second(uint64_t amount, uint64_t time_ns) {
    return time_ns > 0 ? (double)amount * (double)NS_PER_S / (double)time_ns : 0.0;
}

void status_update(struct status *status, const struct pipeline_totals *totals, uint64_t now_ns,
                   uint64_t silence_ns) {
    char line[LINE_SIZE];
    if (status->start_ns == 0) {
        status->start_ns = status->shown_ns = now_ns;
    }
    uint64_t since_ns = now_ns - status->shown_ns;
    if (status->quiet || since_ns < status->period_ns) {
        return;
    }
    const struct status_now now = {
        .running_ns = now_ns - status->start_ns,
        .silence_ns = silence_ns,
        .bytes_per_s = per_second(totals->bytes - status->bytes, since_ns),
        .events_per_s = per_second(totals->delivered - status->delivered, since_ns)};
    status_format(line, sizeof line, totals, &now);
    status->shown_ns = now_ns;
    status->bytes = totals->bytes;
    status->delivered = totals->delivered;
    status_show(line, sizeof line);
}

/* ---- the load of the line ---- */

/* Time between two looks: longer than adapters and their drivers hold bytes back. */
#define LOOK_NS (NS_PER_S / 4)
#define BITS_PER_BYTE 10.0 /* with start and stop */

void line_load_look(struct line_load *load, const struct pipeline_totals *totals, uint64_t now_ns) {
    const bool is_first = load->looked_ns == 0;
    if (!is_first && now_ns - load->looked_ns < LOOK_NS) {
        return;
    }
    if (!is_first && totals->lost_ring > load->lost) {
        load->lossy_ns += now_ns - load->looked_ns;
        load->lossy_bytes += totals->bytes - load->bytes;
    }
    load->looked_ns = now_ns;
    load->bytes = totals->bytes;
    load->lost = totals->lost_ring;
}

unsigned line_load_percent(const struct line_load *load, uint32_t baud) {
    if (load->lossy_ns == 0 || baud == 0) {
        return 0;
    }
    const double bits_per_s =
        (double)load->lossy_bytes * BITS_PER_BYTE * (double)NS_PER_S / (double)load->lossy_ns;
    const double percent = 100.0 * bits_per_s / baud;
    return percent < 1.0 ? 1u : percent > 100.0 ? 100u : (unsigned)percent;
}
