/* SPDX-License-Identifier: MIT */
#include "sink/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/file_use.h"
#include "base/nearest.h"
#include "base/say.h"
#include "platform/file.h"
#include "sink/sink.h"

#define CAPTURE_FORMAT "kymo"
#define CAPTURE_SUFFIX ".kymo"

static const struct sink *sink_named(const char *name, size_t length) {
    for (size_t i = 0; sinks[i]; i++) {
        if (strlen(sinks[i]->name) == length && memcmp(sinks[i]->name, name, length) == 0) {
            return sinks[i];
        }
    }
    return NULL;
}

static bool is_capture_path(const char *path) {
    size_t length = strlen(path), suffix = strlen(CAPTURE_SUFFIX);
    return length > suffix && strcmp(path + length - suffix, CAPTURE_SUFFIX) == 0;
}

/* "json": a suffix in place of the name. */
static const struct sink *sink_of_suffix(const char *text, size_t length) {
    char path[16];
    if (length + 3 > sizeof path) {
        return NULL;
    }
    snprintf(path, sizeof path, "x.%.*s", (int)length, text);
    return sink_for_path(path);
}

/* FORMAT:PATH with an unknown FORMAT. */
static void explain_prefix(const char *text, size_t prefix, char *why, size_t why_size) {
    const struct sink *meant = sink_of_suffix(text, prefix);
    if (meant) {
        snprintf(why, why_size, "'%.*s' is no format, did you mean '%s'?", (int)prefix, text,
                 meant->name);
        return;
    }
    int used = snprintf(why, why_size, "'%.*s' is no format; there are " CAPTURE_FORMAT,
                        (int)(prefix < 40 ? prefix : 40), text);
    for (size_t i = 0; sinks[i] && used > 0 && (size_t)used < why_size; i++) {
        used += snprintf(why + used, why_size - (size_t)used, ", %s", sinks[i]->name);
    }
}

static bool explain_format(const char *text, char *why, size_t why_size) {
    if (strcmp(text, "-") == 0) {
        snprintf(why, why_size, "'-o -' needs a format: -o FORMAT:-");
        return false;
    }
    size_t prefix = strcspn(text, ":");
    if (text[prefix] == ':' && text[prefix + 1] != '\0' && memchr(text, '/', prefix) == NULL) {
        explain_prefix(text, prefix, why, why_size);
        return false;
    }
    const char *dot = strrchr(text, '.');
    struct nearest nearest = {.typed = dot ? dot : ""};
    char suffixes[OUTPUTS_MAX][64] = {{0}};
    for (size_t i = 0; sinks[i] && i < OUTPUTS_MAX; i++) {
        snprintf(suffixes[i], sizeof suffixes[i], "%.*s", (int)strcspn(sinks[i]->suffixes, " "),
                 sinks[i]->suffixes);
        nearest_try(&nearest, suffixes[i]);
    }
    snprintf(why, why_size, "'%.120s': its suffix names no format%s%s%s", text,
             nearest.word ? ", did you mean '" : "; write FORMAT:PATH",
             nearest.word ? nearest.word : "", nearest.word ? "'?" : "");
    return false;
}

/* Such as /dev/stdout, or the file that the shell has opened for it: two streams into one would mix. */
static const char *name_of(const char *path) {
    return path[0] != '\0' && file_is_same(path, SYS_STDOUT, "-", SYS_STDOUT) ? "-" : path;
}

static bool set_capture(struct outputs *outputs, const char *path, char *why, size_t why_size) {
    if (outputs->capture) {
        snprintf(why, why_size, "only one capture file can be written, '%.80s' or '%.80s'",
                 outputs->capture, path);
        return false;
    }
    outputs->capture = name_of(path);
    return true;
}

static bool add_sink(struct outputs *outputs, const struct sink *sink, const char *path, char *why,
                     size_t why_size) {
    if (outputs->count == OUTPUTS_MAX) {
        snprintf(why, why_size, "at most %d outputs at once: leave out '%s'", OUTPUTS_MAX, path);
        return false;
    }
    if (sink->is_folder && strcmp(name_of(path), "-") == 0) {
        snprintf(why, why_size, "'%s' is a folder, and cannot be standard output", sink->name);
        return false;
    }
    for (size_t i = 0; i < outputs->count; i++) {
        if (strcmp(outputs->list[i].path, path) == 0) {
            snprintf(why, why_size, "two outputs with the same name '%.120s'", path);
            return false;
        }
    }
    outputs->list[outputs->count++] = (struct output){.sink = sink, .path = name_of(path)};
    return true;
}

