/* SPDX-License-Identifier: MIT */
#include "sink/compared.h"

void compared_init(struct compared *compared) {
    *compared = (struct compared){.measures.wanted = (1u << MEASURES) - 1u, .samples.size = 1};
}

int compared_event(struct compared *compared, const struct event *event) {
    int error = measures_event(&compared->measures, event);
    error = error ? error : memorytable_event(&compared->memory, event);
    return error ? error : samplecounts_event(&compared->samples, event);
}

int compared_settle(struct compared *compared) { return measures_settle(&compared->measures); }

void compared_free(struct compared *compared) {
    measures_free(&compared->measures);
    memorytable_free(&compared->memory);
    samplecounts_free(&compared->samples);
}
