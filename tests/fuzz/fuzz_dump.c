/* Hostile ELF files and memory images into "hostlink dump". The input is the length of the ELF file in two bytes,
 * the ELF file, and the memory; the seeds are small correct pairs of every kind of ring (dump_pair.h).
 *
 * Whatever comes in, what comes out is a stream whose sums agree. */
#include "dump/stream.h"
#include "dump_pair.h"
#include "fuzz.h"
#include "trace/pipeline.h"

static uint64_t fuzz_dump_delivered;

static int to_pipeline(void *context, const uint8_t *bytes, size_t length) {
    return pipeline_feed(context, bytes, length);
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
    }
    return length;
}
