/* SPDX-License-Identifier: MIT */
/* From bytes to resolved events: unpack, decode, timeline, in one call per buffer of bytes. Memory
 * grows with the number of sites and tracks, not with the length of the stream. */
#ifndef HOSTLINK_PIPELINE_H
#define HOSTLINK_PIPELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "clock/clock_watch.h"
#include "clock/host_fit.h"
#include "device/devices.h"
#include "model/board_info.h"
#include "model/event.h"
#include "model/large.h"
#include "model/names_from_elf.h"
#include "trace/stray_text.h"

struct pipeline;

/* Counts so far. emitted = delivered + lost, always. */
struct pipeline_totals {
    uint64_t emitted, delivered, lost; /* events */
    uint64_t lost_ring, lost_link; /* the two parts of lost: full ring, damaged or missed packets */
    uint64_t lost_before;          /* of lost_link: before the first packet that was seen */
    uint64_t packets,
        bad_packets;       /* packets accepted; chunks that were no packet, but for one that the
                                      beginning or the end of the stream cut */
    uint64_t bad_at;       /* byte where the first bad one begins, the host's own packets counted */
    uint64_t copies;       /* EVENTS packets that came again and were left out */
    uint64_t text_packets; /* of bad_packets: those that hold a line of text */
    char text[STRAY_TEXT_BYTES]; /* the first such line */
    const char *
        line_fault; /* how the line damages bytes and how to fix it, of bad_packets; NULL: unknown */
    uint64_t bytes, junk_bytes;       /* all bytes; those outside accepted packets */
    uint64_t event_bytes;             /* bytes of EVENTS packets, framing included */
    uint64_t samples, missed_samples; /* taken; due and not taken in time */
    uint64_t repairs;                 /* repairs by the timeline */
    uint64_t usage;           /* usage errors: wrong calls of the runtime: enum kymo_usage */
    uint64_t unknown_names;   /* events whose site had no name when they passed */
    uint64_t incredible;      /* packets left out: no board can have recorded their contents */
    uint64_t not_finite;      /* values of plots: NaN, infinities */
    uint64_t unkept_blocks;   /* allocations beyond LIVESET_MAX live ones: their size is not kept */
    uint64_t shared_switches; /* to tasks that have no row of their own */
    uint64_t short_flows,     /* between cores: shorter than the error of their clocks */
        unkept_objects; /* events left out: of objects beyond OBJECTS_MAX, or of too many holds */
    int64_t first_ns, last_ns; /* time span */
    uint32_t sessions, lanes, tracks;
    uint32_t unnamed_tasks;            /* tracks that show the address of a context */
    uint32_t sites, unknown_sites;     /* of the last session: with names, and used without */
    uint64_t clock_hz;                 /* as used */
    uint64_t clock_changes;            /* that the firmware reported */
    uint64_t unknown_clocks;           /* the same of other clocks, stepped over */
    char clock_text[CLOCK_WATCH_TEXT]; /* fault of the board's clock, "" = none */
    uint64_t clock_measured_hz;        /* against the host's clock, 0 = could not be measured */
    bool names_in_elf;                 /* the board of the last session sends no names */
    bool wrong_elf; /* the ELF file that was given is not of the program of the last session */
    bool final;     /* the board said that nothing follows */
    struct board_info info;
    uint64_t large_whole, large_cut, large_cancelled, large_bytes; /* large things, see large.h */
    struct device_totals devices;
    uint64_t unknown_packets; /* of types that this hostlink does not know */
};

/* True if anything came from a board. */
static inline bool totals_heard_board(const struct pipeline_totals *totals) {
    return totals->packets > 0;
}

struct pipeline_callbacks {
    void *context;
    bool names_only; /* first pass over a stream that is read again: no events */
    /* A resolved event. Non-zero stops the feed, which returns it. May be NULL. */
    int (*event)(void *context, const struct event *event);
    /* A line that the board printed beside the trace. May be NULL. */
    void (*console)(void *context, const char *text, size_t length);
    /* A clock answer of the board: all in ns of the host but ticks. May be NULL. */
    void (*pong)(void *context, uint64_t cookie, uint64_t board_ticks);
    /* A pair of times of the board and the host. A value other than 0 stops the feed. May be NULL. */
    int (*host)(void *context, const struct host_mark *mark);
    /* The value of a parameter and its bounds, for command_set_param(). May be NULL. */
    void (*param)(void *context, uint32_t index, const char *name, int32_t value, int32_t minimum,
                  int32_t maximum);
    /* Commands are refused or must be signed, see guard.h: "challenge" has KYMO_CHALLENGE_BYTES, NULL =
     * the board's image has no key. May be NULL. */
    void (*guard)(void *context, uint64_t refused, uint64_t accepted, const uint8_t *challenge);
    /* Large things of the board, see large.h. May be NULL. */
    large_receive *large;
    void *large_context;
    /* A line worth a user's attention: reset of the board, version mismatch ... May be NULL. */
    void (*notice)(void *context, const char *text);
};

/* NULL when memory is short. Names and rate known from an earlier pass over the same bytes are used
 * from the start; that pipeline must outlive this one. */
struct pipeline *pipeline_new(const struct pipeline_callbacks *callbacks,
                              const struct pipeline *names_from);
void pipeline_free(struct pipeline *pipeline);

/* From now on names that the board has not sent are taken from the ELF file of its program, if it is that. "image"
 * must outlive the pipeline; NULL changes nothing. */
void pipeline_know(struct pipeline *pipeline, const struct known_image *image);
/* Adds symbols from elsewhere, of a program that is known to be the board's. They must outlive the pipeline. */
void pipeline_know_symbols(struct pipeline *pipeline, const struct symbols *symbols);
/* The stream begins at that byte of its file. */
void pipeline_begins_at(struct pipeline *pipeline, uint64_t at);
/* The state of pipeline_know() in the current session. */
const struct names_from_elf *pipeline_names_from_elf(const struct pipeline *pipeline);

/* Feeds any number of bytes of the stream. Returns 0, or the event callback's value. */
int pipeline_feed(struct pipeline *pipeline, const uint8_t *bytes, size_t length);

/* Nothing arrived for a while: passes on the events that wait for slower cores. Returns 0, or as pipeline_feed(). */
int pipeline_quiet(struct pipeline *pipeline);

/* Nothing is missing up to this tick of the board's clock: passes on the events up to it that wait for slower cores.
 * Returns 0, or as pipeline_feed(). */
int pipeline_complete(struct pipeline *pipeline, uint64_t ticks);

/* End of the stream: closes everything that is open. Call once. */
int pipeline_end(struct pipeline *pipeline);

/* With the host callback: the board's time by the latest packet and stamp, while no mark of the session has come yet.
 * False: unknown. */
bool pipeline_host_guess(const struct pipeline *pipeline, struct host_mark *mark);

void pipeline_totals(const struct pipeline *pipeline, struct pipeline_totals *totals);
/* The number of tasks and objects that were shown before they were named. */
uint32_t pipeline_late_names(const struct pipeline *pipeline);
/* True when sites have been used whose names have not arrived. */
bool pipeline_wants_names(const struct pipeline *pipeline);
/* The image's name, "" until known. */
const char *pipeline_image(const struct pipeline *pipeline);

#endif
