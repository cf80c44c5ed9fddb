/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <string.h>

#include "base/say.h"
#include "capture/capture.h"
#include "cli/boards.h"
#include "cli/cmd_input.h"
#include "cli/convert.h"
#include "sink/output.h"
#include "wire/command.h"

struct settings {
    const char *paths[REPLAY_BOARDS_MAX];
    uint32_t path_count;
    struct outputs outputs;
    bool quiet;
};

/* The inputs, and their boards in order. */
struct merge {
    struct replay inputs[REPLAY_BOARDS_MAX], streams[REPLAY_BOARDS_MAX];
    struct replay_board boards[REPLAY_BOARDS_MAX];
    uint32_t input_count, count;
};

static int add_input(void *context, const struct options *options) {
    struct settings *settings = context;
    if (settings->path_count == REPLAY_BOARDS_MAX) {
        return options_wrong(options, "at most %u captures", REPLAY_BOARDS_MAX);
    }
    settings->paths[settings->path_count++] = options->value;
    return 0;
}

static int set_output(void *context, const struct options *options) {
    struct settings *settings = context;
    const int wrong = cmd_add_output(&settings->outputs, options);
    return wrong || settings->outputs.count == 0
               ? wrong
               : options_wrong(options,
                               "'%s': merge writes one capture (-o OUT.kymo), of which convert "
                               "then makes other formats",
                               options->value);
}

static const struct option_spec option_table[] = {
    {"output", 'o', "OUT.kymo", "the capture of all boards", set_output, 0},
    {"quiet", 'q', NULL, "only errors", OPTION_FLAG(quiet)},
    {.take = add_input},
};

static int check(void *state, const struct options *options) {
    const struct settings *settings = state;
    return settings->path_count < 2
               ? options_wrong(options, "two captures or more are merged (A.kymo B.kymo)")
           : !settings->outputs.capture ? options_wrong(options, "no output given (-o OUT.kymo)")
                                        : 0;
}

/* ---- the same one twice ---- */

/* Two files may be cut at different places: compares the part that both have. */
static bool is_same_recording(struct replay *a, struct replay *b) {
    static uint8_t left[65536], right[65536];
    uint64_t rest = a->bytes < b->bytes ? a->bytes : b->bytes;
    if (rest == 0 || replay_rewind(a) != 0 || replay_rewind(b) != 0) {
        return false;
    }
    while (rest > 0) {
        const size_t size = rest < sizeof left ? (size_t)rest : sizeof left;
        for (size_t at = 0, to = 0; at < size || to < size;) {
            const ssize_t l = at < size ? replay_read(a, left + at, size - at) : 0;
            const ssize_t r = to < size ? replay_read(b, right + to, size - to) : 0;
            if (l < 0 || r < 0 || (l == 0 && r == 0)) {
                return false;
            }
            at += (size_t)l;
            to += (size_t)r;
        }
        if (memcmp(left, right, size) != 0) {
            return false;
        }
        rest -= size;
    }
    return true;
}

static bool add_stream(struct merge *merge, const struct replay *stream, const char *name,
                       const char *path) {
    if (merge->count == REPLAY_BOARDS_MAX) {
        say("%s: more than %u boards in all", path, REPLAY_BOARDS_MAX);
        return false;
    }
    struct replay *added = &merge->streams[merge->count];
    *added = *stream;
    for (uint32_t i = 0; i < merge->count; i++) {
        if (is_same_recording(&merge->streams[i], added)) {
            say("%s: the same recording as %s; name each board once", path, merge->streams[i].name);
            return false;
        }
    }
    snprintf(merge->boards[merge->count].name, sizeof merge->boards[0].name, "%s", name);
    boards_tell_apart(merge->boards, merge->count++);
    return true;
}

/* Reads until something is a board's; noise is no board. */
static enum exit_code find_board(struct replay *input) {
    static uint8_t piece[16384];
    struct pipeline_totals totals = {0};
    const struct pipeline_callbacks callbacks = {.names_only = true};
    struct pipeline *pipeline = pipeline_new(&callbacks, NULL);
    ssize_t length = 1;
    int error = pipeline ? replay_rewind(input) : -ENOMEM;
    while (!error && length > 0 && !totals_heard_board(&totals)) {
        length = replay_read(input, piece, sizeof piece);
        error = length < 0    ? (int)length
                : length == 0 ? pipeline_end(pipeline)
                              : pipeline_feed(pipeline, piece, (size_t)length);
        pipeline_totals(pipeline, &totals);
    }
    pipeline_free(pipeline);
    if (error) {
        say("%s: cannot be read: %s", input->name, strerror(-error));
        return EXIT_SOURCE;
    }
    return cmd_check_data(input, &totals);
}

