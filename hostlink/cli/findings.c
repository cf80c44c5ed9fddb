/* SPDX-License-Identifier: MIT */
#include "cli/findings.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/human.h"
#include "base/liveset.h"
#include "model/board_watch.h"
#include "model/objects.h"
#include "platform/serial.h"

#define TEXT_BYTES 1024u
/* Below it a line counts as idle: adapters and the gaps between looks take the rest. */
#define LINE_BUSY_PERCENT 75u

void findings_add(const struct findings *to, enum finding of, const char *format, ...) {
    char text[TEXT_BYTES];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    to->take(to->context, of, text);
}

/* Adds a fault if the count is not 0: "COUNT NOUN" and the text. */
static void add_count(const struct findings *to, enum finding of, uint64_t count, const char *one,
                      const char *many, const char *text) {
    char noun[HUMAN_COUNT_SIZE];
    if (count > 0) {
        findings_add(to, of, "%s%s", human_count(noun, count, one, many), text);
    }
}

void findings_no_packet(const struct findings *to, const struct pipeline_totals *totals,
                        uint64_t bytes, enum findings_from from, uint32_t baud) {
    if (totals->line_fault != NULL) {
        findings_add(to, FINDING_BYTES, "no valid packet in %" PRIu64 " bytes: %s", bytes,
                     totals->line_fault);
    } else if (from == FINDINGS_SERIAL) {
        findings_add(to, FINDING_BYTES,
                     "no valid packet in %" PRIu64
                     " bytes: wrong baud rate, or an inverted line? It is %" PRIu32
                     "; give the board's by --baud; if none fits, look at the line's polarity",
                     bytes, baud);
    } else if (from == FINDINGS_FILE) {
        findings_add(to, FINDING_BYTES,
                     "no valid packet in %" PRIu64
                     " bytes: not a recording of a kymo board, or recorded at a wrong baud rate or "
                     "from an inverted line",
                     bytes);
    } else {
        findings_add(to, FINDING_BYTES,
                     "no valid packet in %" PRIu64 " bytes: is this the stream of a kymo board?",
                     bytes);
    }
}

/* Cores with counters of their own. */
static void warn_core_clocks(const struct findings *to, const struct pipeline_totals *totals) {
    const struct board_info *info = &totals->info;
    for (uint32_t i = 0; i < BOARD_INFO_LANES; i++) {
        if (info->core_clock_asked[i] && info->core_clock_times[i] == 0) {
            findings_add(to, FINDING_CLOCK,
                         "lane %" PRIu32 " asked for lane 0's clock and got no answer: its times "
                         "are those of its own counter, and may be any time away; call "
                         "kymo_core_clock_answer() in a loop on lane 0's core while the others "
                         "call kymo_core_clock_set()",
                         i);
        }
    }
    add_count(to, FINDING_CLOCK, totals->short_flows, "flow", "flows",
              " from one core to another took less time than their clocks may be wrong by: call "
              "kymo_core_clock_set() more often");
}

void findings_of_board(const struct findings *to, const struct pipeline_totals *totals) {
    for (unsigned bit = 0; bit < BOARD_USAGE_BITS; bit++) {
        if ((totals->usage >> bit & 1u) != 0) {
            findings_add(to, FINDING_USAGE, "%s", board_usage_text(bit));
        }
    }
    if (totals->clock_text[0] != '\0') {
        findings_add(to, FINDING_CLOCK, "%s", totals->clock_text);
    }
}

static void warn_lost_link(const struct findings *to, const struct pipeline_totals *totals) {
    char events[HUMAN_COUNT_SIZE], packets[HUMAN_COUNT_SIZE];
    uint64_t lost = totals->lost_link - totals->lost_before;
    human_count(events, lost, "event", "events");
    if (lost > 0 && totals->text_packets > 0) {
        findings_add(
            to, FINDING_LINK,
            "%s lost on the way from the board, text in %s ('%s'): a console writes to the trace's "
            "line; switch it off, or give it another UART",
            events, human_count(packets, totals->text_packets, "packet", "packets"), totals->text);
    } else if (lost > 0) {
        findings_add(to, FINDING_LINK, "%s lost on the way from the board: %s", events,
                     totals->line_fault != NULL ? totals->line_fault
                                                : "see cable, baud rate, flow control");
    }
}

/* A program of an operating system has threads that can wait. */
static bool is_program(const struct board_info *info) {
    return info->has[KYMO_INFO_ARCH] && strcmp(info->text[KYMO_INFO_ARCH], "posix") == 0;
}

