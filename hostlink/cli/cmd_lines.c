/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/say.h"
#include "base/utf8.h"
#include "cli/cmd_input.h"
#include "cli/convert.h"
#include "cli/summary.h"
#include "sink/csv_field.h"
#include "sink/linetable.h"
#include "symbol/disassemble.h"
#include "tracy/source_code.h"

#define FUNCTIONS_MAX 20u /* that are shown by instruction */
#define TEXT_BYTES 200u

struct settings {
    struct cmd_input input;
    bool csv, instructions;
    const char *objdump;
    struct tracy_source_folders folders;
    uint8_t *text; /* of the source file read last */
};

static int add_folder(void *context, const struct options *options) {
    struct settings *settings = context;
    struct tracy_source_folders *folders = &settings->folders;
    if (folders->count == TRACY_SOURCE_FOLDERS_MAX) {
        return options_wrong(options, "more than %u folders of source code: leave out the others",
                             (unsigned)TRACY_SOURCE_FOLDERS_MAX);
    }
    folders->path[folders->count++] = options->value;
    return 0;
}

static int set_objdump(void *context, const struct options *options) {
    struct settings *settings = context;
    settings->objdump = options->value;
    settings->instructions = true;
    return 0;
}

static const struct option_spec option_table[] = {
    {"csv", 0, NULL, "as CSV: functions, lines and instructions", OPTION_FLAG(csv)},
    ELF_NAMES_SPEC(elf_images_add, OPTION_AT(input.elf.images)),
    {"instructions", 0, NULL, "also print the instructions of the functions with most samples",
     OPTION_FLAG(instructions)},
    {"objdump", 0, "PROGRAM",
     "what shows the instructions of IMAGE (default: an objdump\n"
     "that knows the machine)",
     set_objdump, 0},
    {"source", 0, "DIR",
     "a folder with source code; several may be given (default:\n"
     "where the compiler has seen it)",
     add_folder, 0},
    SYMBOLIZER_SPEC(OPTION_TEXT(input.symbolizer)),
    CMD_INPUT_OPERAND,
};

static int check(void *state, const struct options *options) {
    struct settings *settings = state;
    settings->folders.as_named = settings->folders.count == 0;
    return settings->instructions && settings->input.elf.images.given_count == 0
               ? options_wrong(options, "instructions are in the program: name it by --elf IMAGE")
               : 0;
}

static const char *read_source(void *context, const char *file, size_t *length, const char **why) {
    struct settings *settings = context;
    const int result = tracy_source_read(&settings->folders, file, INT64_MAX, settings->text);
    if (result < 0) {
        *why = strerror(-result);
        return NULL;
    }
    *length = (size_t)result;
    return (const char *)settings->text;
}

/* ---- by instruction ---- */

/* An instruction is complete when the next one shows its length. */
struct code {
    const struct linetable *table;
    const struct linetable_function *function;
    uint64_t bias;
    bool csv, any;
    uint64_t address;
    char text[TEXT_BYTES];
};

static void put_instruction(struct code *code, uint64_t end) {
    const uint64_t samples = linetable_samples_at(code->table, code->address + code->bias,
                                                  end > code->address ? end - code->address : 1);
    if (!code->any) {
        return;
    }
    if (code->csv && samples != 0) {
        fputs("instruction,", stdout);
        csv_print(stdout, code->function->name);
        fputc(',', stdout);
        csv_print(stdout, code->function->file);
        printf(",,0x%" PRIx64 ",%" PRIu64 ",%.4f,", code->address + code->bias, samples,
               linetable_percent(code->table, samples));
        csv_print(stdout, code->text);
        fputc('\n', stdout);
    } else if (!code->csv && samples != 0) {
        printf("%9" PRIu64 "  %6.2f %%  %8" PRIx64 "  %s\n", samples,
               linetable_percent(code->table, samples), code->address + code->bias, code->text);
    } else if (!code->csv) {
        printf("%19s  %8" PRIx64 "  %s\n", "", code->address + code->bias, code->text);
    }
}

static void take_instruction(void *context, uint64_t address, const char *text) {
    struct code *code = context;
    char tabs[TEXT_BYTES];
    put_instruction(code, address);
    code->any = true;
    code->address = address;
    (void)snprintf(tabs, sizeof tabs, "%s", text);
    for (char *tab = tabs; (tab = strchr(tab, '\t')) != NULL;) {
        *tab = ' ';
    }
    utf8_clean(code->text, sizeof code->text, tabs, strlen(tabs));
}

static bool show_function(const struct settings *settings, const struct linetable *table,
                          const struct linetable_function *function) {
    const struct symbolizer *symbolizer =
        elf_images_at(&settings->input.elf.images, function->start);
    const struct disassemble disassemble = {
        .elf = symbolizer->elf, .elf_path = symbolizer->elf_path, .program = settings->objdump};
    const uint64_t bias = symbolizer_bias(symbolizer, function->start);
    struct code code = {.table = table, .function = function, .bias = bias, .csv = settings->csv};
    const uint64_t start = function->start - bias;
    const char *why = "";
    if (!settings->csv) {
        char name[TEXT_BYTES];
        utf8_clean(name, sizeof name, function->name, strlen(function->name));
        printf("\n%s\n", name);
    }
    if (!disassemble_each(&disassemble, start, start + function->bytes, take_instruction, &code,
                          &why)) {
        say("%s %s: no instructions of '%s' are shown; choose another program by --objdump",
            settings->objdump != NULL ? settings->objdump : "objdump", why, function->name);
        return false;
    }
    put_instruction(&code, start + function->bytes);
    return true;
}

