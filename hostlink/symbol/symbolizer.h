/* SPDX-License-Identifier: MIT */
/* The symbols of one ELF file: from the user's own program for that, and if it fails from the file's table of symbols
 * alone. Each address is looked up once. */
#ifndef HOSTLINK_SYMBOLIZER_H
#define HOSTLINK_SYMBOLIZER_H

#include "elf/call_frames.h"
#include "elf/functions.h"
#include "model/code_table.h"
#include "symbol/addr2line.h"

/* For one answer: the first may have to read hundreds of megabytes. */
#define SYMBOLIZER_LIMIT_NS (UINT64_C(20) * 1000000000)
#define SYMBOLIZER_GLANCES 4096u
#define SYMBOLIZER_MOVES 64u

/* TRIES: the program is being started. Else the question asked without waiting, and if the answer is there. */
enum symbolizer_question {
    SYMBOLIZER_ASKS_NOTHING,
    SYMBOLIZER_TRIES,
    SYMBOLIZER_ASKS,
    SYMBOLIZER_IS_ANSWERED
};

struct symbolizer {
    /* Set by the caller. */
    const struct elf *elf;
    const char *elf_path;
    uint64_t bias; /* added to where the file has it, of a program that was loaded elsewhere */
    const char
        *program; /* NULL = one that knows the machine; "none" = the table of symbols alone */
    const struct tool_host *host; /* runs it */
    const char *choice;           /* how a user chooses another one, for a message */
    uint64_t limit_ns;            /* 0 = SYMBOLIZER_LIMIT_NS */
    void (*warn)(void *context, const char *text); /* a sentence, once */
    void *context;

    /* Its own. */
    bool started, has_frames; /* "frames" was read */
    const char *running;      /* the program, NULL = none */
    size_t candidate;         /* number of the one that is tried */
    enum symbolizer_question question;
    struct tool tool;
    struct elf_functions functions;
    struct call_frames frames;
    struct code_table table;
    struct code_table glances;         /* the last ones that symbolizer_glance() gave */
    uint64_t before[SYMBOLIZER_MOVES]; /* other values of "bias", a ring */
    size_t moves;
    struct addr2line_answer answer;
};

/* Starts the program and asks it a first time, which takes longest; else the first look-up does. */
void symbolizer_start(struct symbolizer *symbolizer);
/* The program was started again, and is loaded elsewhere. Addresses of its last SYMBOLIZER_MOVES runs stay known:
 * some outputs ask for them late. */
void symbolizer_move(struct symbolizer *symbolizer, uint64_t bias);
/* The bias of the run that has this address. */
uint64_t symbolizer_bias(const struct symbolizer *symbolizer, uint64_t address);
/* Looks up a return address; NULL = unknown. */
const struct code_place *symbolizer_find(struct symbolizer *symbolizer, uint64_t address);
/* The same, but kept for the present only, so that any number can be looked for: valid until the next call. */
const struct code_place *symbolizer_glance(struct symbolizer *symbolizer, uint64_t address);
/* True: a look-up of this address does not wait. Else the program is started or asked: call again, with the same
 * address until it is true. */
bool symbolizer_is_ready(struct symbolizer *symbolizer, uint64_t address);
/* Machine code of the function that begins at "start"; NULL = not found, shorter, or Thumb code. */
const uint8_t *symbolizer_code(struct symbolizer *symbolizer, uint64_t start, uint64_t bytes);
/* The same as in struct symbols; no program is asked. */
bool symbolizer_is_frameless(struct symbolizer *symbolizer, uint64_t address);
void symbolizer_close(struct symbolizer *symbolizer);

#endif
