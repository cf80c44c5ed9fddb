/* SPDX-License-Identifier: MIT */
/* Hostile input for parts of hostlink, each by itself (parts.h): the first byte says which. */
#include "fuzz.h"
#include "parts.h"

static const struct part *const parts[] = {&part_format, &part_answers, &part_kept, &part_info,
                                           &part_claims, &part_clock, &part_beacon, &part_published,
                                           &part_frames,
                                           /* These two work with files, which takes longest. */
                                           &part_sources, &part_ports};
#define PARTS (sizeof parts / sizeof parts[0])

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct reader input = {.bytes = data, .length = size, .at = 1};
    if (size != 0) {
        parts[data[0] % PARTS]->run(&input);
    }
    return 0;
}

size_t fuzz_seed(uint32_t index, uint8_t *out, size_t size) {
    out[0] = (uint8_t)(index % PARTS);
    return 1 + parts[out[0]]->seed(index * 2654435761u + 1, out + 1, size - 1);
}
