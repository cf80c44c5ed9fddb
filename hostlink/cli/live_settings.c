/* SPDX-License-Identifier: MIT */
#include "cli/live_settings.h"

#include <errno.h>
#include <string.h>

#include "base/say.h"
#include "cli/cmd_input.h"
#include "sink/sink.h"

static int set_source(void *context, const struct options *options) {
    struct live_settings *settings = context;
    if (settings->source && sink_for_path(options->value)) {
        return options_wrong(options, "'%s' is no source: an output is '-o %s'", options->value,
                             options->value);
    }
    const size_t length = strlen(options->value);
    if (settings->source && length > 5 && strcmp(options->value + length - 5, ".kymo") == 0) {
        return options_wrong(options,
                             "'%s' is no board: a capture to write is '-o %s', and 'hostlink "
                             "merge' puts captures together",
                             options->value, options->value);
    }
    if (settings->source_count == REPLAY_BOARDS_MAX) {
        return options_wrong(options, "at most %u sources", REPLAY_BOARDS_MAX);
    }
    settings->sources[settings->source_count++] = options->value;
    settings->source = settings->sources[0];
    return 0;
}

int live_option_baud(void *baud, const struct options *options) {
    return options_unsigned(options, 1, 100000000, baud) ? 0 : OPTIONS_WRONG;
}

int live_option_modem(void *line, const struct options *options) {
    static const char *const words[] = {
        [SOURCE_LINE_KEEP] = "keep", [SOURCE_LINE_ON] = "on", [SOURCE_LINE_OFF] = "off"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcmp(options->value, words[i]) == 0) {
            *(enum source_line *)line = (enum source_line)i;
            return 0;
        }
    }
    return options_wrong(options, "'--%s' is on, off or keep, not '%s'", options->current->name,
                         options->value);
}

static int add_wish(void *setter, const struct options *options) {
    const int error = setter_add(setter, options->value);
    return error == 0
               ? 0
               : options_wrong(options, error == -E2BIG
                                            ? "too many '--set'"
                                            : "'--set' needs NAME=VALUE with a whole number");
}

static int set_wait(void *wait, const struct options *options) {
    *(enum live_return *)wait =
        options->current->name[0] == 'n' ? LIVE_WAIT_NEVER : LIVE_WAIT_ALWAYS;
    return 0;
}

#define AT(member) offsetof(struct live_settings, member)

const struct option_spec live_option_table[] = {
    {"output", 'o', "OUT",
     "a file whose suffix names the format, or FORMAT:PATH;\n"
     "'-' as PATH is standard output; repeats. Without a\n"
     ".kymo file the capture is kymo-DATE-TIME.kymo here",
     cmd_add_output, AT(outputs)},
    LIVE_SPEC_BAUD(0),
    LIVE_SPEC_RTSCTS(0),
    LIVE_SPEC_DTR(0),
    LIVE_SPEC_RTS(0),
    {"duration", 0, "S", "end after S seconds", option_seconds,
     OPTION_IN(struct live_settings, uint64_t, duration_ns)},
    {"idle", 0, "S", "end after S seconds without data", option_seconds,
     OPTION_IN(struct live_settings, uint64_t, idle_ns)},
    {"keep", 0, NULL, "continue after the board has finished", option_flag,
     OPTION_IN(struct live_settings, bool, keep)},
    {"reconnect", 0, NULL,
     "when the source is gone wait for it to come back, also for\n"
     "a socket; default for a USB device that is unplugged",
     set_wait, AT(wait)},
    {"no-reconnect", 0, NULL, "end if the source disappears", set_wait, AT(wait)},
    LIVE_SPEC_NO_COMMANDS(0),
    TRACY_SPEC_WHERE(AT(tracy)),
    {"no-tracy", 0, NULL, "do not serve Tracy viewers", option_flag,
     OPTION_IN(struct live_settings, bool, tracy.off)},
    TRACY_SPEC_ANNOUNCE(AT(tracy)),
    TRACY_SPEC_RELEASE(AT(tracy)),
    TRACY_SPEC_SOURCE(AT(tracy)),
    {"wait", 0, NULL, "start once a Tracy viewer has connected", option_flag,
     OPTION_IN(struct live_settings, bool, tracy.wait)},
    {"timeout", 0, "S",
     "with --wait: give up when no Tracy viewer has come for\n"
     "S seconds",
     option_seconds, OPTION_IN(struct live_settings, uint64_t, tracy.timeout_ns)},
    METRICS_SPEC(AT(metrics)),
    {"set", 0, "NAME=VALUE",
     "set a parameter of the board as soon as it reports one\n"
     "of this name; repeats",
     add_wish, AT(setter)},
    LARGE_FILES_SPEC(option_text,
                     OPTION_IN(struct live_settings, const char *, outputs.large.directory)),
    ELF_NAMES_SPEC(elf_images_add, AT(elf.images)),
    SYMBOLIZER_SPEC(option_text, OPTION_IN(struct live_settings, const char *, symbolizer)),
    LIVE_SPEC_KEY(0),
    {"quiet", 'q', NULL, "no status line", option_flag,
     OPTION_IN(struct live_settings, bool, quiet)},
    {.take = set_source},
};
_Static_assert(sizeof live_option_table / sizeof live_option_table[0] == LIVE_OPTION_COUNT + 1,
               "the header says how many options there are");

bool live_settings_check(struct live_settings *settings, enum exit_code *code) {
    *code = EXIT_USAGE;
    if (settings->no_commands && settings->setter.count > 0) {
        say("'--set' sends commands: leave out '--set' or '--no-commands'");
        return false;
    }
    if (settings->source_count > 1 &&
        (settings->setter.count > 0 || settings->child || settings->outputs.large.directory)) {
        say("%s: of one board; name one source", settings->child              ? "'run'"
                                                 : settings->setter.count > 0 ? "'--set'"
                                                                              : "'--large'");
        return false;
    }
    if (!key_read(&settings->key, settings->key_path)) {
        return false;
    }
    *code = outputs_check(&settings->outputs) ? EXIT_OK : EXIT_OUTPUT;
    return *code == EXIT_OK;
}
