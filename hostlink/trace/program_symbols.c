/* SPDX-License-Identifier: MIT */
/* The symbols at the addresses of each program that ran: those of the stream, of the image, and others. */
#include <errno.h>
#include <stdlib.h>

#include "trace/pipeline_state.h"

static const struct known_image *image_of(const struct program_symbols *program) {
    return program->pipeline->elf_names.image;
}

static const struct code_entry *kept_of(const struct program_symbols *program, uint64_t address) {
    return code_kept_find(program->pipeline->kept, &program->of, address);
}

/* The symbols in the capture take precedence: they were written with the file of the program that ran. */
static const struct code_place *find_symbol(void *state, uint64_t address) {
    const struct program_symbols *program = state;
    const struct known_image *image = image_of(program);
    const struct code_entry *entry = kept_of(program, address);
    return entry != NULL   ? entry->place
           : image != NULL ? symbols_find(image->symbols, address)
                           : symbols_find(program->pipeline->other_symbols, address);
}

static const struct code_place *glance(void *state, uint64_t address) {
    const struct program_symbols *program = state;
    const struct known_image *image = image_of(program);
    const struct code_entry *entry = kept_of(program, address);
    return entry != NULL   ? entry->place
           : image != NULL ? symbols_glance(image->symbols, address)
                           : symbols_glance(program->pipeline->other_symbols, address);
}

static bool is_ready(void *state, uint64_t address) {
    const struct program_symbols *program = state;
    return image_of(program) != NULL || kept_of(program, address) != NULL ||
           symbols_are_ready(program->pipeline->other_symbols, address);
}

static const uint8_t *find_code(void *state, uint64_t start, uint64_t bytes) {
    const struct known_image *image = image_of(state);
    return image != NULL ? symbols_code(image->symbols, start, bytes) : NULL;
}

static bool is_frameless(void *state, uint64_t address) {
    const struct program_symbols *program = state;
    const struct known_image *image = image_of(program);
    const struct code_entry *entry = kept_of(program, address + 1);
    return entry != NULL   ? entry->place->is_frameless
           : image != NULL ? symbols_frameless(image->symbols, address)
                           : symbols_frameless(program->pipeline->other_symbols, address);
}

static void heard(void *state, const char *text) {
    const struct known_image *image = image_of(state);
    const struct program_symbols *program = state;
    symbols_heard(image != NULL ? image->symbols : program->pipeline->other_symbols, text);
}

/* A lookup may only wait for other symbols. */
static void set_ready(struct program_symbols *program) {
    const struct symbols *other = program->pipeline->other_symbols;
    program->symbols.is_ready = other != NULL && other->is_ready != NULL ? is_ready : NULL;
}

static struct program_symbols *new_program(struct pipeline *p, const struct code_program *of) {
    struct program_symbols *made = calloc(1, sizeof *made);
    if (made != NULL) {
        *made = (struct program_symbols){.pipeline = p, .of = *of, .next = p->programs};
        made->symbols = (struct symbols){.state = made,
                                         .find = find_symbol,
                                         .glance = glance,
                                         .code = find_code,
                                         .is_frameless = is_frameless,
                                         .heard = heard};
        set_ready(made);
        p->programs = made;
    }
    return made;
}

/* Programs with symbols of their own. Sessions may name more: addresses in those find only the symbols that are given
 * for any program. */
#define PROGRAMS_MAX 256u

int pipeline_program(struct pipeline *p, const struct code_program *of) {
    static const struct code_program any = {0};
    uint32_t count = 0;
    struct program_symbols *program = p->programs;
    for (; program != NULL && !code_program_is(&program->of, of); program = program->next) {
        count++;
    }
    if (program == NULL && count >= PROGRAMS_MAX) {
        return pipeline_program(p, &any);
    }
    program = program != NULL ? program : new_program(p, of);
    if (program == NULL) {
        return -ENOMEM;
    }
    timeline_know(p->timeline, &program->symbols);
    return 0;
}

void pipeline_programs_free(struct pipeline *p) {
    while (p->programs != NULL) {
        struct program_symbols *next = p->programs->next;
        free(p->programs);
        p->programs = next;
    }
}

void pipeline_know_symbols(struct pipeline *p, const struct symbols *symbols) {
    p->other_symbols = symbols;
    for (struct program_symbols *program = p->programs; program != NULL; program = program->next) {
        set_ready(program);
    }
}
