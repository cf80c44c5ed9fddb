/* SPDX-License-Identifier: MIT */
/* The program's worst cases, in a line each, and why a zone was slow at times. */
#include <stdlib.h>
#include <string.h>

#include "base/human.h"
#include "base/utf8.h"
#include "cli/convert.h"
#include "cli/doctor.h"
#include "cli/program.h"
#include "sink/longest.h"
#include "sink/zonestats.h"

#define NAME_BYTES 96u
/* A zone is uneven if its longest run took so many times the usual one, of so many runs. */
#define UNEVEN_TIMES 3u
#define UNEVEN_RUNS 20u

struct looks {
    struct program *program;
    struct zonestats *zones;
};

static const char *clean(char out[NAME_BYTES], const char *name) {
    utf8_clean(out, NAME_BYTES, name, strlen(name));
    return out;
}

static const char *track_name(char out[NAME_BYTES], const struct track *track) {
    return clean(out, track ? track->name : "somebody");
}

static int on_event(void *context, const struct event *event) {
    struct looks *looks = context;
    const int error = program_event(looks->program, event);
    return error ? error : zonestats_event(looks->zones, event);
}

/* ---- zones ---- */

/* Characters that a pattern of names would take for more than a letter. */
static void escape(char *out, size_t size, const char *name) {
    size_t used = 0;
    for (; *name != '\0' && used + 3 < size; name++) {
        if (strchr("*?[]\\", *name)) {
            out[used++] = '\\';
        }
        out[used++] = *name;
    }
    out[used] = '\0';
}

/* Finds the zone whose longest run exceeds the usual one by most. False: no zone. */
static bool find_uneven(const struct zonestats *zones, struct zonestats_row *uneven) {
    size_t count = 0;
    struct zonestats_row *rows = zonestats_rows(zones, &count);
    uint64_t most = 0;
    for (size_t i = 0; rows && i < count; i++) {
        const uint64_t usual = rows[i].p50_ns > 0 ? rows[i].p50_ns : 1;
        const uint64_t above = rows[i].max_ns - rows[i].p50_ns;
        if (rows[i].count >= UNEVEN_RUNS && rows[i].max_ns / usual >= UNEVEN_TIMES &&
            above > most) {
            most = above;
            *uneven = rows[i];
        }
    }
    free(rows);
    return most > 0;
}

static int on_find(void *longest, const struct event *event) {
    return longest_find(longest, event);
}
static int on_explain(void *longest, const struct event *event) {
    return longest_explain(longest, event);
}

static int pass(const struct doctor *doctor, struct replay *replay, const struct pipeline *names,
                const struct consumer *consumer, struct conversion *conversion) {
    const struct receivers receivers = {.image = elf_names_image(&doctor->live.elf),
                                        .consumer = consumer};
    return conversion_run(conversion, replay, names, &receivers);
}

static void say_cause(const struct findings *to, const struct zonestats_row *uneven,
                      const struct longest_cause *cause) {
    char zone[NAME_BYTES], part[NAME_BYTES], holder[NAME_BYTES], usual[HUMAN_SIZE],
        took[HUMAN_SIZE], of[HUMAN_SIZE];
    findings_add(
        to, FINDING_PROGRAM,
        "slow at times at %.6f s: zone %s took %s, usually %s; most of it, %s, was %s%s%s%s%s",
        (double)cause->at_ns / 1e9, clean(zone, cause->zone->name), human_time(took, cause->ns),
        human_time(usual, uneven->p50_ns), human_time(of, cause->part_ns), cause->what,
        cause->name[0] != '\0' ? " " : "", clean(part, cause->name),
        cause->other ? ", held by " : "", cause->other ? track_name(holder, cause->other) : "");
}

static void explain(struct doctor *doctor, struct replay *replay, const struct pipeline *names,
                    const struct zonestats_row *uneven) {
    struct conversion first = {0}, second = {0};
    struct longest_cause cause;
    char pattern[512];
    escape(pattern, sizeof pattern, uneven->site->name);
    struct selection selection = {0};
    struct longest *longest = longest_new(pattern, 1, &selection);
    if (!longest) {
        return;
    }
    const struct consumer finds = {.state = longest, .event = on_find};
    const struct consumer explains = {.state = longest, .event = on_explain};
    if (pass(doctor, replay, names, &finds, &first) == 0 &&
        pass(doctor, replay, names, &explains, &second) == 0 && longest_cause(longest, &cause)) {
        const struct findings to = doctor_findings(doctor);
        say_cause(&to, uneven, &cause);
    }
    longest_free(longest);
    conversion_free(&first);
    conversion_free(&second);
    selection_free(&selection);
}

void doctor_program(struct doctor *doctor, struct replay *replay, const struct pipeline *names) {
    const struct findings to = doctor_findings(doctor);
    struct looks looks = {.program = program_new(), .zones = zonestats_new()};
    struct zonestats_row uneven;
    struct conversion conversion = {0};
    const struct consumer consumer = {.state = &looks, .event = on_event};
    if (looks.program && looks.zones && pass(doctor, replay, names, &consumer, &conversion) == 0) {
        (void)program_say(looks.program, &conversion.totals, false, &to);
        if (find_uneven(looks.zones, &uneven)) {
            explain(doctor, replay, names, &uneven);
        }
    }
    conversion_free(&conversion);
    program_free(looks.program);
    zonestats_free(looks.zones);
}