/* Functions that were put inside others have the code of those: it is shown once. */
static bool was_shown(const struct linetable_function *functions, size_t index) {
    for (size_t i = 0; i < index; i++) {
        if (functions[i].start == functions[index].start) {
            return true;
        }
    }
    return false;
}

static enum exit_code show_instructions(const struct settings *settings,
                                        const struct linetable *table) {
    size_t count = 0, shown = 0;
    bool well = true;
    struct linetable_function *functions = linetable_functions(table, &count);
    if (functions == NULL) {
        say(SAY_NO_MEMORY);
        return EXIT_OUTPUT;
    }
    for (size_t i = 0; i < count && shown < FUNCTIONS_MAX && well; i++) {
        if (functions[i].bytes != 0 && !was_shown(functions, i)) {
            well = show_function(settings, table, &functions[i]);
            shown++;
        }
    }
    free(functions);
    return well ? EXIT_OK : EXIT_OUTPUT;
}

/* ---- all ---- */

static void say_what_is_missing(const struct settings *settings, const struct linetable *table) {
    uint64_t without = 0;
    for (uint32_t i = 0; i < table->count; i++) {
        const struct code_line *line = table->places[i].line;
        without += line == NULL || line->file[0] == '\0' ? table->places[i].samples : 0;
    }
    if (without != 0 && settings->input.elf.images.given_count == 0) {
        say("%" PRIu64 " samples lie where no line is known: give the program by --elf IMAGE",
            without);
    } else if (without != 0) {
        say("%" PRIu64 " samples lie where %s knows no line: compile that code with -g", without,
            settings->input.elf.images.list[0].path);
    }
}

static enum exit_code print(struct settings *settings, struct linetable *table,
                            const struct pipeline_totals *totals) {
    linetable_settle(table);
    const int error = settings->csv ? linetable_csv(table, stdout)
                                    : linetable_print(table, read_source, settings, stdout);
    if (error != 0) {
        say(SAY_NO_MEMORY);
        return EXIT_OUTPUT;
    }
    enum exit_code code = EXIT_OK;
    if (settings->instructions && table->samples != 0) {
        code = show_instructions(settings, table);
    }
    if (!settings->csv) {
        summary_events(totals, stdout);
    }
    const enum exit_code end = cmd_end_stdout();
    say_what_is_missing(settings, table);
    return end != EXIT_OK ? end : code;
}

static int on_event(void *context, const struct event *event) {
    return linetable_event(context, event);
}

static enum exit_code read_and_print(struct settings *settings) {
    struct conversion conversion;
    struct linetable table = {0};
    struct cmd_input *input = &settings->input;
    const struct consumer consumer = {.state = &table, .event = on_event};
    const struct receivers receivers = {
        .image = elf_names_image(&input->elf), .consumer = &consumer, .notice = cmd_notice};
    int error = conversion_run(&conversion, &input->replay, NULL, &receivers);
    enum exit_code code = error ? EXIT_OUTPUT : cmd_check_data(&input->replay, &conversion.totals);
    if (code == EXIT_OK && input->elf.refused) {
        code = EXIT_SOURCE;
    }
    if (code == EXIT_OK) {
        summary_warn(&conversion.totals, 0);
        code = print(settings, &table, &conversion.totals);
    }
    linetable_free(&table);
    conversion_free(&conversion);
    return code;
}

static enum exit_code run(void *state) {
    struct settings *settings = state;
    settings->text = malloc(TRACY_SOURCE_BYTES_MAX);
    if (settings->text == NULL) {
        say(SAY_NO_MEMORY);
        return EXIT_OUTPUT;
    }
    enum exit_code code = cmd_input_open(&settings->input);
    if (code == EXIT_OK) {
        code = read_and_print(settings);
        cmd_input_close(&settings->input);
    }
    free(settings->text);
    return code;
}

const struct cmd cmd_lines = {
    .name = "lines",
    .usage = "IN.kymo [--elf IMAGE] [--source DIR] [--instructions] [--objdump PROGRAM] [--csv]",
    .summary = "Prints source code with the samples of each line",
    .text =
        "By function, then by file and line: how many samples met it, and their share of all. "
        "With\n"
        "--instructions also the machine code of the 20 functions with most samples, by your own\n"
        "objdump. A sample of code that was put inside another function counts for the former.\n",
    .options = option_table,
    .settings_size = sizeof(struct settings),
    .needs = "capture file (IN.kymo)",
    .operand = OPTION_AT(input.path),
    .check = check,
    .run = run,
};
