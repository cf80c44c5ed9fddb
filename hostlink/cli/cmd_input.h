/* SPDX-License-Identifier: MIT */
/* Common code of the sub-commands that read a capture file. */
#ifndef HOSTLINK_CMD_INPUT_H
#define HOSTLINK_CMD_INPUT_H

#include "capture/replay.h"
#include "cli/cmd.h"
#include "cli/elf_names.h"
#include "trace/pipeline.h"

/* The capture file, and the program whose names it may lack. Zero before it is open, except what options give. */
struct cmd_input {
    const char *path;
    const char *symbolizer; /* NULL = any */
    struct elf_names elf;
    struct replay replay;
};

/* Rows of a table of options whose settings have a struct cmd_input "input": the files of names, and the end of the
 * table with the input file. */
#define CMD_INPUT_SPECS                                                                            \
    ELF_NAMES_SPEC(elf_images_add, OPTION_AT(input.elf.images)),                                   \
        SYMBOLIZER_SPEC(OPTION_TEXT(input.symbolizer))
#define CMD_INPUT_OPERAND                                                                          \
    { .take = cmd_set_input, .at = OPTION_AT(input.path) }
#define OUTPUT_SPEC(at)                                                                            \
    {                                                                                              \
        "output", 'o', "OUT",                                                                      \
            "a file whose suffix names the format, or FORMAT:PATH;\n"                              \
            "'-' as PATH is standard output; repeats",                                             \
            cmd_add_output, at                                                                     \
    }

/* "take" of options (base/options.h): an operand as the one input file, into a const char *; an output, into a struct
 * outputs; --csv or --json, into an enum table_form. */
int cmd_set_input(void *input, const struct options *options);
int cmd_add_output(void *outputs, const struct options *options);
int cmd_set_form(void *form, const struct options *options);
/* EXIT_OK, or an error in one of the two, which was reported; then nothing is open. */
enum exit_code cmd_input_open(struct cmd_input *input);
void cmd_input_close(struct cmd_input *input);
/* EXIT_OK, or EXIT_NO_DATA, with a message, if nothing in the file came from a board. */
enum exit_code cmd_check_data(const struct replay *replay, const struct pipeline_totals *totals);
/* False, with a message, if the page would overwrite one of the files that it is made of. */
bool cmd_page_is_apart(const char *page, const char *const *inputs, size_t count);
/* Call after the last line on standard output: EXIT_OK, or EXIT_OUTPUT, with a message, if it could not be
 * written. */
enum exit_code cmd_end_stdout(void);
/* The callback for notices: prints them. */
void cmd_notice(void *context, const char *text);

#endif
