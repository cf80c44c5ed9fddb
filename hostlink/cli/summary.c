#include "cli/summary.h"

#include <inttypes.h>

#include "base/human.h"
#include "base/liveset.h"
#include "base/say.h"
#include "trace/board_watch.h"

int summary_zone(void *zones, const struct event *event) { return zonestats_event(zones, event); }

void summary_events(const struct pipeline_totals *totals, FILE *out) {
    fprintf(out, "events: emitted %" PRIu64 " delivered %" PRIu64 " lost %" PRIu64 "\n",
            totals->emitted, totals->delivered, totals->lost);
}

void summary_usage(const struct pipeline_totals *totals, FILE *out) {
    for (unsigned bit = 0; bit < BOARD_USAGE_BITS; bit++) {
        if ((totals->usage >> bit & 1u) != 0) {
            fprintf(out, "usage error: %s\n", board_usage_text(bit));
        }
    }
}

void summary_print(const struct zonestats *zones, const struct pipeline_totals *totals, FILE *out) {
    zonestats_table(zones, out);
    fputc('\n', out);
    summary_usage(totals, out);
    summary_events(totals, out);
}

static void warn_lost(const struct pipeline_totals *totals) {
    if (totals->lost_ring > 0) {
        say("%" PRIu64
            " events were lost on the board, its ring was full: drain it more often, give "
            "it more room, or a faster line",
            totals->lost_ring);
    }
    if (totals->lost_before > 0) {
        say("%" PRIu64 " events were sent before the capture began", totals->lost_before);
    }
    if (totals->lost_link > totals->lost_before && totals->text_frames > 0) {
        say("%" PRIu64 " events were lost on the way from the board: %" PRIu64
            " packets hold text ('%s'); a console writes to the trace's line: switch it off, or "
            "give it another "
            "UART",
            totals->lost_link - totals->lost_before, totals->text_frames, totals->text);
    } else if (totals->lost_link > totals->lost_before) {
        say("%" PRIu64 " events were lost on the way from the board: see cable, baud rate, flow "
            "control",
            totals->lost_link - totals->lost_before);
    }
}

void summary_warn(const struct pipeline_totals *totals) {
    char text[HUMAN_SIZE];
    warn_lost(totals);
    if (totals->bad_frames > 0) {
        say("%" PRIu64 " damaged frames, %s outside of frames", totals->bad_frames,
            human_number(text, (double)totals->junk_bytes, "B"));
    }
    if (totals->copies > 0) {
        say("%" PRIu64 " frames of events came more than once and were left out", totals->copies);
    }
    if (totals->repairs > 0) {
        say("%" PRIu64 " repairs: events that do not fit together were closed, moved or left out",
            totals->repairs);
    }
    if (totals->incredible > 0) {
        say("%" PRIu64 " frames were left out: by their numbers the board recorded more than any "
            "can; is its memory overwritten?",
            totals->incredible);
    }
    if (totals->shared_switches > 0) {
        say("there were more tasks than hostlink gives rows to: %" PRIu64
            " switches went to the rows named 'tasks beyond the first', one for each core, and "
            "zones that were open there are closed",
            totals->shared_switches);
    }
    if (totals->unkept_blocks > 0) {
        say("%" PRIu64 " allocations came while %u others were live: the size of what they free is "
            "not known, and the memory in use is shown too large",
            totals->unkept_blocks, (unsigned)LIVESET_MAX);
    }
    if (totals->unknown_names > 0) {
        say("%" PRIu64 " events have no name: %s", totals->unknown_names,
            totals->names_in_elf ? SUMMARY_GIVE_ELF : "the names of their places never came");
    }
}
