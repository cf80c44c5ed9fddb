/* SPDX-License-Identifier: MIT */
#include "cli/made_stream.h"

#include <string.h>

#include "base/say.h"
#include "base/temporary.h"
#include "capture/capture.h"
#include "cli/cmd_input.h"
#include "cli/convert.h"
#include "cli/keep_symbols.h"
#include "cli/summary.h"

int made_stream_put(void *fd, const uint8_t *bytes, size_t length) {
    return temporary_write(*(const int *)fd, bytes, length);
}

static int on_event(void *context, const struct event *event) {
    keep_symbols_look_up(event);
    return summary_event(context, event);
}

static enum exit_code print(struct summary *summary, const struct pipeline_totals *totals,
                            FILE *out) {
    struct table_to to = {.form = TABLE_TEXT, .text = out};
    summary_warn(totals, 0);
    const int error = summary_print(summary, totals, &to);
    summary_events(totals, to.text);
    if (error) {
        say(SAY_NO_MEMORY);
    }
    return error ? EXIT_OUTPUT : cmd_end_stdout();
}

enum exit_code made_stream_convert(struct replay *replay, struct outputs *outputs,
                                   const struct symbols *symbols, bool quiet, uint64_t *delivered) {
    struct conversion conversion;
    struct summary *summary = summary_new();
    const struct consumer table = {.state = summary, .event = on_event};
    const struct receivers receivers = {
        .symbols = symbols, .outputs = outputs, .consumer = &table, .notice = cmd_notice};
    if (!summary) {
        say(SAY_NO_MEMORY);
        return EXIT_OUTPUT;
    }
    const int error = conversion_run(&conversion, replay, NULL, &receivers);
    enum exit_code code = error ? EXIT_OUTPUT : EXIT_OK;
    if (code == EXIT_OK && !quiet) {
        code = print(summary, &conversion.totals, outputs_use_stdout(outputs) ? stderr : stdout);
    }
    *delivered = conversion.totals.delivered;
    conversion_free(&conversion);
    summary_free(summary);
    return code;
}

bool made_stream_keep(struct replay *replay, const char *path) {
    static uint8_t piece[65536];
    struct capture capture;
    ssize_t length = 0;
    int error = replay_rewind(replay);
    error = error ? error : capture_open(&capture, path, false);
    if (error) {
        capture_say_unopened(path, error);
        return false;
    }
    while ((length = replay_read(replay, piece, sizeof piece)) > 0) {
        (void)capture_write(&capture, piece, (size_t)length);
    }
    error = capture_close(&capture);
    error = length < 0 ? (int)length : error;
    if (error) {
        say("%s: cannot be written: %s", path, strerror(-error));
    }
    return error == 0;
}
