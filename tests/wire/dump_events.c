/* SPDX-License-Identifier: MIT */
/* hostlink's reading of a capture, as lines of text that a second decoder also prints (compare.py).
 *   dump_events packets FILE   each EVENTS packet and its events, as wire_decoder.py shows them
 *   dump_events events FILE   the pipeline's events and totals, as wire_session.py shows them */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kymo/wire.h"
#include "lines.h"
#include "trace/pipeline.h"
#include "wire/decode.h"
#include "wire/fields.h"
#include "wire/unpack.h"

static int print_packet(void *context, const uint8_t *bytes, size_t length, size_t wire_bytes) {
    (void)context;
    (void)wire_bytes;
    struct reader reader = {.bytes = bytes, .length = length, .at = 2};
    struct wire_head head;
    struct wire_decoder decoder;
    struct wire_event event;
    if (bytes[0] >> KYMO_WIRE_VERSION_SHIFT != KYMO_WIRE_VERSION ||
        packet_type(bytes) != KYMO_PACKET_EVENTS || !decode_head(&reader, &head)) {
        return 0;
    }
    printf("EVENTS sequence=%u lane=%" PRIu32 " slots=%" PRIu32 " count=%" PRIu32 " first=%" PRIu64
           " time=%" PRIu64 " context=%" PRIu32 "\n",
           (unsigned)bytes[1], head.lane, head.slots, head.count, head.first, head.ticks,
           head.context);
    decode_begin(&decoder, &reader, &head);
    while (decode_next(&decoder, &event)) {
        print_wire_event(stdout, &event);
    }
    return 0;
}

static void ignore_junk(void *context, const uint8_t *bytes, size_t length) {
    (void)context;
    (void)bytes;
    (void)length;
}

static int dump_packets(const uint8_t *bytes, size_t length) {
    static struct unpack unpack;
    const struct unpack_callbacks callbacks = {NULL, print_packet, ignore_junk};
    unpack_init(&unpack, &callbacks);
    return unpack_feed(&unpack, bytes, length);
}

static int print_event(void *context, const struct event *event) {
    (void)context;
    if (!is_of_the_board(event)) {
        return 0;
    }
    printf("%" PRId64 " ", event->time_ns);
    print_quoted(stdout, event->track->name, strlen(event->track->name));
    printf(" ");
    print_meaning(stdout, event);
    printf("\n");
    return 0;
}

static struct pipeline *run(const struct pipeline_callbacks *callbacks,
                            const struct pipeline *names, const uint8_t *bytes, size_t length) {
    struct pipeline *pipeline = pipeline_new(callbacks, names);
    if (pipeline == NULL || pipeline_feed(pipeline, bytes, length) != 0 ||
        pipeline_end(pipeline) != 0) {
        fprintf(stderr, "dump_events: the pipeline failed\n");
        exit(1);
    }
    return pipeline;
}

static int dump_events(const uint8_t *bytes, size_t length) {
    /* A name that an event gives holds from there on, as the page says. */
    const struct pipeline_callbacks silent = {.names_only = true};
    const struct pipeline_callbacks printing = {.event = print_event};
    struct pipeline_totals totals;
    struct pipeline *names = run(&silent, NULL, bytes, length);
    struct pipeline *pipeline = run(&printing, names, bytes, length);
    pipeline_totals(pipeline, &totals);
    printf("delivered=%" PRIu64 " lost=%" PRIu64 "\n", totals.delivered, totals.lost);
    pipeline_free(pipeline);
    pipeline_free(names);
    return 0;
}

static uint8_t *read_file(const char *path, size_t *length) {
    const size_t limit = 64u << 20;
    FILE *file = fopen(path, "rb");
    uint8_t *bytes = malloc(limit);
    if (file == NULL || bytes == NULL) {
        perror(path);
        exit(1);
    }
    *length = fread(bytes, 1, limit, file);
    (void)fclose(file);
    return bytes;
}

int main(int argc, char **argv) {
    if (argc != 3 || (strcmp(argv[1], "packets") != 0 && strcmp(argv[1], "events") != 0)) {
        fprintf(stderr, "usage: dump_events packets|events FILE\n");
        return 2;
    }
    size_t length = 0;
    uint8_t *bytes = read_file(argv[2], &length);
    int result =
        strcmp(argv[1], "packets") == 0 ? dump_packets(bytes, length) : dump_events(bytes, length);
    free(bytes);
    return result != 0 || fflush(stdout) != 0;
}
