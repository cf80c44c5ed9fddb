/* hostlink: reads the trace of a board and hands it to the viewers that people already use. */
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "nearest.h"
#include "say.h"
#include "stop.h"

/* The one list of sub-commands; the first is what a SOURCE alone means. */
static const struct cmd *const commands[] = {&cmd_capture, &cmd_convert, &cmd_stats, &cmd_info,
                                             NULL};

static const struct cmd *find(const char *name) {
    for (size_t i = 0; commands[i]; i++) {
        if (strcmp(commands[i]->name, name) == 0) {
            return commands[i];
        }
    }
    return NULL;
}

static void print_usage(FILE *out) {
    fprintf(out,
            "Usage: hostlink SOURCE [options]      captures, for example hostlink /dev/ttyUSB0\n"
            "       hostlink COMMAND [arguments]\n\nCommands:\n");
    for (size_t i = 0; commands[i]; i++) {
        fprintf(out, "  %-10s%s\n", commands[i]->name, commands[i]->summary);
    }
    fprintf(out, "  %-10s%s\n\n", "help", "Tells more about a command: hostlink help capture");
    fprintf(out,
            "Exit status: 0 done; 1 an output could not be written; 2 wrong use; 3 the source or\n"
            "input could not be opened; 4 no valid data; 5 the source failed during the capture\n"
            "(what came before is kept).\n");
}

static enum exit_code unknown_command(const char *name) {
    struct nearest nearest = {.typed = name};
    for (size_t i = 0; commands[i]; i++) {
        nearest_try(&nearest, commands[i]->name);
    }
    say("no command '%s'%s%s%s; see 'hostlink help'", name, nearest.word ? ", did you mean '" : "",
        nearest.word ? nearest.word : "", nearest.word ? "'?" : "");
    return EXIT_USAGE;
}

static enum exit_code help(const char *name) {
    if (!name) {
        print_usage(stdout);
        return EXIT_OK;
    }
    const struct cmd *command = find(name);
    char word[] = "--help";
    char *argv[] = {word, NULL};
    return command ? command->run(argv) : unknown_command(name);
}

/* A word that is neither a command nor anything that exists is more likely a typing error. */
static enum exit_code capture(char **argv) {
    enum exit_code code = cmd_capture.run(argv);
    struct nearest nearest = {.typed = argv[0]};
    if (code == EXIT_SOURCE && !strpbrk(argv[0], "/.:")) {
        for (size_t i = 0; commands[i]; i++) {
            nearest_try(&nearest, commands[i]->name);
        }
    }
    if (nearest.word) {
        say("did you mean 'hostlink %s'?", nearest.word);
    }
    return code;
}

static enum exit_code dispatch(char **argv) {
    const char *word = argv[0];
    if (!word) {
        print_usage(stderr);
        return EXIT_USAGE;
    }
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
        return help(NULL);
    }
    if (strcmp(word, "help") == 0) {
        return help(argv[1]);
    }
    if (strcmp(word, "--version") == 0) {
        printf("hostlink %s\n", KYMO_VERSION);
        return EXIT_OK;
    }
    const struct cmd *command = find(word);
    return command ? command->run(argv + 1) : capture(argv);
}

int main(int argc, char **argv) {
    (void)argc;
    stop_ignore_pipes();
    return (int)dispatch(argv + 1);
}