static void warn_lost(const struct findings *to, const struct pipeline_totals *totals,
                      unsigned line_percent) {
    char events[HUMAN_COUNT_SIZE];
    human_count(events, totals->lost_ring, "event", "events");
    if (totals->lost_ring > 0 && is_program(&totals->info)) {
        findings_add(
            to, FINDING_RING,
            "%s lost in the program, as a thread's ring was full or it found none: build it with "
            "KYMO_FULL_WAIT_MS=1000, so that threads wait for room, or raise KYMO_RING_BYTES; "
            "KYMO_LANES is one more than the threads that record",
            events);
    } else if (totals->lost_ring > 0 && line_percent > 0 && line_percent < LINE_BUSY_PERCENT) {
        findings_add(
            to, FINDING_RING,
            "%s lost on the board, whose ring was full while its line was used for %u %%: a faster "
            "line does not help, the board gets too little time to send: call kymo_drain() more "
            "often, from the transmit interrupt or a task that gets time, or record less",
            events, line_percent);
    } else if (totals->lost_ring > 0) {
        findings_add(
            to, FINDING_RING,
            "%s lost on the board, whose ring was full: call kymo_drain() more often, raise "
            "KYMO_RING_BYTES, take a faster line, or record less",
            events);
    }
    const bool none_since = totals->delivered == 0;
    add_count(to, none_since ? FINDING_LINK : FINDING_NOTE, totals->lost_before, "event", "events",
              none_since ? " sent before the capture began, and none since: begin it earlier, or "
                           "reset the board"
                         : " sent before the capture began");
    warn_lost_link(to, totals);
}

static void warn_packets(const struct findings *to, const struct pipeline_totals *totals) {
    char packets[HUMAN_COUNT_SIZE], bytes[HUMAN_SIZE];
    if (totals->bad_packets > 0) {
        findings_add(to, FINDING_LINK, "%s, %sat byte %" PRIu64 ", %s outside of packets%s%s",
                     human_count(packets, totals->bad_packets, "damaged packet", "damaged packets"),
                     totals->bad_packets > 1 ? "the first " : "", totals->bad_at,
                     human_number(bytes, (double)totals->junk_bytes, "B"),
                     totals->line_fault != NULL ? ": " : "",
                     totals->line_fault != NULL ? totals->line_fault : "");
    }
    add_count(to, FINDING_NOTE, totals->copies, "packet", "packets",
              " of events received again and left out");
    add_count(to, FINDING_LINK, totals->incredible, "packet", "packets",
              " left out, with numbers of events that no board reaches: look for firmware that "
              "overwrites kymo's memory");
}

/* Things beside events that the board had no room for. */
static void warn_room(const struct findings *to, const struct pipeline_totals *totals) {
    char count[HUMAN_COUNT_SIZE];
    const uint32_t *sites = totals->info.number[KYMO_INFO_DYNAMIC_SITES];
    if (sites[2] > 0) {
        findings_add(
            to, FINDING_ROOM,
            "%s of places made at run time without their names, for which the board had no room: "
            "raise KYMO_DYNAMIC_SITES, now %u",
            human_count(count, sites[2], "use", "uses"), (unsigned)sites[0]);
    }
    add_count(to, FINDING_ROOM, totals->large_cut, "large thing", "large things",
              " did not arrive whole: the capture has only a part of it, or pieces were lost: see "
              "cable, baud rate, flow control");
    if (totals->info.number[KYMO_INFO_LARGE][1] > 0) {
        findings_add(to, FINDING_ROOM, "%s found no place on the board: raise KYMO_LARGE, now %u",
                     human_count(count, totals->info.number[KYMO_INFO_LARGE][1], "large thing",
                                 "large things"),
                     (unsigned)totals->info.number[KYMO_INFO_LARGE][0]);
    }
    add_count(to, FINDING_ROOM, totals->unknown_packets, "packet", "packets",
              " of types that this hostlink does not know, left out: use the hostlink of the "
              "board's release");
}

/* Device blocks: records that are not shown, or whose place is uncertain. */
static void warn_devices(const struct findings *to, const struct device_totals *devices) {
    char count[HUMAN_COUNT_SIZE];
    add_count(to, FINDING_RING, devices->refused, "zone or event", "zones and events",
              " found no room in device blocks: make the blocks larger");
    add_count(to, FINDING_LINK, devices->lost, "record", "records", " of devices lost on the way");
    add_count(to, FINDING_ROOM, devices->undescribed, "record", "records",
              " left out: the capture does not say of which device; connect to the board before it "
              "starts, or let it obey commands");
    add_count(to, FINDING_ROOM, devices->damaged, "device block says", "device blocks say",
              " what cannot be: something else writes there, or a cache is between");
    if (devices->nameless > 0) {
        findings_add(to, FINDING_NAMES,
                     "%s of devices without names: give their programs, --elf '%s=FILE'",
                     human_count(count, devices->nameless, "site", "sites"), devices->nameless_of);
    }
    add_count(to, FINDING_CLOCK, devices->back, "record of a device is", "records of devices are",
              " earlier than the one before: the rows say where");
    if (devices->restarts > 0) {
        findings_add(to, FINDING_CLOCK,
                     "the clock of a device was set back %s: call kymo_device_start() where the "
                     "device restarts; the rows say where",
                     human_count(count, devices->restarts, "time", "times"));
    }
    add_count(to, FINDING_CLOCK, devices->unsure, "record", "records",
              " of devices whose clock may have wrapped more than once before: call kymo_drain() "
              "more often");
}

