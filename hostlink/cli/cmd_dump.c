/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/say.h"
#include "base/whole_file.h"
#include "cli/cmd_input.h"
#include "cli/elf_names.h"
#include "cli/keep_symbols.h"
#include "cli/made_stream.h"
#include "dump/stream.h"
#include "sink/output.h"

struct input {
    struct elf_images images; /* the first is the program */
    uint8_t *memory_bytes;
    size_t memory_length;
    struct memory memory;
    struct recorder recorder;
    struct lanes_report report;
    struct symbols symbols;
};

struct settings {
    const char *memory, *symbolizer;
    struct input input;
    uint64_t address;
    bool placed, quiet;
    struct outputs outputs;
};

static void help(void) { outputs_help(stdout, true); }

static int set_address(void *context, const struct options *options) {
    struct settings *settings = context;
    char *end = NULL;
    errno = 0;
    settings->address = strtoull(options->value, &end, 0);
    settings->placed = true;
    if (errno != 0 || end == options->value || *end != '\0' || *options->value == '-') {
        return options_wrong(options, "'--address' needs an address such as 0x20000000, not '%s'",
                             options->value);
    }
    return 0;
}

static const struct option_spec option_table[] = {
    {"elf", 'e', "IMAGE", "the program that was running, as the linker wrote it", elf_images_add,
     OPTION_AT(input.images)},
    SYMBOLIZER_SPEC(OPTION_TEXT(symbolizer)),
    {"address", 'a', "ADDRESS",
     "of the memory image's first byte, for example 0x20000000;\n"
     "found by itself once the firmware had called kymo_init()",
     set_address, 0},
    OUTPUT_SPEC(OPTION_AT(outputs)),
    {"quiet", 'q', NULL, "no table, only errors", OPTION_FLAG(quiet)},
    {.take = cmd_set_input, .at = OPTION_AT(memory)},
};

static int check(void *state, const struct options *options) {
    const struct settings *settings = state;
    return settings->input.images.given_count == 0
               ? options_wrong(options, "no program given (--elf IMAGE)")
               : 0;
}

/* ---- from the two files to the stream of the recorder ---- */

static bool read_memory(struct input *input, const char *path) {
    const int error = whole_file_read(path, &input->memory_bytes, &input->memory_length);
    if (error) {
        say("%s: %s%s", path, error == -ENODEV ? "" : "cannot be read: ",
            error == -ENODEV ? "is a device: copy the memory to a file" : strerror(-error));
    }
    return error == 0;
}

static bool open_recorder(struct input *input, const struct settings *settings) {
    const char *why = NULL;
    bool blames_elf = false;
    const struct elf_image *program = input->images.list;
    if (memory_open(&input->memory, input->memory_bytes, input->memory_length, &why) != 0) {
        say("%s: %s", settings->memory, why);
        return false;
    }
    if (settings->placed && input->memory.is_core) {
        say("%s: a core file has its addresses in it: leave out --address", settings->memory);
        return false;
    }
    if (settings->placed) {
        memory_place(&input->memory, settings->address);
    }
    if (recorder_open(&input->recorder, &program->elf, &input->memory, &blames_elf) != 0) {
        say("%s: %s", blames_elf ? program->path : settings->memory, input->recorder.why);
        return false;
    }
    return true;
}

static const struct code_place *find_symbol(void *state, uint64_t address) {
    return elf_images_find(state, address);
}

static bool is_frameless(void *state, uint64_t address) {
    return symbolizer_is_frameless(elf_images_at(state, address), address);
}

static void heard(void *state, const char *text) { elf_images_heard(state, text); }

/* Symbols for call stacks, wherever the program was loaded. */
static void open_symbols(struct input *input) {
    struct elf_image *program = input->images.list;
    program->symbolizer.bias = input->recorder.bias;
    program->is_loaded = program->was_loaded = true;
    input->symbols = (struct symbols){
        .state = &input->images, .find = find_symbol, .is_frameless = is_frameless, .heard = heard};
}

