/* SPDX-License-Identifier: MIT */
#include "cli/cmd.h"

enum exit_code cmd_help(const struct cmd *cmd) {
    printf("Usage: hostlink %s %s\n\n%s.\n", cmd->name, cmd->usage, cmd->summary);
    if (cmd->text) {
        printf("\n%s", cmd->text);
    }
    printf("\nOptions:\n");
    options_help(cmd->options, stdout);
    return EXIT_OK;
}
