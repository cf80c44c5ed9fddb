/* SPDX-License-Identifier: MIT */
/* The viewer's side of Tracy's protocol, for tests: reads the client's stream byte by byte,
 * sends a viewer's queries, and fails where a viewer asserts (tracy-capture's Worker, 0.9 to
 * 0.14). It shares only the table of protocols with hostlink. */
#ifndef TRACY_PEER_H
#define TRACY_PEER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tracy/proto.h"

#define PEER_THREADS 256
#define PEER_DEPTH 4200
#define PEER_NAMES 600
#define PEER_PLACES 300
#define PEER_SETS 128
#define PEER_SOURCES 64
#define PEER_LIVE 8192
#define PEER_RING (768 * 1024 + 1) /* a viewer's decompression buffer */
#define PEER_PACKED_MAX (TRACY_FRAME_BYTES + TRACY_FRAME_BYTES / 255 + 16)
#define PEER_OUT (64 * 1024)

/* A source location. */
struct peer_place {
    uint64_t key, name, function, file;
    uint32_t line, color;
    bool answered;
    uint64_t count;
    int64_t total_ns;
};

/* A row that a core has run. */
struct peer_external {
    uint32_t id;
    int cpu; /* that runs it now, -1 = none */
    int64_t last_ns, total_ns;
    int64_t woken_ns,
        ready_ns;          /* since when it may run, -1 = it waits or runs; the sum until it ran */
    uint8_t reason, state; /* of the last time that it left a core */
    int8_t priority;       /* of the last time that it took one */
    bool thread_named, named;
};

/* A file that was asked for. */
struct peer_source {
    char *file, *text;
    size_t length;
    bool answered, there;
};

/* A text that was asked for. */
struct peer_name {
    enum tracy_query query;
    uint64_t key;
    bool answered;
    char *text;
};

struct peer_zone {
    int64_t start_ns;
    struct peer_place *place;
};

/* A call stack that waits for its item, the innermost address first; 0 of them = none. */
#define PEER_CALLS 64
struct peer_calls {
    uint32_t count;
    uint64_t address[PEER_CALLS];
};

/* One function at a queried address, the innermost function first. */
struct peer_line {
    char *function, *file;
    uint32_t line, symbol_bytes;
    uint64_t symbol;
};
struct peer_address {
    uint64_t address;
    bool answered;
    uint32_t count;
    struct peer_line *lines;
};
struct peer_symbol {
    uint64_t address;
    const char *function; /* of the frame that has named it first */
    uint32_t bytes;       /* as it says */
    bool answered;
    uint32_t line;
    bool code_open;
    uint8_t *code; /* its machine code, NULL: no code */
};
#define PEER_ADDRESSES 4096

/* How often a call stack came with something: a zone of a place, a message of a text, a block of a pool, a sample. */
enum peer_stack_of { PEER_OF_ZONE, PEER_OF_MESSAGE, PEER_OF_ALLOC, PEER_OF_FREE, PEER_OF_SAMPLE };
struct peer_stack {
    enum peer_stack_of of;
    uint64_t key; /* of the place or the pool; of a message its text, hashed */
    char *text;   /* of a message */
    struct peer_calls calls;
    uint64_t count;
};
#define PEER_STACKS 65536 /* a power of two */

struct peer_thread {
    uint32_t id;
    struct peer_calls calls;
    int64_t last_ns, sampled_ns; /* the latter: of its last sample */
    uint32_t depth, capacity;
    struct peer_zone *zones;
};

/* A pool of memory. */
struct peer_pool {
    uint64_t key;
    int64_t last_alloc_ns;
};

struct peer_block {
    uint64_t pool, address;
    int64_t alloc_ns;
};

struct peer_frames {
    uint64_t key;
    bool spans, open;
    int64_t last_ns;
};

/* An image of a frame: which of the main set's frames, as the viewer counts them, and blocks as on the wire. */
struct peer_picture {
    uint64_t frame;
    uint16_t width, height;
    uint32_t bytes;
    uint8_t *data;
};
#define PEER_PICTURES 256

/* Bits of threads, as a viewer has them. */
struct peer_lock {
    uint32_t id, threads[64], thread_count;
    uint64_t waits[2], holds[2]; /* alone, shared */
    bool terminated, named;
    char name[64];
    int64_t last_ns, held_ns; /* how long somebody has held it alone */
};
#define PEER_LOCKS 64

/* A GPU without a thread: its zones are in the order of their times, and no number of a time is used twice at once. */
struct peer_gpu_zone {
    struct peer_place *place;
    int64_t submitted_ns, start_ns, end_ns; /* -1: the time has not come yet */
    uint32_t number;                        /* of the time that is awaited */
};
struct peer_gpu {
    bool announced, named;
    char name[64];
    uint8_t type;
    int64_t last_ns, calibrated_ns;
    struct peer_gpu_zone zones[8];
    uint32_t depth;
    bool ends; /* the time of an end is awaited */
    uint64_t count, calibrations;
    int64_t total_ns, waited_ns;
};

