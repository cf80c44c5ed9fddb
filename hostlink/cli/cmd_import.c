/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/inflate.h"
#include "base/nearest.h"
#include "base/say.h"
#include "base/whole_file.h"
#include "cli/cmd_input.h"
#include "cli/elf_images.h"
#include "cli/made_stream.h"
#include "import/import.h"
#include "platform/file.h"
#include "trace/pipeline.h"

/* A file is a capture if its first bytes, at most so many, hold a packet. */
#define CAPTURE_HEAD 65536u

struct settings {
    const char *path;
    const struct import_format *format; /* NULL: recognized by the file's contents */
    struct elf_images images;
    struct outputs outputs;
    bool quiet;
    /* While it is made. */
    struct import_file file;
    struct elf_functions functions;
    struct import_result result;
};

static void help(void) {
    printf("FILE:\n");
    for (size_t i = 0; import_formats[i]; i++) {
        printf("  %-10s %s\n", import_formats[i]->name, import_formats[i]->help);
    }
    printf("\n");
    outputs_help(stdout, true);
}

static int set_format(void *context, const struct options *options) {
    struct settings *settings = context;
    struct nearest nearest = {.typed = options->value};
    for (size_t i = 0; import_formats[i]; i++) {
        nearest_try(&nearest, import_formats[i]->name);
        if (strcmp(import_formats[i]->name, options->value) == 0) {
            settings->format = import_formats[i];
            return 0;
        }
    }
    return options_wrong(options, "'%s' is no format that can be imported%s%s%s", options->value,
                         nearest.word ? ", did you mean '" : "; 'hostlink help import' lists them",
                         nearest.word ? nearest.word : "", nearest.word ? "'?" : "");
}

static const struct option_spec option_table[] = {
    OUTPUT_SPEC(OPTION_AT(outputs)),
    {"format", 0, "NAME", "of FILE, one of those below (default: what it looks like)", set_format,
     0},
    {"elf", 'e', "IMAGE", "the program of an execlog, for its functions", elf_images_add,
     OPTION_AT(images)},
    {"quiet", 'q', NULL, "no table, only errors", OPTION_FLAG(quiet)},
    {.take = cmd_set_input, .at = OPTION_AT(path)},
};

/* ---- from the file to the stream ---- */

/* The file's name without folder and suffix. */
static void name_image(const char *path, char image[64]) {
    const char *name = sys_last_part(path);
    snprintf(image, 64, "%.*s", (int)(strcspn(name, ".") < 60 ? strcspn(name, ".") : 60), name);
}

static void say_what_is_missing(const struct settings *settings, const struct played *played) {
    const struct import_result *r = &settings->result;
    if (r->left_out > 0) {
        say("%s: events left out, of phases that have no form here: %" PRIu64 " (%s)",
            settings->path, r->left_out, r->left_out_text);
    }
    if (played->cut > 0) {
        say("%s: zones that reached out of the one around them, and end with it: %" PRIu64,
            settings->path, played->cut);
    }
    if (played->unmatched > 0) {
        say("%s: ends without an open zone, left out: %" PRIu64, settings->path, played->unmatched);
    }
    if (played->shared > 0) {
        say("%s: more than %u rows had open zones at a time: self times are too small where they "
            "share a lane",
            settings->path, 64u);
    }
    if (r->cut) {
        say("%s: ends early, at byte %" PRIu64 "; what came before is there", settings->path,
            r->at);
    }
}

static int make(void *context, int fd) {
    struct settings *settings = context;
    struct played played = {.order.fd = -1};
    char image[64];
    name_image(settings->path, image);
    played.image = image;
    settings->format->read(&settings->file, &played, &settings->result);
    int error = 0;
    if (settings->result.why) {
        say("%s: byte %" PRIu64 ": %s", settings->path, settings->result.at, settings->result.why);
        error = -EBADMSG;
    } else {
        error = played_write(&played, made_stream_put, &fd);
        if (error) {
            say(MADE_STREAM_NO_ROOM, strerror(-error));
        } else {
            say_what_is_missing(settings, &played);
        }
    }
    played_free(&played);
    return error;
}

/* ---- the command ---- */

static bool is_capture(const struct import_file *file) {
    struct pipeline_totals totals = {0};
    struct pipeline *pipeline =
        pipeline_new(&(struct pipeline_callbacks){.names_only = true}, NULL);
    const size_t length = file->length < CAPTURE_HEAD ? file->length : CAPTURE_HEAD;
    if (pipeline && pipeline_feed(pipeline, (const uint8_t *)file->bytes, length) == 0) {
        pipeline_totals(pipeline, &totals);
    }
    if (pipeline) {
        pipeline_free(pipeline);
    }
    return totals.packets > 0;
}

