/* SPDX-License-Identifier: MIT */
/* Faults of a trace, in words, each with its cure: for the lines beside a table, and for doctor. */
#ifndef HOSTLINK_FINDINGS_H
#define HOSTLINK_FINDINGS_H

#include "trace/pipeline.h"

/* In the order in which to look: an earlier one may be the cause of later ones. */
enum finding {
    FINDING_PORT,   /* it cannot be opened */
    FINDING_BYTES,  /* nothing comes, or no packet */
    FINDING_RATE,   /* packets come at another rate */
    FINDING_IMAGE,  /* the ELF file: its linker script, its build, another program */
    FINDING_CLOCK,  /* of the board */
    FINDING_USAGE,  /* how the firmware calls the runtime */
    FINDING_BOARD,  /* what else was noticed while the board ran */
    FINDING_RING,   /* losses on the board */
    FINDING_LINK,   /* losses on the way */
    FINDING_NAMES,  /* that are missing */
    FINDING_REPAIR, /* events that do not fit together */
    FINDING_ROOM,   /* other things that the board had no room for */
    FINDING_LIMIT,  /* where hostlink has reached a limit, or shows less than there is */
    FINDING_NOTE,   /* nothing is wrong, but the user may wonder */
    FINDING_PROGRAM /* the program's worst cases, which may be intended */
};

/* The receiver. */
struct findings {
    void *context;
    void (*take)(void *context, enum finding of, const char *text);
};

void findings_add(const struct findings *to, enum finding of, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The cure where totals->names_in_elf. */
#define FINDINGS_GIVE_ELF "the board does not send its names: give its ELF file by --elf IMAGE"

enum findings_from { FINDINGS_FILE, FINDINGS_SERIAL, FINDINGS_STREAM };
/* Not one valid packet was in so many bytes; "baud" is that of a serial device. */
void findings_no_packet(const struct findings *to, const struct pipeline_totals *totals,
                        uint64_t bytes, enum findings_from from, uint32_t baud);
/* Usage errors of the firmware, and faults of the board's clock. */
void findings_of_board(const struct findings *to, const struct pipeline_totals *totals);
/* Losses and their cause, junk and repairs, which the numbers alone would hide. "line_percent" is how much of its
 * line the board used while it lost events, 0: not known. */
void findings_of_trace(const struct findings *to, const struct pipeline_totals *totals,
                       unsigned line_percent);

struct serial_errors;
/* Errors that the driver counted meanwhile; "heard": packets arrived. */
void findings_of_serial(const struct findings *to, const struct serial_errors *errors, bool heard);

#endif
