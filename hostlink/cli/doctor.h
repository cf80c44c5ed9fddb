/* SPDX-License-Identifier: MIT */
/* Findings of 'hostlink doctor': faults, in the order in which to look, and facts that are as they should be. */
#ifndef HOSTLINK_DOCTOR_H
#define HOSTLINK_DOCTOR_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "capture/replay.h"
#include "cli/cmd.h"
#include "cli/findings.h"
#include "cli/live_settings.h"

#define DOCTOR_FINDINGS 64u
#define DOCTOR_FACTS 32u
#define DOCTOR_NAME 12

struct doctor {
    /* Set by the caller. */
    struct live_settings
        live; /* source: a port, a capture, an ELF file; NULL: the ELF file of --elf alone */

    const char *board; /* of several, that is looked at now; NULL: the only one */

    /* Results. */
    struct doctor_finding {
        enum finding of;
        char *text;
    } wrong[DOCTOR_FINDINGS];
    unsigned wrong_count, left_out;
    struct doctor_fact {
        const char *name;
        char *text;
    } well[DOCTOR_FACTS];
    unsigned well_count;
    bool elf_is_open, is_serial;
    unsigned line_percent; /* see findings_of_trace() */
    uint32_t found_baud;   /* at which packets came, where it is not line.baud; else 0 */
};

/* Findings go here: one that is there already is not added again. */
struct findings doctor_findings(struct doctor *doctor);
/* Something that was looked at and is as it should be. */
void doctor_well(struct doctor *doctor, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Prints all; the status that fits. */
enum exit_code doctor_print(struct doctor *doctor, FILE *out);
void doctor_free(struct doctor *doctor);

/* The ELF files of the options are opened, and the program's is looked at. */
void doctor_image(struct doctor *doctor);
/* The worst that the program did in a recording whose names are known; makes more passes over it. */
void doctor_program(struct doctor *doctor, struct replay *replay, const struct pipeline *names);
/* A recording. */
void doctor_trace(struct doctor *doctor, struct replay *replay);
/* A port or another live source, for a while. */
void doctor_source(struct doctor *doctor);

#endif
