/* SPDX-License-Identifier: MIT */
#include "base/options.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "base/say.h"

int options_wrong(const struct options *options, const char *format, ...) {
    char text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    say("%s; see 'hostlink help %s'", text, options->command);
    return OPTIONS_WRONG;
}

/* Index of the long option with these "length" bytes as its name, -1 = none. */
static int find_name(const struct option_spec *specs, const char *name, size_t length) {
    for (int i = 0; specs[i].name; i++) {
        if (strncmp(specs[i].name, name, length) == 0 && specs[i].name[length] == '\0') {
            return i;
        }
    }
    return -1;
}

static int find_letter(const struct option_spec *specs, char letter) {
    for (int i = 0; specs[i].name; i++) {
        if (specs[i].letter == letter) {
            return i;
        }
    }
    return -1;
}

static int unknown(struct options *options, const char *name, size_t length) {
    char typed[64];
    snprintf(typed, sizeof typed, "%.*s", (int)(length < 60 ? length : 60), name);
    struct nearest nearest = {.typed = typed};
    for (const struct option_spec *spec = options->specs; spec->name; spec++) {
        nearest_try(&nearest, spec->name);
    }
    nearest_try(&nearest, "help");
    if (nearest.word) {
        return options_wrong(options, "unknown option '--%s', did you mean '--%s'?", typed,
                             nearest.word);
    }
    return options_wrong(options, "unknown option '--%s'", typed);
}

/* "inside" is the argument in the same word ("--name=VALUE", "-oVALUE"), or NULL. */
static int take(struct options *options, int index, const char *inside) {
    const struct option_spec *spec = &options->specs[index];
    options->current = spec;
    options->value = inside;
    if (!spec->argument) {
        return inside ? options_wrong(options, "'--%s' takes no argument", spec->name) : index;
    }
    if (!inside) {
        if (!*options->argv) {
            return options_wrong(options, "'--%s' needs an argument: %s", spec->name,
                                 spec->argument);
        }
        options->value = *options->argv++;
    }
    return index;
}

static int long_option(struct options *options, const char *name) {
    size_t length = strcspn(name, "=");
    const char *inside = name[length] == '=' ? name + length + 1 : NULL;
    if (strcmp(name, "help") == 0) {
        return OPTIONS_HELP;
    }
    int index = find_name(options->specs, name, length);
    return index < 0 ? unknown(options, name, length) : take(options, index, inside);
}

static int short_option(struct options *options, const char *letters) {
    if (strcmp(letters, "h") == 0) {
        return OPTIONS_HELP;
    }
    int index = find_letter(options->specs, letters[0]);
    if (index < 0) {
        return options_wrong(options, "unknown option '-%s'", letters);
    }
    return take(options, index, letters[1] != '\0' ? letters + 1 : NULL);
}

int options_next(struct options *options) {
    const char *word = *options->argv;
    if (!word) {
        return OPTIONS_END;
    }
    options->argv++;
    if (!options->operands_only && strcmp(word, "--") == 0) {
        options->operands_only = true;
        return options_next(options);
    }
    if (options->operands_only || word[0] != '-' || word[1] == '\0') {
        options->value = word;
        return OPTIONS_OPERAND;
    }
    return word[1] == '-' ? long_option(options, word + 2) : short_option(options, word + 1);
}

int options_each(struct options *options, void *settings) {
    int result = 0;
    int option;
    while (result == 0 && (option = options_next(options)) != OPTIONS_END) {
        const struct option_spec *spec = options->specs;
        if (option == OPTIONS_OPERAND) {
            while (spec->name) {
                spec++;
            }
        } else if (option < 0) {
            return option;
        } else {
            spec += option;
        }
        result = spec->take((char *)settings + spec->at, options);
    }
    return result;
}

int option_flag(void *flag, const struct options *options) {
    (void)options;
    *(bool *)flag = true;
    return 0;
}

int option_text(void *text, const struct options *options) {
    *(const char **)text = options->value;
    return 0;
}

int option_seconds(void *time_ns, const struct options *options) {
    return options_seconds(options, time_ns) ? 0 : OPTIONS_WRONG;
}

int option_count(void *number, const struct options *options) {
    return options_unsigned(options, 1, UINT32_MAX, number) ? 0 : OPTIONS_WRONG;
}

bool options_unsigned(const struct options *options, uint32_t least, uint32_t most,
                      uint32_t *number) {
    char *end;
    errno = 0;
    unsigned long value = strtoul(options->value, &end, 10);
    if (errno || end == options->value || *end != '\0' || *options->value == '-' || value < least ||
        value > most) {
        options_wrong(options, "'--%s' needs a number from %lu to %lu, not '%s'",
                      options->current->name, (unsigned long)least, (unsigned long)most,
                      options->value);
        return false;
    }
    *number = (uint32_t)value;
    return true;
}

bool options_seconds(const struct options *options, uint64_t *time_ns) {
    const double most_s = 1e9; /* 31 years; fits 64 bits of nanoseconds */
    char *end;
    double seconds = strtod(options->value, &end);
    if (end == options->value || *end != '\0' || !(seconds > 0.0) || seconds > most_s) {
        options_wrong(options, "'--%s' needs a number of seconds above 0, not '%s'",
                      options->current->name, options->value);
        return false;
    }
    *time_ns = (uint64_t)llrint(seconds * 1e9);
    return true;
}

/* Help texts start in this column, or below what reaches into it. */
#define HELP_COLUMN 24

static void help_line(FILE *out, const char *left, const char *help) {
    const int length = (int)strlen(left);
    const bool fits = length + 2 <= HELP_COLUMN;
    fprintf(out, "%s%s%*s", left, fits ? "" : "\n", HELP_COLUMN - (fits ? length : 0), "");
    for (; *help != '\0'; help++) {
        fputc(*help, out);
        if (*help == '\n') {
            fprintf(out, "%*s", HELP_COLUMN, "");
        }
    }
    fputc('\n', out);
}

void options_help(const struct option_spec *specs, FILE *out) {
    char left[64];
    for (; specs->name; specs++) {
        char letter[8] = "    ";
        if (specs->letter) {
            snprintf(letter, sizeof letter, "-%c, ", specs->letter);
        }
        snprintf(left, sizeof left, "  %s--%s%s%s", letter, specs->name, specs->argument ? " " : "",
                 specs->argument ? specs->argument : "");
        help_line(out, left, specs->help);
    }
    help_line(out, "  -h, --help", "this text");
}
