/* SPDX-License-Identifier: MIT */
#include "cli/silence.h"

#include <inttypes.h>

#include "base/host_clock.h"
#include "base/human.h"
#include "base/say.h"
#include "cli/convert.h"

/* Three of the status packets that a board sends each second by default. */
#define SILENCE_NS (3 * NS_PER_S)
#define HINT_NS (5 * NS_PER_S)
#define SILENCE_CAUSES "it hangs, is held in reset, has no power, or no longer calls kymo_drain()"

static bool is_heard(const struct live *live) {
    return live->source->live && totals_heard_board(&live->totals);
}

uint64_t silence_ns(const struct live *live) {
    uint64_t silent_ns = live->now_ns - live->last_bytes_ns;
    bool counts = is_heard(live) && !live->totals.final && !live->away;
    return counts && silent_ns >= SILENCE_NS ? silent_ns : 0;
}

void silence_hint(struct live *live) {
    char silent[HUMAN_SIZE], last[HUMAN_SIZE];
    uint64_t silent_ns = silence_ns(live);
    if (silent_ns >= HINT_NS && !live->hinted_silence) {
        live->hinted_silence = true;
        say("no data from the board for %s, last event at %s: " SILENCE_CAUSES,
            human_time(silent, silent_ns), human_time(last, (uint64_t)live->totals.last_ns));
    }
}

static void add_silent(const struct findings *to, const struct live *live, uint64_t silent_ns) {
    char silent[HUMAN_SIZE], last[HUMAN_SIZE];
    findings_add(to, FINDING_BOARD,
                 "the board fell silent without its final status: no data for the last %s, last "
                 "event at %s; " SILENCE_CAUSES,
                 human_time(silent, silent_ns), human_time(last, (uint64_t)live->totals.last_ns));
}

static void add_not_final(const struct findings *to, const struct live *live) {
    if (live->end == LIVE_DURATION || live->end == LIVE_STOPPED) {
        findings_add(to, FINDING_NOTE, "the board was still sending");
    } else {
        findings_add(to, FINDING_NOTE,
                     "no final status came from the board: it ended without kymo_finish(), or the "
                     "link was cut");
    }
}

void silence_of_end(const struct findings *to, const struct live *live) {
    uint64_t silent_ns = silence_ns(live);
    if (!is_heard(live)) {
        return;
    }
    if (live->totals.sessions > 1) {
        findings_add(to, FINDING_BOARD, "the board was reset: the trace has %" PRIu32 " sessions",
                     live->totals.sessions);
    }
    if (silent_ns > 0) {
        add_silent(to, live, silent_ns);
    } else if (!live->totals.final) {
        add_not_final(to, live);
    } else if (live->end != LIVE_FINAL) {
        findings_add(to, FINDING_NOTE, "the board has sent its final status (kymo_finish())");
    }
}