/* "p.firefxo.json" is a valid name for the format of ".json", but may be a typo. */
static void say_near(const char *text, const struct sink *sink) {
    const char *name = sys_last_part(text), *last = strrchr(name, '.'), *word = last;
    while (word && word > name && word[-1] != '.') {
        word--;
    }
    char typed[16], words[OUTPUTS_MAX][16];
    struct nearest nearest = {.typed = typed};
    if (!word || word == name || (size_t)(last - word) >= sizeof typed) {
        return;
    }
    snprintf(typed, sizeof typed, "%.*s", (int)(last - word), word);
    for (size_t i = 0; sinks[i] && i < OUTPUTS_MAX; i++) {
        const char *suffix = sinks[i]->suffixes, *end = strstr(suffix + 1, last);
        if (suffix[0] == '.' && end && (size_t)(end - suffix) <= sizeof words[i]) {
            snprintf(words[i], sizeof words[i], "%.*s", (int)(end - suffix - 1), suffix + 1);
            nearest_try(&nearest, words[i]);
        }
    }
    if (nearest.word && strcmp(nearest.word, typed) != 0) {
        say("%s: is written as %s, by '%s'; did you mean '.%s%s'?", text, sink->name, last,
            nearest.word, last);
    }
}

bool outputs_add(struct outputs *outputs, const char *text, char *why, size_t why_size) {
    size_t prefix = strcspn(text, ":");
    const char *path = text[prefix] == ':' ? text + prefix + 1 : text;
    bool forced = text[prefix] == ':' && path[0] != '\0';
    if (forced && prefix == strlen(CAPTURE_FORMAT) && memcmp(text, CAPTURE_FORMAT, prefix) == 0) {
        return set_capture(outputs, path, why, why_size);
    }
    const struct sink *sink = forced ? sink_named(text, prefix) : NULL;
    if (sink) {
        return add_sink(outputs, sink, path, why, why_size);
    }
    if (is_capture_path(text)) {
        return set_capture(outputs, text, why, why_size);
    }
    sink = sink_for_path(text);
    if (sink) {
        say_near(text, sink);
    }
    return sink ? add_sink(outputs, sink, text, why, why_size)
                : explain_format(text, why, why_size);
}

bool outputs_use_stdout(const struct outputs *outputs) {
    bool used = outputs->capture && strcmp(outputs->capture, "-") == 0;
    for (size_t i = 0; i < outputs->count; i++) {
        used = used || strcmp(outputs->list[i].path, "-") == 0;
    }
    return used;
}

/* Checks the folder, the first "length" bytes of a path: 0, or -errno if no file can be made in it. */
static int check_parent(const char *path, size_t length) {
    char *folder = malloc(length + sizeof ".");
    if (!folder) {
        return -ENOMEM;
    }
    memcpy(folder, path, length);
    folder[length] = '\0';
    char *name = folder + (sys_last_part(folder) - folder);
    strcpy(name, name == folder ? "." : "");
    const int error = sys_check_folder(folder) == 0 ? 0 : -errno;
    free(folder);
    return error;
}

/* 0, or the -errno that a file or folder of this name will fail with. */
static int check_path(const char *path, bool is_folder) {
    struct sys_status status;
    if (strcmp(path, "-") == 0) {
        return 0;
    }
    if (sys_status_of(path, &status) == 0) {
        const bool fits = (status.type == SYS_FOLDER) == is_folder;
        const int error = is_folder ? sys_check_folder(path) : sys_check_writable(path);
        return !fits ? (is_folder ? -ENOTDIR : -EISDIR) : error == 0 ? 0 : -errno;
    }
    size_t length = strlen(path);
    while (is_folder && length > 1 && path[length - 1] == '/') {
        length--;
    }
    return check_parent(path, length);
}

static void say_unwritable(const char *path, int error) {
    if (error == -EBUSY) {
        say("%s: " FILE_BUSY_TEXT, path);
        return;
    }
    if (error == -EINTR) {
        say("%s: not written: stopped before it was whole", path);
        return;
    }
    const char *hint = error == -ENOENT ? "; does its folder exist?" : "";
    say("%s: cannot be written: %s%s", strcmp(path, "-") == 0 ? "standard output" : path,
        strerror(-error), hint);
}

