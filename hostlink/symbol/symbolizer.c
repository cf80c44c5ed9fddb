/* SPDX-License-Identifier: MIT */
#include "symbol/symbolizer.h"

#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
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

/* NULL: there are no more. */
static const char *candidate(const struct symbolizer *s, size_t index) {
    if (s->program != NULL) {
        return index == 0 && strcmp(s->program, "none") != 0 ? s->program : NULL;
    }
    return program_for(s->elf->machine, index);
}

/* Starts the next one that can be started, and asks it a first time. */
static void try_next(struct symbolizer *s) {
    const char *arguments[PROGRAM_ARGUMENTS];
    const uint64_t first = s->functions.count != 0 ? s->functions.list[0].start : 0;
    for (const char *name; (name = candidate(s, s->candidate)) != NULL; s->candidate++) {
        program_arguments(arguments, name, s->elf_path);
        if (tool_start(&s->tool, s->host, arguments,
                       s->limit_ns != 0 ? s->limit_ns : SYMBOLIZER_LIMIT_NS)) {
            (void)addr2line_begin(&s->tool, first, &s->answer);
            s->question = SYMBOLIZER_TRIES;
            return;
        }
    }
    if (s->program == NULL) {
        warn(s, program_for(s->elf->machine, 0), "and addr2line cannot be used for this file");
    } else if (s->candidate != 0) {
        warn(s, s->program, tool_state_text(s->tool.state));
    }
}

/* Its first answer has not come. One that is late is the last that is tried, as others may take as long. */
static void leave_out(struct symbolizer *s) {
    const char *name = candidate(s, s->candidate);
    const bool is_last = s->program == NULL && s->tool.state == TOOL_LATE;
    tool_end(&s->tool);
    s->question = SYMBOLIZER_ASKS_NOTHING;
    s->candidate++;
    if (is_last) {
        warn(s, name, tool_state_text(s->tool.state));
    } else {
        try_next(s);
    }
}

/* False: it is not known yet which program answers for this file. */
static bool has_started(struct symbolizer *s) {
    if (!s->started) {
        s->started = true;
        (void)elf_functions_open(&s->functions, s->elf);
        try_next(s);
    }
    while (s->question == SYMBOLIZER_TRIES) {
        switch (addr2line_go_on(&s->tool, &s->answer)) {
        case ADDR2LINE_COMES:
            return false;
        case ADDR2LINE_IS_THERE:
            s->running = candidate(s, s->candidate);
            s->question = SYMBOLIZER_ASKS_NOTHING;
            break;
        case ADDR2LINE_FAILS:
        default:
            leave_out(s);
        }
    }
    return true;
}

