/* SPDX-License-Identifier: MIT */
/* Hostile ELF files and memory images into "hostlink dump". The input is the length of the ELF file in two bytes,
 * the ELF file, and the memory; the seeds are small correct pairs of every kind of ring (dump_pair.h).
 *
 * Any input gives a stream whose sums agree. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "dump/stream.h"
#include "dump_pair.h"
#include "elf/sites.h"
#include "fuzz.h"
#include "trace/pipeline.h"
#include "wire/compose.h"

static uint64_t fuzz_dump_delivered;
static uint32_t fuzz_dump_sites[2];

static void get_site(const void *sites, uint32_t index, struct site_entry *entry) {
    sites_get(sites, index, entry);
}

static int to_pipeline(void *context, const uint8_t *bytes, size_t length) {
    return pipeline_feed(context, bytes, length);
}

/* Reads the packets that --elf takes from such a file; the sites loaded with the program, or not. */
static void read_sites(const uint8_t *elf_bytes, size_t elf_length, uint32_t *count) {
    static struct compose packet;
    struct elf elf;
    struct sites sites;
    *count = 0;
    if (elf_open(&elf, elf_bytes, elf_length) == 0 && sites_open(&sites, &elf) == 0) {
        const struct site_list list = {&sites, sites_count(&sites), get_site};
        for (uint32_t next = 0; next < list.count;) {
            compose_sites(&packet, 0, &list, &next);
        }
        *count = list.count;
    }
}

/* For ELF files whose layout says, as in one of the seeds, that the sites are in the file only. */
static void read_sites_both(const uint8_t *elf_bytes, size_t elf_length) {
    struct elf elf;
    uint64_t address = 0;
    uint8_t *copy = malloc(elf_length + 1);
    if (copy == NULL) {
        return;
    }
    memcpy(copy, elf_bytes, elf_length);
    read_sites(copy, elf_length, &fuzz_dump_sites[0]);
    if (elf_open(&elf, copy, elf_length) == 0 && elf_symbol(&elf, "kymo_layout", &address)) {
        const uint8_t *layout = elf_at(&elf, address, sizeof(struct kymo_layout));
        if (layout != NULL) {
            copy[(size_t)(layout - copy) + offsetof(struct kymo_layout, names_in_elf)] ^= 1;
            read_sites(copy, elf_length, &fuzz_dump_sites[1]);
        }
    }
    free(copy);
}

static void read_pair(const uint8_t *elf_bytes, size_t elf_length, const uint8_t *bytes,
                      size_t length) {
    static const struct pipeline_callbacks nobody;
    struct elf elf;
    struct memory memory;
    struct recorder recorder;
    struct lanes_report report;
    const char *why = NULL;
    bool blames_elf = false;
    read_sites_both(elf_bytes, elf_length);
    if (elf_open(&elf, elf_bytes, elf_length) != 0 ||
        memory_open(&memory, bytes, length, &why) != 0 ||
        recorder_open(&recorder, &elf, &memory, &blames_elf) != 0) {
        return;
    }
    struct pipeline *pipeline = pipeline_new(&nobody, NULL);
    if (stream_make(&recorder, to_pipeline, pipeline, &report) != 0) {
        fuzz_wrong("the stream cannot be made");
    }
    (void)pipeline_end(pipeline);
    struct pipeline_totals totals;
    pipeline_totals(pipeline, &totals);
    if (totals.emitted != totals.delivered + totals.lost) {
        fuzz_wrong("the sums do not agree");
    }
    fuzz_dump_delivered += totals.delivered;
    pipeline_free(pipeline);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 2) {
        return 0;
    }
    size_t elf_length = data[0] | (size_t)data[1] << 8;
    elf_length = elf_length < size - 2 ? elf_length : size - 2;
    fuzz_dump_delivered = 0;
    read_pair(data + 2, elf_length, data + 2 + elf_length, size - 2 - elf_length);
    return 0;
}

/* A seed that gives no event would test nothing. */
size_t fuzz_seed(uint32_t index, uint8_t *out, size_t size) {
    size_t elf_length = 0;
    size_t length = dump_pair_make(index, out + 2, size - 2, &elf_length) + 2;
    out[0] = (uint8_t)elf_length;
    out[1] = (uint8_t)(elf_length >> 8);
    if (index < 16) {
        (void)LLVMFuzzerTestOneInput(out, length);
        if (fuzz_dump_delivered == 0) {
            fuzz_wrong("a correct pair holds no event");
        }
        /* Half of them are position independent. */
        if (index / 6 % 2 == 0 && (fuzz_dump_sites[0] == 0 || fuzz_dump_sites[1] == 0)) {
            fuzz_wrong("a correct ELF file holds no site");
        }
    }
    return length;
}
