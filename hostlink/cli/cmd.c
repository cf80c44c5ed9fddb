/* SPDX-License-Identifier: MIT */
#include "cli/cmd.h"

#include <stdlib.h>
#include <string.h>

#include "base/say.h"

static void print_help(const struct cmd *cmd) {
    printf("Usage: hostlink %s %s\n\n%s.\n", cmd->name, cmd->usage, cmd->summary);
    if (cmd->text) {
        printf("\n%s", cmd->text);
    }
    printf("\nOptions:\n");
    options_help(cmd->options, stdout);
    if (cmd->help) {
        printf("\n");
        cmd->help();
    }
}

static int read_options(const struct cmd *cmd, void *settings, char **argv) {
    struct options options = {.command = cmd->name, .specs = cmd->options, .argv = argv};
    const int wrong = options_each(&options, settings);
    const char *const *operand = (const void *)((const char *)settings + cmd->operand);
    if (wrong == 0 && cmd->needs && *operand == NULL) {
        return options_wrong(&options, "no %s given", cmd->needs);
    }
    return wrong == 0 && cmd->check ? cmd->check(settings, &options) : wrong;
}

enum exit_code cmd_start(const struct cmd *cmd, char **argv) {
    void *settings = calloc(1, cmd->settings_size);
    if (!settings) {
        say(SAY_NO_MEMORY);
        return EXIT_OUTPUT;
    }
    if (cmd->defaults) {
        memcpy(settings, cmd->defaults, cmd->settings_size);
    }
    if (cmd->prepare) {
        cmd->prepare(settings, argv);
    }
    const int wrong = read_options(cmd, settings, argv);
    enum exit_code code = EXIT_OK;
    if (wrong == OPTIONS_HELP) {
        print_help(cmd);
    } else {
        code = wrong ? EXIT_USAGE : cmd->run(settings);
    }
    free(settings);
    return code;
}
