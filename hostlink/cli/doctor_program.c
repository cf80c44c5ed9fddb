/* SPDX-License-Identifier: MIT */
/* The worst of what the program did, in a line each: what its tasks, interrupts, locks, memory and zones show. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/human.h"
#include "base/utf8.h"
#include "cli/convert.h"
#include "cli/doctor.h"
#include "platform/memory_stream.h"
#include "sink/held_waits.h"
#include "sink/longest.h"
#include "sink/measures.h"
#include "sink/memorytable.h"
#include "sink/taskstats.h"
#include "sink/zonestats.h"

#define NAME_BYTES 96u
/* A zone is uneven if its longest run took so many times the usual one, of so many runs. */
#define UNEVEN_TIMES 3u
#define UNEVEN_RUNS 20u
/* A pool may leak if so many blocks are live at the end, and a tenth of all. */
#define LEAK_BLOCKS 16u
#define LEAK_PART 10u

struct looks {
    struct taskstats *tasks;
    struct zonestats *zones;
    struct measures measures;
    struct memorytable memory;
    struct held_waits held;
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
    int error = taskstats_event(looks->tasks, event);
    error = error ? error : zonestats_event(looks->zones, event);
    error = error ? error : measures_event(&looks->measures, event);
    error = error ? error : memorytable_event(&looks->memory, event);
    return error ? error : held_waits_event(&looks->held, event);
}

/* ---- tasks ---- */

/* True: a storm is named. */
static bool say_tasks(const struct findings *to, struct taskstats *tasks) {
    char *text = NULL, *rest = NULL;
    size_t bytes = 0;
    bool has_storm = false;
    FILE *out = memory_stream_open(&text, &bytes);
    if (!out || taskstats_end(tasks) != 0) {
        if (out) {
            (void)memory_stream_close(out);
        }
        free(text);
        return false;
    }
    taskstats_worst(tasks, out);
    (void)memory_stream_close(out);
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        has_storm = has_storm || strncmp(line, "interrupt storm", 15) == 0;
        findings_add(to, FINDING_PROGRAM, "%s", line);
    }
    free(text);
    return has_storm;
}

static void say_held(const struct findings *to, const struct held_waits *held) {
    char who[NAME_BYTES], what[NAME_BYTES], lasted[HUMAN_SIZE];
    if (held->track) {
        findings_add(to, FINDING_PROGRAM,
                     "lock held across a wait at %.6f s: %s waited %s (%s) and held %s meanwhile: "
                     "give a lock back before waiting",
                     (double)held->at_ns / 1e9, track_name(who, held->track),
                     human_time(lasted, held->ns), task_why_word(held->why),
                     clean(what, held->object->name));
    }
}

/* ---- interrupts and locks ---- */

static const struct measure *most_of(const struct measures *measures, enum measure_of of,
                                     bool (*counts)(const struct measure *row)) {
    const struct measure *found = NULL;
    for (uint32_t i = 0; i < measures->count; i++) {
        const struct measure *row = &measures->rows[i];
        if (row->of == of && counts(row) &&
            (!found ||
             (of == MEASURE_WAIT ? row->most_ns > found->most_ns : row->peak > found->peak))) {
            found = row;
        }
    }
    return found;
}

static bool was_waited(const struct measure *row) { return row->count > 0; }

static void say_measures(const struct findings *to, const struct measures *measures,
                         bool storm_is_said) {
    char name[NAME_BYTES], who[NAME_BYTES], holder[NAME_BYTES], lasted[HUMAN_SIZE];
    const struct measure *storm = most_of(measures, MEASURE_INTERRUPT, measure_is_storm);
    const struct measure *wait = most_of(measures, MEASURE_WAIT, was_waited);
    if (storm && !storm_is_said) {
        findings_add(to, FINDING_PROGRAM,
                     "interrupt storm at %.2f s: %s came %" PRIu64
                     " times within 10 ms, usually %" PRIu64,
                     (double)storm->peak_at_ns / 1e9, clean(name, storm->name), storm->peak,
                     measure_usual(storm));
    }
    if (wait && wait->most_on && wait->most_other) {
        findings_add(to, FINDING_PROGRAM,
                     "longest wait for a lock at %.6f s: %s waited %s for %s, which %s held",
                     (double)wait->most_at_ns / 1e9, track_name(who, wait->most_on),
                     human_time(lasted, wait->most_ns), clean(name, wait->name),
                     track_name(holder, wait->most_other));
    }
}

/* ---- memory ---- */

static void say_memory(const struct findings *to, const struct memorytable *memory,
                       const struct pipeline_totals *totals) {
    char name[NAME_BYTES], bytes[HUMAN_SIZE];
    for (uint32_t i = 0; i < memory->count; i++) {
        const struct memory_pool *pool = &memory->pools[i];
        if (pool->live >= LEAK_BLOCKS && pool->live >= pool->allocs / LEAK_PART) {
            findings_add(to, FINDING_PROGRAM,
                         "leak? in pool %s: %" PRIu64 " of %" PRIu64
                         " allocations were not freed by the end, %s; stats --stacks shows where "
                         "they are from",
                         clean(name, pool->name), pool->live, pool->allocs,
                         human_number(bytes, (double)pool->live_bytes, "B"));
        }
        if (pool->unknown > 0 && pool->allocs > 0 && totals->lost == 0) {
            findings_add(to, FINDING_PROGRAM, "pool %s: %" PRIu64 " %s of what was not allocated",
                         clean(name, pool->name), pool->unknown,
                         human_noun(pool->unknown, "free", "frees"));
        }
    }
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

/* The one whose longest run exceeds the usual one by most. False: none is. */
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
    struct looks looks = {.tasks = taskstats_new(), .zones = zonestats_new()};
    struct zonestats_row uneven;
    struct conversion conversion = {0};
    looks.measures.wanted = 1u << MEASURE_INTERRUPT | 1u << MEASURE_WAIT | 1u << MEASURE_HOLD;
    const struct consumer consumer = {.state = &looks, .event = on_event};
    if (looks.tasks && looks.zones && pass(doctor, replay, names, &consumer, &conversion) == 0) {
        say_held(&to, &looks.held); /* it may be why others waited */
        const bool storm_is_said = say_tasks(&to, looks.tasks);
        if (measures_settle(&looks.measures) == 0) {
            say_measures(&to, &looks.measures, storm_is_said);
        }
        say_memory(&to, &looks.memory, &conversion.totals);
        if (find_uneven(looks.zones, &uneven)) {
            explain(doctor, replay, names, &uneven);
        }
    }
    conversion_free(&conversion);
    taskstats_free(looks.tasks);
    zonestats_free(looks.zones);
    measures_free(&looks.measures);
    memorytable_free(&looks.memory);
}
