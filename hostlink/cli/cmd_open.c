/* SPDX-License-Identifier: MIT */
/* A capture in a viewer, at one command. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/say.h"
#include "base/stop.h"
#include "cli/cmd.h"
#include "cli/cmd_input.h"
#include "cli/elf_images.h"
#include "cli/handout.h"
#include "platform/file.h"
#include "platform/process.h"
#include "tracy/listen.h"

#define PERFETTO "https://ui.perfetto.dev"
#define PERFETTO_PORT 9001u /* the only one of this machine that its page may ask */
#define OWN_PORTS 64u
#define ADDRESS_BYTES 1024u

enum {
    OPTION_VIEWER,
    OPTION_REPORT,
    OPTION_TRACY,
    OPTION_PRINT,
    OPTION_ELF,
    OPTION_SYMBOLIZER,
    OPTION_QUIET
};

static const struct option_spec option_table[] = {
    [OPTION_VIEWER] = {"viewer", 0, "DIR",
                       "Perfetto's page from this folder, where its perfetto-ui.zip\n"
                       "was unpacked, in place of " PERFETTO},
    [OPTION_REPORT] = {"report", 0, NULL, "the page of 'hostlink report' in the browser"},
    [OPTION_TRACY] = {"tracy", 0, NULL, "in tracy-profiler, which is started"},
    [OPTION_PRINT] = {"print", 0, NULL, "only print the address, start no browser or profiler"},
    [OPTION_ELF] = ELF_NAMES_SPEC,
    [OPTION_SYMBOLIZER] = SYMBOLIZER_SPEC,
    [OPTION_QUIET] = {"quiet", 'q', NULL, "only errors, and the address"},
    {0},
};

/* Arguments of another command, which does the larger part. */
#define ARGUMENTS_MAX (2u * ELF_IMAGES_MAX + 16u)

struct settings {
    const char *path;
    const char *viewer;
    bool report, tracy, print, quiet;
    const char *passed[ARGUMENTS_MAX]; /* options on names, which that command gets as they are */
    size_t passed_count;
};

/* ---- options ---- */

static int pass_on(struct settings *settings, const struct options *options, const char *option) {
    if (settings->passed_count + 2 > 2u * ELF_IMAGES_MAX + 2u) {
        return options_wrong(options, "too many files of --elf");
    }
    settings->passed[settings->passed_count++] = option;
    settings->passed[settings->passed_count++] = options->value;
    return 0;
}

static int apply(void *context, const struct options *options, int option) {
    struct settings *settings = context;
    switch (option) {
    case OPTION_VIEWER:
        settings->viewer = options->value;
        return 0;
    case OPTION_REPORT:
        settings->report = true;
        return 0;
    case OPTION_TRACY:
        settings->tracy = true;
        return 0;
    case OPTION_PRINT:
        settings->print = true;
        return 0;
    case OPTION_ELF:
        return pass_on(settings, options, "--elf");
    case OPTION_SYMBOLIZER:
        return pass_on(settings, options, "--symbolizer");
    case OPTION_QUIET:
        settings->quiet = true;
        return 0;
    case OPTIONS_OPERAND:
        return cmd_set_input(&settings->path, options);
    default:
        return option;
    }
}

static int parse(struct settings *settings, char **argv) {
    struct options options = {.command = "open", .specs = option_table, .argv = argv};
    const int wrong = cmd_parse(&options, apply, settings, &settings->path, "input file (IN.kymo)");
    return wrong == 0 && settings->report + settings->tracy + (settings->viewer != NULL) > 1
               ? options_wrong(&options, "one of --viewer, --report and --tracy")
               : wrong;
}

/* ---- what other commands and programs do ---- */

/* "last" ends with NULL. */
static enum exit_code run_command(const struct cmd *command, const struct settings *settings,
                                  const char *const *last) {
    const char *argv[ARGUMENTS_MAX + 1];
    size_t count = 0;
    for (size_t i = 0; i < settings->passed_count; i++) {
        argv[count++] = settings->passed[i];
    }
    while (*last && count < ARGUMENTS_MAX) {
        argv[count++] = *last++;
    }
    argv[count++] = "--";
    argv[count++] = settings->path;
    argv[count] = NULL;
    return command->run((char **)(uintptr_t)argv);
}

/* The address is printed in any case: a browser may be elsewhere. */
static void show(const struct settings *settings, const char *address) {
    printf("%s\n", address);
    (void)fflush(stdout);
    const pid_t pid = settings->print ? -ENOTSUP : process_show(address);
    if (pid < 0 && !settings->quiet) {
        say("%s%sopen the address above in a browser", pid == -ENOTSUP ? "" : strerror((int)-pid),
            pid == -ENOTSUP ? "" : "; ");
    }
}

/* ---- Perfetto ---- */

