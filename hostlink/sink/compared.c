/* SPDX-License-Identifier: MIT */
#include "sink/compared.h"

void compared_init(struct compared *compared, struct selection *part) {
    *compared = (struct compared){.part = part, .samples.size = 1};
    compared->measures.wanted = (1u << MEASURES) - 1u;
    compared->measures.selection = part;
    compared->memory.selection = part;
}

int compared_event(struct compared *compared, const struct event *event) {
    const bool taken = !compared->part || selection_takes(compared->part, event);
    int error = taken ? measures_event(&compared->measures, event) : 0;
    error = error ? error : memorytable_event(&compared->memory, event);
    return error || !taken ? error : samplecounts_event(&compared->samples, event);
}

int compared_settle(struct compared *compared) { return measures_settle(&compared->measures); }

void compared_free(struct compared *compared) {
    measures_free(&compared->measures);
    memorytable_free(&compared->memory);
    samplecounts_free(&compared->samples);
}