struct peer_counts {
    uint64_t locks, lock_names, lock_ends, lock_marks;
    uint64_t lock_waits[2], lock_obtains[2], lock_releases[2];
    uint64_t zones, texts, names, values, colors, messages, app_infos, plots, plot_configs;
    uint64_t frames, frame_starts, frame_ends, allocs, frees, params, switch_params, keep_alives,
        frames_received;
    uint64_t switches, wakeups, samples;
    uint64_t called_zones, called_messages, called_allocs, called_frees;
    uint64_t levels[6];
    uint64_t bytes; /* before compression */
};

struct tracy_peer {
    struct tracy_proto proto;
    char failure[200]; /* the first thing that a viewer would not take; "" = none */

    /* Handshake and frames. */
    unsigned stage;
    size_t wanted, have; /* bytes of the present part */
    uint8_t part[PEER_PACKED_MAX];
    uint8_t *ring;
    size_t ring_at;
    void *decoder;
    int64_t base_ns, demand_ns, epoch_s, sample_period_ns;
    char program[64];
    char host_info[1025];

    /* References and slots of the protocol. */
    uint32_t thread_id;
    int64_t thread_ref, serial_ref;
    bool has_string, has_second, has_pool, terminated, crashed;
    uint64_t crash; /* key of the report's text, 0 = none came */
    uint32_t crash_thread;
    char string[TRACY_TEXT_MAX + 1];
    size_t string_length;
    char second[TRACY_TEXT_MAX + 1];
    size_t second_length;
    struct peer_calls calls, serial_calls, last_calls; /* the last: of the last item that had one */
    uint64_t pool_name;

    struct peer_thread threads[PEER_THREADS];
    size_t thread_count;
    struct peer_place places[PEER_PLACES];
    size_t place_count, place_next; /* the next that must be answered */
    struct peer_name names[PEER_NAMES];
    size_t name_count, name_open;
    struct peer_external externals[PEER_THREADS];
    size_t external_count, external_open;
    uint32_t cpus[256]; /* the row that each core runs */
    int64_t switch_ref;
    struct peer_address addresses[PEER_ADDRESSES];
    size_t address_count, address_open;
    struct peer_address *frames_of;
    uint32_t frames_to_come;
    struct peer_symbol symbols[PEER_ADDRESSES];
    size_t symbol_count, symbol_open;
    bool any_symbols; /* answers about addresses may make no sense */
    struct peer_stack
        *stacks; /* PEER_STACKS of them, those in use have a count; NULL: they are not counted */
    bool asks_sources, asks_code;
    enum tracy_cpu cpu;
    size_t code_open;
    struct peer_source sources[PEER_SOURCES];
    size_t source_count, source_open;
    uint64_t acks_open;
    struct peer_pool pools[PEER_SETS];
    size_t pool_count;
    struct peer_frames frames[PEER_SETS];
    size_t frame_count;
    uint64_t frames_before, main_marks; /* of the main set: before this viewer, and since */
    struct peer_picture pictures[PEER_PICTURES], next_picture;
    size_t picture_count;
    struct peer_block live[PEER_LIVE];
    size_t live_count;
    struct peer_lock locks[PEER_LOCKS];
    size_t lock_count;
    struct peer_gpu gpus[255];
    int64_t gpu_ref;
    struct peer_counts counts;
    uint32_t color;                                   /* of the last message, 0 = none */
    uint32_t zone_color;                              /* the last one that a zone was given */
    void (*message)(void *context, const char *text); /* each one, may be NULL */
    void *context;

    /* Queries to the client, as they are on the wire. */
    uint8_t out[PEER_OUT];
    size_t out_used;
};

struct tracy_peer *tracy_peer_new(uint32_t protocol);
void tracy_peer_free(struct tracy_peer *peer);

/* Bytes from the client, cut anywhere. False, and "failure" says why, if a viewer would not take
 * them. */
bool tracy_peer_feed(struct tracy_peer *peer, const uint8_t *bytes, size_t length);
/* The content of a frame, for tests without a socket; tracy_peer_start() replaces the handshake. */
void tracy_peer_start(struct tracy_peer *peer, int64_t base_ns, int64_t demand_ns);
bool tracy_peer_frame(struct tracy_peer *peer, const uint8_t *bytes, size_t length);

/* True when a viewer would end: the client said so, and nothing is open. */
bool tracy_peer_content(const struct tracy_peer *peer);
/* The text of a name, NULL if it is not known. */
const char *tracy_peer_text(const struct tracy_peer *peer, enum tracy_query query, uint64_t key);
/* The place with that zone name, NULL = none. */
const struct peer_place *tracy_peer_place(const struct tracy_peer *peer, const char *name);

/* The queried address, NULL = it was not asked for. */
const struct peer_address *tracy_peer_address(const struct tracy_peer *peer, uint64_t address);

