/* The one list of outputs: a new format is one file sink_NAME.c and one line here. */
#include <stdbool.h>
#include <string.h>

#include "sink/sink.h"

extern const struct sink sink_perfetto, sink_chrome, sink_csv_events, sink_csv;

/* The first whose suffix fits counts. */
const struct sink *const sinks[] = {&sink_perfetto, &sink_chrome, &sink_csv_events, &sink_csv,
                                    NULL};

static bool ends_with(const char *path, const char *suffix, size_t suffix_length) {
    size_t length = strlen(path);
    /* More than the bare suffix: ".csv" is a hidden file without a suffix. */
    return length > suffix_length &&
           memcmp(path + length - suffix_length, suffix, suffix_length) == 0;
}

static bool names_sink(const char *path, const char *suffixes) {
    while (*suffixes != '\0') {
        size_t length = strcspn(suffixes, " ");
        if (length > 0 && ends_with(path, suffixes, length)) {
            return true;
        }
        suffixes += length;
        suffixes += strspn(suffixes, " ");
    }
    return false;
}

const struct sink *sink_for_path(const char *path) {
    for (size_t i = 0; sinks[i]; i++) {
        if (names_sink(path, sinks[i]->suffixes)) {
            return sinks[i];
        }
    }
    return NULL;
}