static int make(void *context, int fd) {
    struct input *input = context;
    int error = stream_make(&input->recorder, made_stream_put, &fd, &input->report);
    if (error) {
        say(MADE_STREAM_NO_ROOM, strerror(-error));
    } else if (input->report.broken != 0) {
        say("%" PRIu32 " places hold no valid record: the memory was overwritten, or saved while "
            "the core was running; the records after them are left out",
            input->report.broken);
    }
    return error;
}

/* ---- from the stream to the outputs ---- */

/* Stores the symbols in the capture, so that the ELF file is not needed later. */
static bool keep_symbols(const struct input *input, const char *capture) {
    const struct code_table *table = &input->images.list->symbolizer.table;
    return table->count == 0 || strcmp(capture, "-") == 0 ||
           keep_symbols_append(capture, NULL, table) == 0;
}

static enum exit_code write_outputs(struct settings *settings, struct input *input,
                                    struct replay *replay) {
    uint64_t delivered = 0;
    enum exit_code code = made_stream_convert(replay, &settings->outputs, &input->symbols,
                                              settings->quiet, &delivered);
    if (code == EXIT_OK && delivered == 0) {
        say("%s: the rings are empty: nothing was recorded, or all of it was sent", replay->name);
        code = EXIT_NO_DATA;
    }
    const char *capture = settings->outputs.capture;
    if (code == EXIT_OK && capture &&
        (!made_stream_keep(replay, capture) || !keep_symbols(input, capture))) {
        code = EXIT_OUTPUT;
    }
    return code;
}

/* One part in eight may be overwritten; more than that is no accident. */
static bool is_mixed(const char *memory, const char *program, const struct lanes_report *report) {
    if (report->strangers <= report->named / 8) {
        return false;
    }
    say("%s: is the memory of another build than %s: %" PRIu64 " of its %" PRIu64
        " records name sites that it does not have. Give the ELF file of the program that was "
        "running",
        memory, program, report->strangers, report->named);
    return true;
}

static enum exit_code dump(struct settings *settings, struct input *input) {
    struct replay replay;
    if (!read_memory(input, settings->memory) || !open_recorder(input, settings)) {
        return EXIT_SOURCE;
    }
    open_symbols(input);
    if (!outputs_check(&settings->outputs) ||
        replay_make(&replay, settings->memory, make, input) != 0) {
        return EXIT_OUTPUT;
    }
    const bool mixed = is_mixed(settings->memory, input->images.list->path, &input->report);
    enum exit_code code = mixed ? EXIT_SOURCE : write_outputs(settings, input, &replay);
    replay_close(&replay);
    return code;
}

static bool are_apart(const struct settings *settings) {
    const char *inputs[1 + ELF_IMAGES_MAX] = {settings->memory};
    const size_t count = elf_images_paths(&settings->input.images, inputs, 1);
    return outputs_apart(&settings->outputs, inputs, count);
}

static enum exit_code run(void *state) {
    struct settings *settings = state;
    struct input *input = &settings->input;
    if (!elf_images_open(&input->images, elf_names_symbolizer(settings->symbolizer))) {
        return EXIT_SOURCE;
    }
    enum exit_code code = are_apart(settings) ? dump(settings, input) : EXIT_USAGE;
    if (code == EXIT_OK) {
        elf_images_say_missed(&input->images);
    }
    elf_images_close(&input->images);
    free(input->memory_bytes);
    return code;
}

const struct cmd cmd_dump = {
    .name = "dump",
    .usage = "--elf IMAGE MEMORY [-o OUT ...]",
    .summary = "Reads the trace out of a memory image: of gdb, OpenOCD, QEMU, a core file",
    .text = "MEMORY is the board's RAM as bytes (gdb: dump binary memory; OpenOCD: dump_image;\n"
            "QEMU: pmemsave), or an ELF core file (gdb: generate-core-file; QEMU:\n"
            "dump-guest-memory; Linux: of a process that crashed). Save it while the core is\n"
            "halted. All events in the rings are read; those sent before count as lost before\n"
            "the capture.\n",
    .options = option_table,
    .settings_size = sizeof(struct settings),
    .needs = "saved memory (MEMORY)",
    .operand = OPTION_AT(memory),
    .check = check,
    .help = help,
    .run = run,
};