static enum exit_code serve(const struct settings *settings, struct handout *handout) {
    char address[ADDRESS_BYTES], own[64];
    handout->port = PERFETTO_PORT;
    const int listener = handout_listen(handout, settings->viewer ? OWN_PORTS : 1);
    if (listener < 0) {
        say("port %u of this machine: %s; end the program that has it (trace_processor?)",
            PERFETTO_PORT, strerror(-listener));
        return EXIT_OUTPUT;
    }
    (void)snprintf(own, sizeof own, "http://127.0.0.1:%u", (unsigned)handout->port);
    (void)snprintf(address, sizeof address, "%s/#!/?url=%s/%s", settings->viewer ? own : PERFETTO,
                   own, handout->name);
    stop_catch();
    show(settings, address);
    if (!settings->quiet) {
        say(settings->viewer ? "serving %s; Ctrl-C ends"
                             : "serving %s until the page has fetched it",
            handout->name);
    }
    const int result = handout_serve(handout, listener);
    stop_release();
    (void)sys_close(listener);
    if (result < 0) {
        say("%s: cannot be served: %s", handout->name, strerror(-result));
    } else if (result == 0) {
        say("%s: no page has fetched it", handout->name);
    }
    return result > 0 ? EXIT_OK : EXIT_OUTPUT;
}

/* Makes a folder for one file, "FOLDER/NAME" in "path". False: an error, which was reported. */
static bool make_folder(char *folder, char *path, size_t size, const char *name) {
    if (sys_make_temporary(folder, size) != 0) {
        say("%s: cannot be made: %s", folder, strerror(errno));
        return false;
    }
    (void)snprintf(path, size + HANDOUT_NAME_BYTES, "%s/%s", folder, name);
    return true;
}

static enum exit_code open_perfetto(const struct settings *settings) {
    char folder[512], path[512 + HANDOUT_NAME_BYTES], output[sizeof path + 16];
    struct handout handout = {
        .trace = path, .origin = settings->viewer ? NULL : PERFETTO, .folder = settings->viewer};
    struct sys_status status;
    char index[4096];
    if (settings->viewer &&
        ((size_t)snprintf(index, sizeof index, "%s/index.html", settings->viewer) >= sizeof index ||
         sys_status_of(index, &status) != 0)) {
        say("%s: has no index.html; give the folder where perfetto-ui.zip was unpacked",
            settings->viewer);
        return EXIT_SOURCE;
    }
    handout_name(&handout, settings->path, ".pftrace");
    if (!make_folder(folder, path, sizeof folder, handout.name)) {
        return EXIT_OUTPUT;
    }
    (void)snprintf(output, sizeof output, "perfetto:%s", path);
    const char *const last[] = {"--output", output, settings->quiet ? "--quiet" : NULL, NULL};
    enum exit_code code = run_command(&cmd_convert, settings, last);
    code = code == EXIT_OK ? serve(settings, &handout) : code;
    (void)sys_remove(path);
    (void)sys_remove_folder(folder);
    return code;
}

/* ---- the others ---- */

/* The page stays: a browser reads it again whenever it likes. */
static enum exit_code open_report(const struct settings *settings) {
    char folder[512], path[512 + HANDOUT_NAME_BYTES], address[sizeof path + 16];
    struct handout handout = {0};
    handout_name(&handout, settings->path, ".html");
    if (!make_folder(folder, path, sizeof folder, handout.name)) {
        return EXIT_OUTPUT;
    }
    const char *const last[] = {"--output", path, settings->quiet ? "--quiet" : NULL, NULL};
    const enum exit_code code = run_command(&cmd_report, settings, last);
    if (code == EXIT_OK) {
        (void)snprintf(address, sizeof address, "file://%s", path);
        show(settings, address);
    } else {
        (void)sys_remove_folder(folder);
    }
    return code;
}

/* The profiler asks again until it is answered. */
static enum exit_code open_tracy(const struct settings *settings) {
    char text[8];
    uint16_t port = 0;
    const int listener = tracy_listen("127.0.0.1", &port, 1);
    if (listener < 0) {
        say("no free port: %s", strerror(-listener));
        return EXIT_OUTPUT;
    }
    (void)sys_close(listener);
    (void)snprintf(text, sizeof text, "%u", (unsigned)port);
    const char *const argv[] = {"tracy-profiler", "-a", "127.0.0.1", "-p", text, NULL};
    const pid_t pid =
        settings->print ? 0 : process_start(&(struct spawn){.argv = argv, .in_out_fd = -1});
    if (pid < 0) {
        say("tracy-profiler: %s; start one and connect it to 127.0.0.1:%s", strerror((int)-pid),
            text);
    }
    const char *const last[] = {"--tracy", text, settings->quiet ? "--quiet" : NULL, NULL};
    return run_command(&cmd_serve, settings, last);
}

static enum exit_code run(char **argv) {
    struct settings settings = {0};
    const int wrong = parse(&settings, argv);
    if (wrong) {
        return wrong == OPTIONS_HELP ? cmd_help(&cmd_open) : EXIT_USAGE;
    }
    return settings.report  ? open_report(&settings)
           : settings.tracy ? open_tracy(&settings)
                            : open_perfetto(&settings);
}

const struct cmd cmd_open = {
    .name = "open",
    .usage = "IN.kymo [--viewer DIR | --report | --tracy] [--print] [--elf IMAGE]",
    .summary = "Shows a capture file in Perfetto, in Tracy, or as a report",
    .text =
        "Without an option: the trace goes to " PERFETTO " in your browser. It is handed over on\n"
        "this machine, by 127.0.0.1:9001, to that page alone; hostlink ends when the page has it.\n"
        "Nothing is sent anywhere. Without a screen the address is only printed.\n",
    .options = option_table,
    .run = run,
};
