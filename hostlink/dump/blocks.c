/* SPDX-License-Identifier: MIT */
#include "dump/blocks.h"

#include "base/bytes.h"
#include "kymo/wire.h"

#define MAIN_CONTEXT 1u
/* More events than this no recorder has seen: nine years of a million a second. */
#define EVENTS_MAX (UINT64_C(1) << 48)

struct block {
    uint32_t number, run, session, context;
    uint64_t events, ticks;
    uint32_t at; /* word of the ring where its records begin */
};

static uint32_t blocks_of(const struct recorder *r) {
    return r->layout.ring_bytes / r->layout.block_bytes;
}

/* The block at a place in the ring, if there is one of this program. */
static bool read_block(const struct recorder *r, uint32_t lane, uint32_t place,
                       struct block *block) {
    const uint8_t *head = recorder_ring(r, lane) + (size_t)place * r->layout.block_bytes;
    uint32_t words[KYMO_BLOCK_HEAD_WORDS];
    for (uint32_t i = 0; i < KYMO_BLOCK_HEAD_WORDS; i++) {
        words[i] = bytes_u32(head + 4u * (size_t)i);
    }
    *block = (struct block){.number = words[1],
                            .run = words[2],
                            .session = words[3],
                            .context = words[4],
                            .events = words[5] | (uint64_t)words[6] << 32,
                            .ticks = words[7] | (uint64_t)words[8] << 32,
                            .at = place * (r->layout.block_bytes / 4) + KYMO_BLOCK_HEAD_WORDS};
    return block->number % blocks_of(r) == place && block->events < EVENTS_MAX &&
           words[0] == kymo_block_check(r->fingerprint, words + 1);
}

/* The block of a run with the lowest number above "after". */
static bool next_block(const struct recorder *r, uint32_t lane, uint32_t run, uint32_t after,
                       struct block *next) {
    bool found = false;
    for (uint32_t place = 0; place < blocks_of(r); place++) {
        struct block block;
        if (read_block(r, lane, place, &block) && block.run == run && block.number > after &&
            (!found || block.number < next->number)) {
            *next = block;
            found = true;
        }
    }
    return found;
}

/* The earliest run above "after". */
static bool next_run(const struct recorder *r, uint32_t after, struct blocks_run *next) {
    bool found = false;
    for (uint32_t i = 0; i < r->layout.lanes * blocks_of(r); i++) {
        struct block block;
        if (read_block(r, i / blocks_of(r), i % blocks_of(r), &block) && block.run > after &&
            (!found || block.run < next->number)) {
            *next = (struct blocks_run){block.run, block.session};
            found = true;
        }
    }
    return found;
}

size_t blocks_runs(const struct recorder *r, struct blocks_run *runs, size_t most) {
    size_t count = 0;
    uint32_t after = 0;
    while (count < most && next_run(r, after, &runs[count])) {
        after = runs[count++].number;
    }
    return count;
}

/* The position of a lane in a run. */
struct position {
    const struct lanes_reader *reader;
    uint64_t events; /* sent so far, lost ones with them */
    uint32_t context;
};

static int tell(struct position *p, const struct wire_event *event) {
    if (event->kind == KYMO_KIND_CONTEXT || event->kind == KYMO_KIND_CONTEXT_NOW) {
        p->context = event->reference;
    }
    p->events += KYMO_KIND_IS_COUNTED(event->kind) ? 1 : 0;
    p->events += event->kind == KYMO_KIND_LOSS && event->words != 0 ? event->word[0] : 0;
    return p->reader->event(p->reader->context, event);
}

/* A switch sets the context before it begins a block. */
static bool begins_with_its_switch(const uint8_t *ring, const struct block *block) {
    return bytes_u32(ring + 4u * (size_t)block->at) == (block->context | KYMO_TAG_CONTEXT);
}

/* Sends the number of events overwritten before the block, and the lane's context, as the board itself would. */
static int tell_gap(struct position *p, const struct recorder *r, const uint8_t *ring,
                    const struct block *block) {
    int result = 0;
    while (result == 0 && block->events > p->events) {
        uint64_t lost = block->events - p->events;
        const struct wire_event loss = {.kind = KYMO_KIND_LOSS,
                                        .ticks = block->ticks,
                                        .words = 2,
                                        .word = {lost < UINT32_MAX ? (uint32_t)lost : UINT32_MAX}};
        result = tell(p, &loss);
    }
    const struct wire_event now = {.kind = KYMO_KIND_CONTEXT_NOW,
                                   .ticks = block->ticks,
                                   .reference = recorder_reference(r, block->context)};
    const bool states = now.reference != p->context && !begins_with_its_switch(ring, block);
    return result == 0 && states ? tell(p, &now) : result;
}

static int read_records(struct position *p, const struct recorder *r, uint32_t lane,
                        const struct block *block, struct lanes_report *report) {
    struct records records = {.sites = recorder_sites_place(r),
                              .ring = recorder_ring(r, lane),
                              .mask = r->layout.ring_bytes / 4 - 1,
                              .at = block->at,
                              .ticks = block->ticks};
    const uint32_t end = block->at - KYMO_BLOCK_HEAD_WORDS + r->layout.block_bytes / 4;
    int result = 0;
    while (result == 0 && records.at < end && records_word(&records, 0) != 0) {
        struct wire_event event;
        uint32_t length = records_length(&records, end - records.at);
        if (length == 0) {
            report->broken++;
            return 0;
        }
        result = records_next(&records, length, &event) ? tell(p, &event) : 0;
    }
    return result;
}

int blocks_read(const struct recorder *r, uint32_t lane, const struct blocks_run *run,
                const struct lanes_reader *reader, struct lanes_report *report) {
    const struct lane_start start = {.lane = lane, .context = MAIN_CONTEXT};
    struct position position = {.reader = reader, .context = MAIN_CONTEXT};
    struct block block = {0};
    int result = reader->start(reader->context, &start);
    while (result == 0 && next_block(r, lane, run->number, block.number, &block)) {
        result = tell_gap(&position, r, recorder_ring(r, lane), &block);
        result = result != 0 ? result : read_records(&position, r, lane, &block, report);
    }
    return result;
}