/* A capture of several gives all of its boards. */
static enum exit_code add_boards(struct merge *merge, const char *path) {
    struct replay *input = &merge->inputs[merge->input_count];
    const int error = replay_open(input, path);
    if (error) {
        return error == -ENODATA ? EXIT_NO_DATA : EXIT_SOURCE;
    }
    merge->input_count++;
    bool added = true;
    for (uint32_t i = 0; i < input->board_count && added; i++) {
        struct replay view;
        replay_view(&view, input, i);
        added = add_stream(merge, &view, view.name, path);
    }
    if (!input->boards) {
        char name[BOARD_NAME_BYTES + 1];
        const enum exit_code code = find_board(input);
        if (code != EXIT_OK) {
            return code;
        }
        boards_name(name, sizeof name, path);
        added = add_stream(merge, input, name, path);
    }
    return added ? EXIT_OK : EXIT_USAGE;
}

/* ---- all of them ---- */

static void declare(struct capture *capture, const struct merge *merge) {
    for (uint32_t i = 0; i < merge->count; i++) {
        uint8_t head[BOARD_PACKET_BYTES];
        (void)capture_write(capture, head,
                            packet_board(head, sizeof head, i, 0, merge->boards[i].name));
    }
}

/* Small pieces, as a damaged head costs a whole one. */
static int copy(struct capture *capture, struct replay *stream, uint32_t number, const char *name) {
    static uint8_t piece[16384];
    uint8_t head[BOARD_PACKET_BYTES];
    ssize_t length = replay_rewind(stream);
    while (length == 0 && (length = replay_read(stream, piece, sizeof piece)) > 0) {
        (void)capture_write(capture, head,
                            packet_board(head, sizeof head, number, (uint64_t)length, name));
        (void)capture_write(capture, piece, (size_t)length);
        length = 0;
    }
    return (int)length;
}

static enum exit_code write_all(struct merge *merge, const char *path) {
    struct capture capture;
    int error = capture_open(&capture, path, false);
    if (error) {
        capture_say_unopened(path, error);
        return EXIT_OUTPUT;
    }
    declare(&capture, merge);
    for (uint32_t i = 0; i < merge->count && !error; i++) {
        error = copy(&capture, &merge->streams[i], i, merge->boards[i].name);
    }
    const int written = capture_close(&capture);
    if (error || written) {
        say("%s: cannot be %s: %s", error ? "the captures" : path, error ? "read" : "written",
            strerror(-(error ? error : written)));
    }
    return error || written ? EXIT_OUTPUT : EXIT_OK;
}

static int drop_event(void *context, const struct event *event) {
    (void)context, (void)event;
    return 0;
}

/* Reports whether they are of boards, how exact their clocks are, and whether flows between them agree. */
static enum exit_code look(struct replay *merged) {
    struct conversion conversion;
    const struct consumer none = {.event = drop_event};
    const struct receivers receivers = {.consumer = &none, .notice = cmd_notice};
    const int error = conversion_run(&conversion, merged, NULL, &receivers);
    enum exit_code code = error ? EXIT_OUTPUT : cmd_check_data(merged, &conversion.totals);
    if (code == EXIT_OK) {
        boards_say(conversion.boards);
    }
    conversion_free(&conversion);
    return code;
}

static enum exit_code merge_all(struct merge *merge, const struct settings *settings) {
    enum exit_code code = EXIT_OK;
    for (uint32_t i = 0; i < settings->path_count && code == EXIT_OK; i++) {
        code = add_boards(merge, settings->paths[i]);
    }
    code = code == EXIT_OK ? write_all(merge, settings->outputs.capture) : code;
    if (code == EXIT_OK && !settings->quiet && strcmp(settings->outputs.capture, "-") != 0) {
        struct replay merged;
        code = replay_open(&merged, settings->outputs.capture) ? EXIT_OUTPUT : look(&merged);
        replay_close(&merged);
    }
    return code;
}

static enum exit_code run(void *state) {
    struct settings *settings = state;
    static struct merge merge; /* too large for the stack */
    if (!outputs_apart(&settings->outputs, settings->paths, settings->path_count)) {
        return EXIT_USAGE;
    }
    const enum exit_code code = merge_all(&merge, settings);
    for (uint32_t i = 0; i < merge.input_count; i++) {
        replay_close(&merge.inputs[i]);
    }
    return code;
}

const struct cmd cmd_merge = {
    .name = "merge",
    .usage = "A.kymo B.kymo [C.kymo ...] -o OUT.kymo",
    .summary = "Makes one capture of the captures of several boards",
    .text = "Every command reads it like the capture of one board: all times are on the host's\n"
            "clock, and rows have the name of their board, which is that of its file.\n",
    .options = option_table,
    .settings_size = sizeof(struct settings),
    .check = check,
    .run = run,
};