/* Reports limits of hostlink itself that were reached. */
static void warn_limits(const struct findings *to, const struct pipeline_totals *totals) {
    char count[HUMAN_COUNT_SIZE];
    if (totals->shared_switches > 0) {
        findings_add(
            to, FINDING_LIMIT,
            "there were more tasks than hostlink gives rows to: %s went to the rows named 'tasks "
            "beyond the first', one for each core, and zones that were open there are closed",
            human_count(count, totals->shared_switches, "switch", "switches"));
    }
    if (totals->unkept_blocks > 0) {
        findings_add(
            to, FINDING_LIMIT,
            "%s while %u others were live: the size of what they free is not known, and the memory "
            "in use is shown too large",
            human_count(count, totals->unkept_blocks, "allocation", "allocations"),
            (unsigned)LIVESET_MAX);
    }
    if (totals->unkept_objects > 0) {
        findings_add(
            to, FINDING_LIMIT,
            "%s of locks and other objects left out: hostlink keeps %u objects of a capture, those "
            "that are over included, and %u holds at a time",
            human_count(count, totals->unkept_objects, "event", "events"), OBJECTS_MAX, HOLDS_MAX);
    }
}

static void warn_plots(const struct findings *to, const struct pipeline_totals *totals) {
    add_count(to, FINDING_LIMIT, totals->not_finite, "value of a plot is", "values of plots are",
              " NaN or infinite, which no viewer draws in a curve: Perfetto and Chrome JSON show "
              "an instant instead; .events.csv has the values");
}

static void warn_samples(const struct findings *to, const struct pipeline_totals *totals) {
    char count[HUMAN_COUNT_SIZE];
    if (totals->missed_samples > 0) {
        findings_add(to, FINDING_LIMIT,
                     "%s beside %llu taken: interrupts were masked, or others came first; the code "
                     "that ran then is not in the samples",
                     human_count(count, totals->missed_samples, "sample missed", "samples missed"),
                     (unsigned long long)totals->samples);
    }
}

static void warn_names(const struct findings *to, const struct pipeline_totals *totals) {
    char count[HUMAN_COUNT_SIZE];
    if (totals->unknown_names > 0) {
        findings_add(to, FINDING_NAMES, "%s without a name: %s",
                     human_count(count, totals->unknown_names, "event", "events"),
                     !totals->names_in_elf ? "the names of their places never came"
                     : totals->wrong_elf
                         ? "the board does not send its names, and the file of --elf is "
                           "not of its program"
                         : FINDINGS_GIVE_ELF);
    }
    add_count(
        to, FINDING_NAMES, totals->unnamed_tasks, "task", "tasks",
        " without a name, shown by the address of its context: name it by kymo_context_name()");
}

void findings_of_trace(const struct findings *to, const struct pipeline_totals *totals,
                       unsigned line_percent) {
    warn_lost(to, totals, line_percent);
    warn_packets(to, totals);
    add_count(to, FINDING_REPAIR, totals->repairs, "repair", "repairs",
              ": events that do not fit together were closed, moved or left out");
    warn_room(to, totals);
    warn_devices(to, &totals->devices);
    warn_core_clocks(to, totals);
    warn_limits(to, totals);
    warn_plots(to, totals);
    warn_samples(to, totals);
    warn_names(to, totals);
}

void findings_of_serial(const struct findings *to, const struct serial_errors *errors, bool heard) {
    char count[HUMAN_COUNT_SIZE];
    if (!heard && errors->breaks > 0) {
        findings_add(to, FINDING_BYTES,
                     "%s, with the line low for longer than a byte: it is inverted, not connected, "
                     "or the board is off or holds it low",
                     human_count(count, errors->breaks, "break", "breaks"));
    } else if (heard && errors->framing > 0) {
        findings_add(to, FINDING_LINK,
                     "%s: the rates of both sides differ by a few percent, or the line is noisy",
                     human_count(count, errors->framing, "framing error", "framing errors"));
    }
    if (errors->overruns > 0) {
        findings_add(
            to, FINDING_LINK,
            "%s in this computer's serial port or its driver, which were not read in "
            "time: use --rtscts where both sides have it, a slower rate, or another adapter",
            human_count(count, errors->overruns, "byte lost", "bytes lost"));
    }
}