/* The file, NULL = it was not asked for. */
const struct peer_source *tracy_peer_source(const struct tracy_peer *peer, const char *file);

/* How long cores have run a row, -1 = it was not switched to. */
int64_t tracy_peer_ran_ns(const struct tracy_peer *peer, uint32_t id);
/* NULL: no core ran it. */
const struct peer_external *tracy_peer_row(struct tracy_peer *peer, uint32_t id);

/* For the peer's own parts. */
static inline uint64_t tracy_peer_load(const uint8_t *at, size_t bytes) {
    uint64_t value = 0;
    while (bytes-- > 0) {
        value = value << 8 | at[bytes];
    }
    return value;
}
bool tracy_peer_good_time(struct tracy_peer *peer, int64_t time_ns);
bool tracy_peer_advance(struct tracy_peer *peer, int64_t *reference, uint64_t delta,
                        int64_t *time_ns);
bool tracy_peer_use_string(struct tracy_peer *peer);
struct peer_thread *tracy_peer_thread(struct tracy_peer *peer, uint32_t id);
struct peer_place *tracy_peer_place_of(struct tracy_peer *peer, uint64_t key);
/* A viewer asks once for a key as a name of each kind. */
bool tracy_peer_want_name(struct tracy_peer *peer, enum tracy_query query, uint64_t key);
bool tracy_peer_memory(struct tracy_peer *peer, bool alloc, bool named, const uint8_t *at);
/* An item of call stacks, or one of a lock. */
bool tracy_peer_calls(struct tracy_peer *peer, enum tracy_item item, const uint8_t *at);
bool tracy_peer_payload(struct tracy_peer *peer, const uint8_t *bytes, size_t length);
bool tracy_peer_use_calls(struct tracy_peer *peer, uint64_t *count);
bool tracy_peer_sample(struct tracy_peer *peer, uint32_t thread, int64_t time_ns);
bool tracy_peer_use_serial_calls(struct tracy_peer *peer, uint64_t *count);
/* The item that has just used a call stack was of this; "text" of a message, else NULL. */
bool tracy_peer_count_stack(struct tracy_peer *peer, enum peer_stack_of of, uint64_t key,
                            const char *text);
void tracy_peer_count_stacks(struct tracy_peer *peer);
void tracy_peer_print_stacks(const struct tracy_peer *peer);
void tracy_peer_free_stacks(struct tracy_peer *peer);
bool tracy_peer_calls_open(const struct tracy_peer *peer);
void tracy_peer_free_calls(struct tracy_peer *peer);
/* The bytes of an image, which stay to be used; the item that uses them. */
bool tracy_peer_picture_data(struct tracy_peer *peer, const uint8_t *bytes, size_t length);
bool tracy_peer_picture(struct tracy_peer *peer, const uint8_t *at);
void tracy_peer_free_pictures(struct tracy_peer *peer);
/* A pixel of it as 0xrrggbb. */
uint32_t tracy_peer_pixel(const struct peer_picture *picture, uint32_t x, uint32_t y);
/* Machine code of a symbol; "bytes" NULL: no code. */
bool tracy_peer_code(struct tracy_peer *peer, uint64_t address, const uint8_t *bytes,
                     size_t length);
bool tracy_peer_no_code(struct tracy_peer *peer);
/* An item of a GPU, or one of a lock. */
bool tracy_peer_gpu(struct tracy_peer *peer, enum tracy_item item, const uint8_t *at);
/* An item of a lock; no other is expected. */
bool tracy_peer_lock(struct tracy_peer *peer, enum tracy_item item, const uint8_t *at);
/* The payload after the time. */
bool tracy_peer_switch(struct tracy_peer *peer, int64_t time_ns, const uint8_t *at);
bool tracy_peer_wakeup(struct tracy_peer *peer, int64_t time_ns, const uint8_t *at);
bool tracy_peer_external_name(struct tracy_peer *peer, uint64_t id, bool of_thread);
void tracy_peer_want_source(struct tracy_peer *peer, const char *file);
/* A text has come: where it is the name of a file, that can now be asked for. */
bool tracy_peer_named(struct tracy_peer *peer, uint64_t key);
bool tracy_peer_ack(struct tracy_peer *peer);
/* "bytes" is NULL if there is no source. */
bool tracy_peer_take_source(struct tracy_peer *peer, uint64_t id, const uint8_t *bytes,
                            size_t length);
void tracy_peer_free_sources(struct tracy_peer *peer);
bool tracy_peer_fail(struct tracy_peer *peer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void tracy_peer_ask(struct tracy_peer *peer, enum tracy_query query, uint64_t key);
void tracy_peer_ask_more(struct tracy_peer *peer, enum tracy_query query, uint64_t key,
                         uint32_t extra);
/* One item with what belongs to it. Its length, 0 on failure. */
size_t tracy_peer_item(struct tracy_peer *peer, const uint8_t *bytes, size_t length);

#endif
