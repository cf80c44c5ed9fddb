#include "symbol/symbolizer.h"

#include <stdio.h>
#include <string.h>

#include "symbol/programs.h"

#define WARNING_BYTES 400u

static void warn(struct symbolizer *s, const char *program, const char *what) {
    char text[WARNING_BYTES];
    (void)snprintf(text, sizeof text,
                   "%.200s %s: of call stacks only names of functions are shown, from the table of "
                   "symbols; choose another program by %s",
                   program, what, s->choice);
    if (s->warn != NULL) {
        s->warn(s->context, text);
    }
}

/* Runs, and answers for this file. */
static bool try_program(struct symbolizer *s, const char *name) {
    const char *arguments[PROGRAM_ARGUMENTS];
    program_arguments(arguments, name, s->elf_path);
    if (!tool_start(&s->tool, s->host, arguments,
                    s->limit_ns != 0 ? s->limit_ns : SYMBOLIZER_LIMIT_NS)) {
        return false;
    }
    const uint64_t first = s->functions.count != 0 ? s->functions.list[0].start : 0;
    if (addr2line_ask(&s->tool, first, &s->answer)) {
        s->running = name;
        return true;
    }
    tool_end(&s->tool);
    return false;
}

static void start_any(struct symbolizer *s) {
    for (size_t i = 0; s->running == NULL; i++) {
        const char *name = program_for(s->elf->machine, i);
        if (name == NULL) {
            warn(s, program_for(s->elf->machine, 0), "and addr2line cannot be used for this file");
            return;
        }
        (void)try_program(s, name);
        if (s->tool.state == TOOL_LATE) {
            warn(s, name, tool_state_text(s->tool.state));
            return;
        }
    }
}

void symbolizer_start(struct symbolizer *s) {
    if (s->started) {
        return;
    }
    s->started = true;
    (void)elf_functions_open(&s->functions, s->elf);
    if (s->program == NULL) {
        start_any(s);
    } else if (strcmp(s->program, "none") != 0 && !try_program(s, s->program)) {
        warn(s, s->program, tool_state_text(s->tool.state));
    }
}

void symbolizer_move(struct symbolizer *s, uint64_t bias) {
    if (bias != s->bias) {
        s->before[s->moves++ % SYMBOLIZER_MOVES] = s->bias;
        s->bias = bias;
    }
}

uint64_t symbolizer_bias(const struct symbolizer *s, uint64_t address) {
    const size_t kept = s->moves < SYMBOLIZER_MOVES ? s->moves : SYMBOLIZER_MOVES;
    if (elf_at(s->elf, address - s->bias, 1) == NULL) {
        for (size_t back = 1; back <= kept; back++) {
            const uint64_t bias = s->before[(s->moves - back) % SYMBOLIZER_MOVES];
            if (elf_at(s->elf, address - bias, 1) != NULL) {
                return bias;
            }
        }
    }
    return s->bias;
}

/* What the program says; false: it does not work, now or any more. Of an address outside of the file it is not asked:
 * llvm-symbolizer gives it the last symbol before. */
static bool ask(struct symbolizer *s, uint64_t address) {
    s->answer.count = 0;
    if (s->running == NULL || elf_at(s->elf, address, 1) == NULL) {
        return false;
    }
    if (addr2line_ask(&s->tool, address, &s->answer)) {
        return true;
    }
    warn(s, s->running, tool_state_text(s->tool.state));
    tool_end(&s->tool);
    s->running = NULL;
    return false;
}

/* Kymo's markup, which the compiler has put inside the function that it is in. */
static bool is_markup(const struct code_line *line) {
    static const char *const headers[] = {
        "/kymo/functions.h",     "/kymo/iree.h",          "/kymo/kymo.h",
        "/kymo/macros.h",        "/kymo/message_cxx.h",   "/kymo/tracy.h",
        "/kymo/zone_counters.h", "/common/KymoTracy.hpp", "/common/KymoTracyC.h"};
    const size_t length = strlen(line->file);
    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++) {
        const size_t bytes = strlen(headers[i]);
        if (length >= bytes && strcmp(line->file + length - bytes, headers[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* A call stack begins with the function of the firmware. */
static void leave_out_markup(struct code_place *place) {
    while (place->count > 1 && is_markup(&place->lines[0])) {
        place->lines++;
        place->count--;
    }
}

/* binutils know no more than the line in C++ of clang. */
static void name_outermost(struct addr2line_answer *answer, const struct elf_function *function) {
    struct code_line *outermost = &answer->lines[answer->count - 1];
    if (outermost->function[0] == '\0') {
        outermost->function = function->name;
    }
}

static const struct code_entry *look_up(struct symbolizer *s, struct code_table *table,
                                        uint64_t address) {
    const uint64_t bias = symbolizer_bias(s, address), linked = address - bias;
    const uint64_t call = linked != 0 ? linked - 1 : 0;
    const struct elf_function *function = elf_functions_at(&s->functions, call);
    if (ask(s, call) && s->answer.count != 0 && function != NULL) {
        name_outermost(&s->answer, function);
    }
    struct code_place place = {.count = s->answer.count, .lines = s->answer.lines};
    leave_out_markup(&place);
    if (function != NULL) {
        place.start = function->start + bias;
        place.bytes = function->end - function->start;
        if (place.count == 0) {
            s->answer.lines[0] = (struct code_line){.function = function->name, .file = ""};
            place.count = 1;
        }
    }
    return code_table_add(table, address, place.count != 0 ? &place : NULL);
}

const struct code_place *symbolizer_find(struct symbolizer *s, uint64_t address) {
    const struct code_entry *entry = code_table_find(&s->table, address);
    if (entry == NULL && s->table.count < CODE_PLACES_MAX) {
        symbolizer_start(s);
        entry = look_up(s, &s->table, address);
    }
    return entry != NULL ? entry->place : NULL;
}

const struct code_place *symbolizer_glance(struct symbolizer *s, uint64_t address) {
    const struct code_entry *entry = code_table_find(&s->table, address);
    entry = entry != NULL ? entry : code_table_find(&s->glances, address);
    if (entry == NULL) {
        if (s->glances.count == SYMBOLIZER_GLANCES) {
            code_table_free(&s->glances);
        }
        symbolizer_start(s);
        entry = look_up(s, &s->glances, address);
    }
    return entry != NULL ? entry->place : NULL;
}

const uint8_t *symbolizer_code(struct symbolizer *s, uint64_t start, uint64_t bytes) {
    const uint64_t linked = start - symbolizer_bias(s, start);
    symbolizer_start(s);
    const struct elf_function *function = elf_functions_at(&s->functions, linked);
    const bool has_it = function != NULL && function->start == linked && !function->is_thumb &&
                        bytes != 0 && bytes <= function->end - function->start;
    return has_it ? elf_at(s->elf, linked, (size_t)bytes) : NULL;
}

void symbolizer_close(struct symbolizer *s) {
    if (s->running != NULL) {
        tool_end(&s->tool);
    }
    elf_functions_free(&s->functions);
    code_table_free(&s->table);
    code_table_free(&s->glances);
    s->running = NULL;
    s->started = false;
}
