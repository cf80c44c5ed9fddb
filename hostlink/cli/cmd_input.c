/* SPDX-License-Identifier: MIT */
#include "cli/cmd_input.h"

#include <errno.h>
#include <string.h>

#include "base/file_use.h"
#include "base/say.h"
#include "cli/convert.h"
#include "cli/findings.h"
#include "platform/file.h"
#include "sink/output.h"
#include "sink/sink.h"
#include "sink/table.h"

int cmd_set_input(void *member, const struct options *options) {
    const char **input = member;
    if (*input) {
        return sink_for_path(options->value)
                   ? options_wrong(options, "one input file, not also '%s': an output is '-o %s'",
                                   options->value, options->value)
                   : options_wrong(
                         options,
                         "one input file, not also '%s': 'hostlink merge' makes one of several",
                         options->value);
    }
    *input = options->value;
    return 0;
}

int cmd_add_output(void *outputs, const struct options *options) {
    char why[256];
    return outputs_add(outputs, options->value, why, sizeof why)
               ? 0
               : options_wrong(options, "%s", why);
}

int cmd_set_form(void *form, const struct options *options) {
    *(enum table_form *)form = options->current->name[0] == 'c' ? TABLE_CSV : TABLE_JSON;
    return 0;
}

enum exit_code cmd_input_open(struct cmd_input *input) {
    if (!elf_names_open(&input->elf, input->symbolizer)) {
        return EXIT_SOURCE;
    }
    int error = replay_open(&input->replay, input->path);
    if (error == 0) {
        return EXIT_OK;
    }
    elf_names_close(&input->elf);
    return error == -ENODATA ? EXIT_NO_DATA : EXIT_SOURCE;
}

void cmd_input_close(struct cmd_input *input) {
    replay_close(&input->replay);
    elf_names_close(&input->elf);
}

static void say_of_file(void *context, enum finding of, const char *text) {
    const char **name = context;
    (void)of;
    say("%s: %s", *name, text);
}

enum exit_code cmd_check_data(const struct replay *replay, const struct pipeline_totals *totals) {
    if (totals_heard_board(totals)) {
        return EXIT_OK;
    }
    if (replay->bytes == 0) {
        say("%s: holds nothing, no byte came from the board", replay->name);
    } else {
        const char *name = replay->name;
        const struct findings to = {&name, say_of_file};
        findings_no_packet(&to, totals, replay->bytes, FINDINGS_FILE, 0);
    }
    return EXIT_NO_DATA;
}

bool cmd_page_is_apart(const char *page, const char *const *inputs, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (file_is_same(page, SYS_STDOUT, inputs[i], SYS_STDIN)) {
            say("%s: is the input itself; choose another name for the page", page);
            return false;
        }
    }
    return true;
}

enum exit_code cmd_end_stdout(void) {
    if (fflush(stdout) == 0 && !ferror(stdout)) {
        return EXIT_OK;
    }
    say("standard output: cannot be written: %s", strerror(errno));
    return EXIT_OUTPUT;
}

void cmd_notice(void *context, const char *text) {
    (void)context;
    say("%s", text);
}
