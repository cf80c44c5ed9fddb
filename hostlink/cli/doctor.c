/* SPDX-License-Identifier: MIT */
#include "cli/doctor.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* A copy with the name of the board that it is about. NULL: no memory. */
static char *of_board(const struct doctor *doctor, const char *text) {
    char *copy = NULL;
    return !doctor->board                                        ? strdup(text)
           : asprintf(&copy, "%s: %s", doctor->board, text) >= 0 ? copy
                                                                 : NULL;
}

static void take(void *context, enum finding of, const char *text) {
    struct doctor *doctor = context;
    char *copy = doctor->wrong_count < DOCTOR_FINDINGS ? of_board(doctor, text) : NULL;
    for (unsigned i = 0; copy && i < doctor->wrong_count; i++) {
        if (strcmp(doctor->wrong[i].text, copy) == 0) {
            free(copy);
            return;
        }
    }
    if (copy == NULL) {
        doctor->left_out++;
        return;
    }
    doctor->wrong[doctor->wrong_count++] = (struct doctor_finding){of, copy};
}

struct findings doctor_findings(struct doctor *doctor) {
    return (struct findings){doctor, take};
}

void doctor_well(struct doctor *doctor, const char *name, const char *format, ...) {
    char text[512];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    char *copy = doctor->well_count < DOCTOR_FACTS ? of_board(doctor, text) : NULL;
    if (copy != NULL) {
        doctor->well[doctor->well_count++] = (struct doctor_fact){name, copy};
    }
}

/* Stable: the first finding stays first of its kind. */
static void sort(struct doctor *doctor) {
    for (unsigned i = 1; i < doctor->wrong_count; i++) {
        const struct doctor_finding moved = doctor->wrong[i];
        unsigned to = i;
        for (; to > 0 && doctor->wrong[to - 1].of > moved.of; to--) {
            doctor->wrong[to] = doctor->wrong[to - 1];
        }
        doctor->wrong[to] = moved;
    }
}

static const char *name_of(enum finding of) {
    static const char *const names[] = {
        [FINDING_PORT] = "source", [FINDING_BYTES] = "bytes",    [FINDING_RATE] = "baud rate",
        [FINDING_IMAGE] = "ELF",   [FINDING_CLOCK] = "clock",    [FINDING_USAGE] = "usage",
        [FINDING_BOARD] = "board", [FINDING_RING] = "ring",      [FINDING_LINK] = "line",
        [FINDING_NAMES] = "names", [FINDING_REPAIR] = "repairs", [FINDING_ROOM] = "room",
        [FINDING_LIMIT] = "limit", [FINDING_NOTE] = "note",      [FINDING_PROGRAM] = "program"};
    return names[of];
}

static bool is_fault(enum finding of) { return of < FINDING_NOTE; }

static unsigned print_wrong(const struct doctor *doctor, FILE *out) {
    unsigned number = 0;
    for (unsigned i = 0; i < doctor->wrong_count; i++) {
        const struct doctor_finding *finding = &doctor->wrong[i];
        if (is_fault(finding->of)) {
            fprintf(out, "%2u. %-*s %s\n", ++number, DOCTOR_NAME, name_of(finding->of),
                    finding->text);
        }
    }
    if (doctor->left_out > 0) {
        fprintf(out, "    %u more\n", doctor->left_out);
    }
    return number;
}

static enum exit_code status(const struct doctor *doctor) {
    const enum finding first = doctor->wrong_count > 0 ? doctor->wrong[0].of : FINDING_NOTE;
    return !is_fault(first)         ? EXIT_OK
           : first == FINDING_PORT  ? EXIT_SOURCE
           : first == FINDING_BYTES ? EXIT_NO_DATA
                                    : EXIT_UNWELL;
}

enum exit_code doctor_print(struct doctor *doctor, FILE *out) {
    sort(doctor);
    if (print_wrong(doctor, out) == 0) {
        fprintf(out, "nothing is wrong\n");
    }
    for (unsigned i = 0; i < doctor->well_count; i++) {
        fprintf(out, "ok  %-*s %s\n", DOCTOR_NAME, doctor->well[i].name, doctor->well[i].text);
    }
    for (unsigned i = 0; i < doctor->wrong_count; i++) {
        if (!is_fault(doctor->wrong[i].of)) {
            fprintf(out, "    %-*s %s\n", DOCTOR_NAME, name_of(doctor->wrong[i].of),
                    doctor->wrong[i].text);
        }
    }
    return status(doctor);
}

void doctor_free(struct doctor *doctor) {
    for (unsigned i = 0; i < doctor->wrong_count; i++) {
        free(doctor->wrong[i].text);
    }
    for (unsigned i = 0; i < doctor->well_count; i++) {
        free(doctor->well[i].text);
    }
}
