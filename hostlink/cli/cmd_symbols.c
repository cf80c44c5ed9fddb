/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/human.h"
#include "base/say.h"
#include "cli/cmd_input.h"
#include "cli/convert.h"
#include "cli/keep_symbols.h"
#include "platform/file.h"

static const struct option_spec option_table[] = {
    {"elf", 'e', "IMAGE", "the program that the board runs, as the linker wrote it", elf_images_add,
     offsetof(struct cmd_input, elf.images)},
    SYMBOLIZER_SPEC(option_text, OPTION_IN(struct cmd_input, const char *, symbolizer)),
    {.take = cmd_set_input, .at = offsetof(struct cmd_input, path)},
};

static int check(void *state, const struct options *options) {
    const struct cmd_input *input = state;
    return input->elf.images.given_count == 0
               ? options_wrong(options, "no program given (--elf IMAGE)")
           : strcmp(input->path, "-") == 0
               ? options_wrong(options, "the symbols are added to the file: name it")
               : 0;
}

static int on_event(void *context, const struct event *event) {
    uint64_t *stacks = context;
    *stacks += event->stack != NULL;
    keep_symbols_look_up(event);
    return 0;
}

/* Looks up the addresses in its call stacks that it does not know yet. */
static enum exit_code look_up(struct cmd_input *input, uint64_t *stacks) {
    struct conversion conversion;
    const struct consumer consumer = {.state = stacks, .event = on_event};
    const struct receivers receivers = {
        .image = elf_names_image(&input->elf), .consumer = &consumer, .notice = cmd_notice};
    const int error = conversion_run(&conversion, &input->replay, NULL, &receivers);
    enum exit_code code = error ? EXIT_OUTPUT : cmd_check_data(&input->replay, &conversion.totals);
    conversion_free(&conversion);
    return code;
}

static enum exit_code add(struct cmd_input *input) {
    if (input->replay.boards) {
        say("%s: of several boards; add the symbols to the capture of each, then merge them",
            input->path);
        replay_close(&input->replay);
        return EXIT_USAGE;
    }
    uint64_t stacks = 0;
    char count[HUMAN_COUNT_SIZE], addresses[HUMAN_COUNT_SIZE];
    const struct code_table *table = input->elf.image.table;
    enum exit_code code = look_up(input, &stacks);
    struct sys_status seen;
    if (sys_status(input->replay.fd, &seen) != 0) {
        seen = (struct sys_status){0};
    }
    replay_close(&input->replay);
    if (code != EXIT_OK || input->elf.refused) {
        return code != EXIT_OK ? code : EXIT_SOURCE;
    }
    if (table->count > 0 && keep_symbols_append(input->path, &seen, table) != 0) {
        return EXIT_OUTPUT;
    }
    say("%s: symbols of %s added, of %s", input->path,
        human_count(addresses, table->count, "address", "addresses"),
        human_count(count, stacks, "call stack", "call stacks"));
    return EXIT_OK;
}

static enum exit_code run(void *state) {
    struct cmd_input *input = state;
    enum exit_code code = cmd_input_open(input);
    if (code == EXIT_OK) {
        code = add(input);
        cmd_input_close(input);
    }
    return code;
}

const struct cmd cmd_symbols = {
    .name = "symbols",
    .usage = "IN.kymo --elf IMAGE [--symbolizer PROGRAM]",
    .summary = "Adds the names of functions to a capture file",
    .text = "Looks up the addresses of all call stacks in the program's ELF file and stores the\n"
            "names in the capture, which other machines then read without that file. A capture\n"
            "that was made with --elf has them already.\n",
    .options = option_table,
    .settings_size = sizeof(struct cmd_input),
    .needs = "capture file (IN.kymo)",
    .operand = offsetof(struct cmd_input, path),
    .check = check,
    .run = run,
};