void symbolizer_start(struct symbolizer *s) {
    while (!has_started(s)) {
        tool_await(&s->tool);
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

/* The program does not work any more. */
static void give_up(struct symbolizer *s) {
    warn(s, s->running, tool_state_text(s->tool.state));
    tool_end(&s->tool);
    s->running = NULL;
}

/* It is not asked about an address in no function: programs answer with the symbol before, as _etext. */
static bool can_be_asked(const struct symbolizer *s, uint64_t address) {
    const bool is_known = s->functions.count == 0
                              ? elf_is_code(s->elf, address)
                              : elf_functions_at(&s->functions, address) != NULL;
    return s->running != NULL && program_knows(s->running, address) && is_known;
}

/* Asks the program; false: it does not work, now or any more. */
static bool ask(struct symbolizer *s, uint64_t address) {
    const bool is_there = s->question == SYMBOLIZER_IS_ANSWERED && s->answer.address == address;
    s->question = SYMBOLIZER_ASKS_NOTHING;
    if (can_be_asked(s, address)) {
        if (is_there || addr2line_ask(&s->tool, address, &s->answer)) {
            return true;
        }
        give_up(s);
    }
    s->answer.count = 0;
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

/* Finds in a name where the compiler's suffix for a copy of a function begins, for example ".constprop.0"; or its
 * end. No name in a source has such a dot. */
static const char *end_of_name(const char *name) {
    static const char *const copies[] = {"constprop", "isra", "part", "cold", "lto_priv", "llvm"};
    for (const char *dot = strchr(name, '.'); dot != NULL; dot = strchr(dot + 1, '.')) {
        for (size_t i = 0; i < sizeof copies / sizeof copies[0]; i++) {
            const size_t length = strlen(copies[i]);
            if (strncmp(dot + 1, copies[i], length) == 0 &&
                strchr(".])", dot[1 + length]) != NULL) {
                const size_t clone = sizeof " [clone " - 1;
                return (size_t)(dot - name) >= clone && memcmp(dot - clone, " [clone ", clone) == 0
                           ? dot - clone
                       : dot - name >= 2 && memcmp(dot - 2, " (", 2) == 0 ? dot - 2
                                                                          : dot;
            }
        }
    }
    return name + strlen(name);
}

/* Programs differ in the name of the outermost function: some have none in C++ of clang; of several names of one
 * address without a file each takes another; and copies of a function have a name of their own. It is the same one
 * whatever program was asked. A name that is mangled stays as the program shows it. */
static void name_outermost(struct addr2line_answer *answer, const struct elf_function *function) {
    const size_t at = answer->count - 1;
    struct code_line *outermost = &answer->lines[at];
    const bool is_mangled = function != NULL && (strncmp(function->name, "_Z", 2) == 0 ||
                                                 strncmp(function->name, "_R", 2) == 0);
    if (function != NULL &&
        (outermost->function[0] == '\0' || (outermost->file[0] == '\0' && !is_mangled))) {
        outermost->function = function->name;
    }
    const size_t length = (size_t)(end_of_name(outermost->function) - outermost->function);
    if (outermost->function[length] != '\0') {
        utf8_clean(answer->text[2 * at], CODE_TEXT_BYTES_MAX, outermost->function, length);
        outermost->function = answer->text[2 * at];
    }
}

static uint64_t call_of(uint64_t address) { return address != 0 ? address - 1 : 0; }

bool symbolizer_is_frameless(struct symbolizer *s, uint64_t address) {
    if (!s->has_frames) {
        s->has_frames = true;
        (void)call_frames_open(&s->frames, s->elf);
    }
    return call_frames_is_frameless(&s->frames, address - symbolizer_bias(s, address));
}

static const struct code_entry *look_up(struct symbolizer *s, struct code_table *table,
                                        uint64_t address) {
    const uint64_t bias = symbolizer_bias(s, address), call = call_of(address - bias);
    const struct elf_function *function = elf_functions_at(&s->functions, call);
    if (!ask(s, call) || s->answer.count == 0) {
        s->answer.lines[0] =
            (struct code_line){.function = function != NULL ? function->name : "", .file = ""};
        s->answer.count = function != NULL;
    }
    if (s->answer.count != 0) {
        name_outermost(&s->answer, function);
    }
    struct code_place place = {.count = s->answer.count, .lines = s->answer.lines};
    place.is_frameless = symbolizer_is_frameless(s, call + bias);
    leave_out_markup(&place);
    if (function != NULL) {
        place.start = function->start + bias;
        place.bytes = function->end - function->start;
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

bool symbolizer_is_ready(struct symbolizer *s, uint64_t address) {
    if (code_table_find(&s->table, address) != NULL ||
        code_table_find(&s->glances, address) != NULL) {
        return true;
    }
    if (!has_started(s)) {
        return false;
    }
    const uint64_t call = call_of(address - symbolizer_bias(s, address));
    if (!can_be_asked(s, call)) {
        return true;
    }
    if (s->question == SYMBOLIZER_ASKS_NOTHING || s->answer.address != call) {
        s->question = SYMBOLIZER_ASKS;
        (void)addr2line_begin(&s->tool, call, &s->answer);
    }
    const enum addr2line_state state =
        s->question == SYMBOLIZER_ASKS ? addr2line_go_on(&s->tool, &s->answer) : ADDR2LINE_IS_THERE;
    s->question = state == ADDR2LINE_COMES      ? SYMBOLIZER_ASKS
                  : state == ADDR2LINE_IS_THERE ? SYMBOLIZER_IS_ANSWERED
                                                : SYMBOLIZER_ASKS_NOTHING;
    if (state == ADDR2LINE_FAILS) {
        give_up(s);
    }
    return state != ADDR2LINE_COMES;
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
    if (s->running != NULL || s->question == SYMBOLIZER_TRIES) {
        tool_end(&s->tool);
    }
    elf_functions_free(&s->functions);
    call_frames_free(&s->frames);
    s->has_frames = false;
    code_table_free(&s->table);
    code_table_free(&s->glances);
    s->running = NULL;
    s->started = false;
    s->question = SYMBOLIZER_ASKS_NOTHING;
    s->candidate = 0;
}
