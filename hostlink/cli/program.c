/* SPDX-License-Identifier: MIT */
#include "cli/program.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/human.h"
#include "base/utf8.h"
#include "platform/memory_stream.h"
#include "sink/held_waits.h"
#include "sink/measures.h"
#include "sink/memorytable.h"
#include "sink/taskstats.h"

#define NAME_BYTES 96u
/* A pool may leak if so many blocks are live at the end, and a tenth of all. */
#define LEAK_BLOCKS 16u
#define LEAK_PART 10u

struct program {
    struct taskstats *tasks;
    struct measures measures;
    struct memorytable memory;
    struct held_waits held;
};

struct program *program_new(void) {
    struct program *program = calloc(1, sizeof *program);
    if (program) {
        program->tasks = taskstats_new();
        program->measures.wanted =
            1u << MEASURE_INTERRUPT | 1u << MEASURE_WAIT | 1u << MEASURE_HOLD;
    }
    if (program && !program->tasks) {
        program_free(program);
        program = NULL;
    }
    return program;
}

void program_free(struct program *program) {
    if (program) {
        taskstats_free(program->tasks);
        measures_free(&program->measures);
        memorytable_free(&program->memory);
        free(program);
    }
}

int program_event(struct program *program, const struct event *event) {
    int error = taskstats_event(program->tasks, event);
    if (error || event->kind == EVENT_ZONE_END || event_role(event->kind) == KYMO_ROLE_OPENS) {
        return error;
    }
    error = measures_event(&program->measures, event);
    error = error ? error : memorytable_event(&program->memory, event);
    return error ? error : held_waits_event(&program->held, event);
}

/* ---- names ---- */

static const char *clean(char out[NAME_BYTES], const char *name) {
    utf8_clean(out, NAME_BYTES, name, strlen(name));
    return out;
}

static const char *track_name(char out[NAME_BYTES], const struct track *track) {
    return clean(out, track ? track->name : "somebody");
}

/* ---- tasks ---- */

/* Returns the findings, one a line, for free(). NULL: out of memory. */
static char *say_tasks(const struct findings *to, const struct taskstats *tasks) {
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = memory_stream_open(&text, &bytes);
    if (!out) {
        return NULL;
    }
    taskstats_worst(tasks, out);
    if (memory_stream_close(out) != 0) {
        free(text);
        return NULL;
    }
    for (const char *line = text, *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
        findings_add(to, FINDING_PROGRAM, "%.*s", (int)(end - line), line);
    }
    return text;
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

/* A line on tasks names that wait already. */
static bool is_said(const char *said, const struct measure *wait) {
    char at[48];
    snprintf(at, sizeof at, " at %.6f s: ", (double)wait->most_at_ns / 1e9);
    return strstr(said, at) != NULL;
}

static void say_measures(const struct findings *to, const struct measures *measures,
                         const char *said) {
    char name[NAME_BYTES], who[NAME_BYTES], holder[NAME_BYTES], lasted[HUMAN_SIZE];
    const struct measure *storm = most_of(measures, MEASURE_INTERRUPT, measure_is_storm);
    const struct measure *wait = most_of(measures, MEASURE_WAIT, was_waited);
    if (storm && !strstr(said, "interrupt storm at ")) {
        findings_add(to, FINDING_PROGRAM,
                     "interrupt storm at %.6f s: %s came %" PRIu64
                     " times within 10 ms, usually %" PRIu64,
                     (double)storm->peak_at_ns / 1e9, clean(name, storm->name), storm->peak,
                     measure_usual(storm));
    }
    if (wait && wait->most_on && wait->most_other && !is_said(said, wait)) {
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
            findings_add(
                to, FINDING_PROGRAM, "pool %s: %" PRIu64 " %s of memory that was not allocated",
                clean(name, pool->name), pool->unknown, human_noun(pool->unknown, "free", "frees"));
        }
        if (pool->again > 0) {
            findings_add(to, FINDING_PROGRAM,
                         "pool %s: %" PRIu64
                         " %s of an address that was not freed since the last one",
                         clean(name, pool->name), pool->again,
                         human_noun(pool->again, "allocation", "allocations"));
        }
    }
}

int program_say(struct program *program, const struct pipeline_totals *totals, bool is_part,
                const struct findings *to) {
    int error = taskstats_end(program->tasks);
    error = error ? error : measures_settle(&program->measures);
    if (error) {
        return error;
    }
    say_held(to, &program->held); /* it may be why others waited */
    char *said = say_tasks(to, program->tasks);
    say_measures(to, &program->measures, said ? said : "");
    free(said);
    if (!is_part) { /* earlier allocations are unknown */
        say_memory(to, &program->memory, totals);
    }
    return 0;
}
