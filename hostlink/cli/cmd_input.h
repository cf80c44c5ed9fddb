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

/* Takes an operand as the one input file. 0, or OPTIONS_WRONG. */
int cmd_set_input(const char **input, const struct options *options);
/* Takes --elf, --symbolizer and the input file, for a command that has no case of its own for them. Returns any other
 * option as it is. */
int cmd_input_option(struct cmd_input *input, const struct options *options, int option);
/* options_each(); then reports that "what" is not given if "*input" is still NULL. */
int cmd_parse(struct options *options,
              int (*apply)(void *settings, const struct options *options, int option),
              void *settings, const char *const *input, const char *what);
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
