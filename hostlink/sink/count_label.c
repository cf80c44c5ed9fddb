/* SPDX-License-Identifier: MIT */
#include "sink/count_label.h"

#include <stddef.h>
#include <string.h>

#define LABEL(name)                                                                                \
    { name, name " (event)" }

/* Arguments of a zone in Perfetto and Chrome, and the columns of the statistics. */
static const struct {
    const char *name, *label;
} taken[] = {
    LABEL("cycles"),     LABEL("instructions"), LABEL("IPC"),      LABEL("name"),
    LABEL("text"),       LABEL("text (cut)"),   LABEL("value"),    LABEL("color"),
    LABEL("end"),        LABEL("src_file"),     LABEL("src_line"), LABEL("total_ns"),
    LABEL("total_perc"), LABEL("counts"),       LABEL("mean_ns"),  LABEL("min_ns"),
    LABEL("max_ns"),     LABEL("std_ns"),       LABEL("repaired"), LABEL("self_ns"),
    LABEL("counted"),    LABEL("p50_ns"),       LABEL("p99_ns"),
};

const char *count_label(const char *name) {
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++) {
        if (strcmp(name, taken[i].name) == 0) {
            return taken[i].label;
        }
    }
    return name;
}
