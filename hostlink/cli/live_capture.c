/* SPDX-License-Identifier: MIT */
#include "cli/live_capture.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "base/say.h"
#include "base/stop.h"
#include "cli/await_source.h"
#include "cli/capture_file.h"
#include "cli/convert.h"
#include "cli/finish.h"
#include "cli/live.h"
#include "cli/live_boards.h"
#include "cli/summary.h"
#include "platform/file.h"

/* A plain file has been read before a viewer can connect; use serve for one. */
static enum exit_code open_tracy(struct tracy_live *tracy, struct live_settings *settings) {
    struct sys_status file;
    bool plain =
        settings->source && sys_status_of(settings->source, &file) == 0 && file.type == SYS_REGULAR;
    if (plain && !settings->tracy.asked && !settings->tracy.wait) {
        settings->tracy.off = true;
    }
    settings->tracy.program = settings->child    ? settings->child->argv[0]
                              : settings->source ? settings->source
                                                 : "kymo";
    int error = tracy_live_open(tracy, &settings->tracy);
    return error == 0 ? EXIT_OK : error == -EINTR ? EXIT_NO_DATA : EXIT_OUTPUT;
}

/* A board may begin as soon as its line is opened: not before a viewer is there, if that is wanted. */
static enum exit_code open_both(struct source *source, struct tracy_live *tracy,
                                struct live_settings *settings) {
    enum exit_code code = settings->tracy.wait ? open_tracy(tracy, settings) : EXIT_OK;
    code = code != EXIT_OK ? code : await_source(source, settings);
    if (code == EXIT_OK && !settings->tracy.wait) {
        code = open_tracy(tracy, settings);
        if (code != EXIT_OK) {
            source_close(source);
        }
    }
    return code;
}

static void set_up(struct live *live, const struct live_settings *settings, struct source *source,
                   struct capture *capture) {
    *live =
        (struct live){.source = source,
                      .capture = capture->path ? capture : NULL,
                      .duration_ns = settings->duration_ns,
                      .idle_ns = settings->idle_ns,
                      .baud = settings->line.baud,
                      .keep = settings->keep,
                      .child = settings->child && !settings->child->first ? settings->child : NULL,
                      .wait = settings->wait,
                      .commands = !settings->no_commands,
                      .quiet = settings->quiet,
                      .image = elf_names_image(&settings->elf),
                      .key = settings->key.given ? settings->key.bytes : NULL,
                      .board_out = outputs_use_stdout(&settings->outputs) ? stderr : stdout};
}

/* Advice about commands that did not arrive, NULL = no state explains it. */
static const char *cure(const struct live *live) {
    return live->source->two_way ? guard_cure(live->guard.state)
                                 : "give a source that can be written to, such as a serial device";
}

static void end_child(struct live_settings *settings) {
    if (settings->child) {
        child_end(settings->child, stop_wanted());
    }
}

static enum exit_code run_live(struct live_settings *settings, struct source *source,
                               struct capture *capture, struct tracy_live *tracy) {
    struct live live;
    struct summary *summary = summary_new();
    struct viewer table = {.consumer = {.name = "table", .state = summary, .event = summary_event}};
    if (!summary) {
        say(SAY_NO_MEMORY);
        return EXIT_OUTPUT;
    }
    set_up(&live, settings, source, capture);
    live.viewers[live.viewer_count++] = &table;
    setter_start(&settings->setter);
    live.viewers[live.viewer_count++] = &settings->setter.viewer;
    if (tracy->server) {
        live.viewers[live.viewer_count++] = &tracy->viewer;
    }
    if (settings->metrics.port != 0) {
        settings->metrics.totals = &live.totals;
        live.viewers[live.viewer_count++] = &settings->metrics.viewer;
    }
    live_run(&live);
    metrics_close(&settings->metrics);
    end_child(settings);
    tracy_live_close(tracy);
    stop_release();
    capture_sync(capture);
    enum exit_code code = finish(&live, &settings->outputs, summary,
                                 capture->path ? capture->path : settings->source);
    if (capture_close(capture) != 0 && code == EXIT_OK) {
        code = EXIT_OUTPUT;
    }
    if (totals_heard_board(&live.totals) &&
        !setter_report(&settings->setter, &live.dialogue.params, cure(&live)) && code == EXIT_OK) {
        code = EXIT_COMMAND;
    }
    pipeline_free(live.pipeline);
    summary_free(summary);
    return code;
}

static enum exit_code capture_source(struct live_settings *settings) {
    struct source source;
    struct capture capture;
    struct tracy_live tracy = {0};
    enum exit_code code = open_both(&source, &tracy, settings);
    if (code != EXIT_OK) {
        end_child(settings);
        tracy_live_close(&tracy);
        return code;
    }
    const char *inputs[2 + ELF_IMAGES_MAX] = {settings->source, settings->key_path};
    const size_t count = elf_images_paths(&settings->elf.images, inputs, 2);
    code = outputs_apart(&settings->outputs, inputs, count) ? EXIT_OK : EXIT_USAGE;
    if (code == EXIT_OK && !metrics_open(&settings->metrics)) {
        code = EXIT_OUTPUT;
    }
    code = code == EXIT_OK ? capture_file_open(&capture, settings, source.live) : code;
    if (code == EXIT_OK) {
        code = run_live(settings, &source, &capture, &tracy);
        capture_file_remove_if_empty(&capture, code);
    }
    metrics_close(&settings->metrics);
    end_child(settings);
    tracy_live_close(&tracy);
    source_close(&source);
    return code;
}

enum exit_code live_capture(struct live_settings *settings) {
    enum exit_code code;
    if (!live_settings_check(settings, &code)) {
        return code;
    }
    if (!elf_names_open(&settings->elf, settings->symbolizer)) {
        return EXIT_SOURCE;
    }
    stop_catch();
    settings->tracy.machine = elf_names_machine(&settings->elf);
    if (!settings->tracy.off) {
        elf_names_prepare(&settings->elf);
    }
    code = settings->source_count > 1 ? live_boards(settings) : capture_source(settings);
    elf_names_close(&settings->elf);
    return code;
}