bool outputs_check(const struct outputs *outputs) {
    bool good = true;
    for (size_t i = 0; i < outputs->count; i++) {
        int error = check_path(outputs->list[i].path, outputs->list[i].sink->is_folder);
        if (error) {
            say_unwritable(outputs->list[i].path, error);
            good = false;
        }
    }
    const char *folder = outputs->large.directory;
    const int error = folder ? check_path(folder, true) : 0;
    if (error) {
        say_unwritable(folder, error);
    }
    return good && !error;
}

/* The path of output "i"; the capture, if any, is the last. NULL after it. */
static const char *output_path(const struct outputs *outputs, size_t i) {
    return i < outputs->count    ? outputs->list[i].path
           : i == outputs->count ? outputs->capture
                                 : NULL;
}

static bool is_apart(const struct outputs *outputs, size_t i, const char *const *inputs,
                     size_t input_count) {
    const char *path = output_path(outputs, i), *other;
    for (size_t k = 0; k < input_count; k++) {
        if (inputs[k] && file_is_same(path, SYS_STDOUT, inputs[k], SYS_STDIN)) {
            say("%s: is the input itself; choose another name for the output", path);
            return false;
        }
    }
    for (size_t k = i + 1; (other = output_path(outputs, k)) != NULL; k++) {
        if (file_is_same(path, SYS_STDOUT, other, SYS_STDOUT)) {
            say("%s: is the same file as %s; give each output a name of its own", path, other);
            return false;
        }
    }
    return true;
}

bool outputs_apart(const struct outputs *outputs, const char *const *inputs, size_t input_count) {
    bool apart = true;
    for (size_t i = 0; apart && output_path(outputs, i); i++) {
        apart = is_apart(outputs, i, inputs, input_count);
    }
    return apart;
}

bool outputs_can_repeat(const struct outputs *outputs) {
    struct sys_status status;
    bool files = true;
    for (size_t i = 0; files && i < outputs->count; i++) {
        const char *path = outputs->list[i].path;
        files = strcmp(path, "-") != 0 &&
                (sys_status_of(path, &status) != 0 || status.type == SYS_REGULAR ||
                 outputs->list[i].sink->is_folder);
    }
    return files;
}

void outputs_open(struct outputs *outputs) {
    outputs->large.written = 0;
    for (size_t i = 0; i < outputs->count; i++) {
        struct output *output = &outputs->list[i];
        output->error = sink_open(output->sink, &output->consumer, output->path);
        output->is_open = output->error == 0;
    }
}

/* An error is reported when the output is closed; the others go on. */
static int give(void *context, const struct event *event) {
    struct output *output = context;
    if (!output->error) {
        output->error = output->consumer.event(output->consumer.state, event);
    }
    return 0;
}

void outputs_event(struct outputs *outputs, const struct event *event) {
    for (size_t i = 0; i < outputs->count; i++) {
        (void)give(&outputs->list[i], event);
    }
}

static int give_all(void *context, const struct event *event) {
    outputs_event(context, event);
    return 0;
}

struct consumer outputs_consumer(struct outputs *outputs) {
    return outputs->count == 1 ? (struct consumer){.state = &outputs->list[0], .event = give}
                               : (struct consumer){.state = outputs, .event = give_all};
}

bool outputs_close(struct outputs *outputs) {
    bool good = true;
    large_files_end(&outputs->large);
    for (size_t i = 0; i < outputs->count; i++) {
        struct output *output = &outputs->list[i];
        if (output->is_open) {
            int error = output->consumer.close(output->consumer.state);
            output->error = output->error ? output->error : error;
            output->is_open = false;
        }
        if (output->error) {
            say_unwritable(output->path, output->error);
            good = false;
        }
    }
    return good;
}

void outputs_help(FILE *out, bool with_capture) {
    fprintf(out, "Formats (FORMAT, suffixes):\n");
    if (with_capture) {
        fprintf(out, "  %-10s %-28s %s\n", CAPTURE_FORMAT, CAPTURE_SUFFIX,
                "the capture itself, whole after a kill");
    }
    for (size_t i = 0; sinks[i]; i++) {
        fprintf(out, "  %-10s %-28s %s\n", sinks[i]->name, sinks[i]->suffixes, sinks[i]->help);
    }
}