static enum exit_code choose_format(struct settings *settings) {
    for (size_t i = 0; !settings->format && import_formats[i]; i++) {
        settings->format = import_formats[i]->is_it(&settings->file) ? import_formats[i] : NULL;
    }
    if (!settings->format && is_capture(&settings->file)) {
        say("%s: is a capture of kymo: convert, stats, report and the others read it as it is",
            settings->path);
        return EXIT_USAGE;
    }
    if (!settings->format) {
        say("%s: looks like none of the formats that can be imported; --format names one",
            settings->path);
        return EXIT_NO_DATA;
    }
    if (settings->format->needs_elf && settings->images.given_count == 0) {
        say("%s: an %s has addresses only: give the ELF file of the program by --elf IMAGE",
            settings->path, settings->format->name);
        return EXIT_USAGE;
    }
    return EXIT_OK;
}

static enum exit_code write_outputs(struct settings *settings) {
    struct replay replay;
    uint64_t delivered = 0;
    const int error = replay_make(&replay, settings->path, make, settings);
    if (error) {
        return error == -EBADMSG ? EXIT_NO_DATA : EXIT_OUTPUT;
    }
    enum exit_code code =
        made_stream_convert(&replay, &settings->outputs, NULL, settings->quiet, &delivered);
    if (code == EXIT_OK && delivered == 0) {
        say("%s: has no events", settings->path);
        code = EXIT_NO_DATA;
    }
    const char *capture = settings->outputs.capture;
    if (code == EXIT_OK && capture && !made_stream_keep(&replay, capture)) {
        code = EXIT_OUTPUT;
    }
    replay_close(&replay);
    return code == EXIT_OK && settings->result.cut ? EXIT_CUT : code;
}

static enum exit_code import(struct settings *settings) {
    enum exit_code code = choose_format(settings);
    if (code == EXIT_OK && settings->format->needs_elf) {
        if (!elf_images_open(&settings->images, "none")) {
            return EXIT_SOURCE;
        }
        code = elf_functions_open(&settings->functions, &settings->images.list[0].elf) == 0
                   ? EXIT_OK
                   : EXIT_OUTPUT;
        settings->file.functions = &settings->functions;
    }
    if (code == EXIT_OK) {
        code = outputs_check(&settings->outputs) ? write_outputs(settings) : EXIT_OUTPUT;
    }
    if (settings->file.functions) {
        elf_functions_free(&settings->functions);
        elf_images_close(&settings->images);
    }
    return code;
}

/* Replaces a gzip file by its contents. */
static enum exit_code unpack(struct settings *settings, uint8_t **bytes) {
    if (settings->file.length < 2 || memcmp(*bytes, "\x1f\x8b", 2) != 0) {
        return EXIT_OK;
    }
    const struct inflated inflated = inflate_gzip(*bytes, settings->file.length);
    free(*bytes);
    *bytes = inflated.bytes;
    settings->file.length = inflated.length;
    if (inflated.why) {
        say("%s: byte %zu of the gzip: %s", settings->path, inflated.at, inflated.why);
    }
    return inflated.why ? EXIT_NO_DATA : EXIT_OK;
}

static enum exit_code run(void *state) {
    struct settings *settings = state;
    uint8_t *bytes = NULL;
    const char *inputs[1 + ELF_IMAGES_MAX] = {settings->path};
    const size_t count = elf_images_paths(&settings->images, inputs, 1);
    if (!outputs_apart(&settings->outputs, inputs, count)) {
        return EXIT_USAGE;
    }
    const int error = whole_file_read(settings->path, &bytes, &settings->file.length);
    if (error) {
        say("%s: cannot be read: %s", settings->path, strerror(-error));
        return EXIT_SOURCE;
    }
    enum exit_code code = unpack(settings, &bytes);
    settings->file.bytes = (const char *)bytes;
    code = code == EXIT_OK ? import(settings) : code;
    free(bytes);
    return code;
}

const struct cmd cmd_import = {
    .name = "import",
    .usage = "FILE [-o OUT ...] [--format NAME] [--elf IMAGE]",
    .summary = "Reads the trace of another program, for all outputs and commands",
    .text =
        "'-o OUT.kymo' keeps it as a capture file, which every other command reads. Without -o\n"
        "prints the table of zones.\n",
    .options = option_table,
    .settings_size = sizeof(struct settings),
    .needs = "input file (FILE)",
    .operand = OPTION_AT(path),
    .help = help,
    .run = run,
};
