/* SPDX-License-Identifier: MIT */
/* The source files that a program publishes through IREE's provider: copied one after the other, as the program
 * may free them, and sent one after the other as large transfers. */
#include "kymo/iree.h"

#include "../ring/claim.h"
#include "../ring/lane.h"

#if KYMO_ENABLE && KYMO_TRACY && KYMO_DYNAMIC_SITES

#if KYMO_IREE_SOURCES == 0

void kymo_iree_source(const void *name, size_t name_bytes, const void *content,
                      size_t content_bytes) {
    (void)name;
    (void)name_bytes;
    (void)content;
    (void)content_bytes;
}

#else

_Static_assert(KYMO_LARGE != 0,
               "KYMO_IREE_SOURCES needs KYMO_LARGE, by which source files leave the board");

enum source_state { FILLING = 0, WAITS = 1, SENT = 2 };

/* In front of the bytes of each. */
struct source {
    struct kymo_large large;
    uint32_t state;
    uint32_t bytes; /* from here to the next one */
    char name[KYMO_LARGE_NAME_BYTES + 1u];
} __attribute__((aligned(8)));

static uint8_t sources[(KYMO_IREE_SOURCES) & ~7u] __attribute__((aligned(8)));
static uint32_t sources_taken;

static uint32_t source_bytes(size_t content_bytes) {
    return (uint32_t)((sizeof(struct source) + content_bytes + 7u) & ~(size_t)7u);
}

/* NULL: there is no room. Of two that ask at once for the rest neither may get it. */
static struct source *take_source(size_t content_bytes) {
    const uint32_t taken = KYMO_LOAD(sources_taken);
    const size_t rest = taken < sizeof sources ? sizeof sources - taken : 0u;
    if (content_bytes > rest || source_bytes(content_bytes) > rest) {
        return NULL;
    }
    const uint32_t bytes = source_bytes(content_bytes);
    const uint32_t at = kymo_claim_add(&sources_taken, bytes);
    return at <= sizeof sources && sizeof sources - at >= bytes ? (struct source *)&sources[at]
                                                                : NULL;
}

static void send_sources(void);

static uint32_t sources_under_way, sources_ended;

static void source_was_sent(struct kymo_large *large, bool sent) {
    (void)large;
    (void)sent;
    (void)kymo_claim_add(&sources_under_way, 0u - 1u);
    (void)kymo_claim_add(&sources_ended, 1u);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    send_sources();
}

static bool start_source(struct source *source) {
    if (kymo_claim_add(&sources_under_way, 1u) < KYMO_LARGE && kymo_large_send(&source->large)) {
        return true;
    }
    (void)kymo_claim_add(&sources_under_way, 0u - 1u);
    return false;
}

/* False: as many large things wait as may, and source_was_sent() goes on. The fences, here and there: either this
 * sees that one has ended meanwhile, or source_was_sent() sees that this one waits. */
static bool send_source(struct source *source) {
    uint32_t before;
    do {
        before = KYMO_ACQUIRE(sources_ended);
        if (!kymo_claim(&source->state, WAITS, SENT) || start_source(source)) {
            return true;
        }
        KYMO_PUBLISH(source->state, WAITS);
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
    } while (KYMO_ACQUIRE(sources_ended) != before);
    return false;
}

/* In the order in which they came, up to one that is still being copied. */
static void send_sources(void) {
    uint32_t at = 0u;
    bool goes_on = true;
    while (goes_on && at < KYMO_ACQUIRE(sources_taken) && at < sizeof sources) {
        struct source *source = (struct source *)&sources[at];
        const uint32_t bytes = KYMO_ACQUIRE(source->bytes);
        goes_on = bytes != 0u && send_source(source);
        at += bytes;
    }
}

/* Where the kept part of a name begins: the part after the last slash, or the end of that. */
static size_t source_name_begin(const char *name, size_t name_bytes) {
    size_t from = name_bytes;
    while (from > 0u && name_bytes - from < KYMO_LARGE_NAME_BYTES && name[from - 1u] != '/') {
        from--;
    }
    return from;
}

static bool is_same_source(const struct source *source, const struct kymo_large *other,
                           size_t name_bytes) {
    const uint8_t *a = source->large.bytes, *b = other->bytes;
    bool same = source->large.length == other->length;
    for (size_t i = 0u; same && i < name_bytes; i++) {
        same = source->name[i] == other->name[i];
    }
    for (size_t i = 0u; same && i < other->length; i++) {
        same = a[i] == b[i];
    }
    return same && source->name[name_bytes] == '\0';
}

/* A model that is loaded again publishes the same again. */
static bool has_source(const struct kymo_large *file, size_t name_bytes) {
    uint32_t at = 0u;
    uint32_t bytes = 1u;
    while (bytes != 0u && at < KYMO_ACQUIRE(sources_taken) && at < sizeof sources) {
        const struct source *source = (const struct source *)&sources[at];
        bytes = KYMO_ACQUIRE(source->bytes);
        if (bytes != 0u && is_same_source(source, file, name_bytes)) {
            return true;
        }
        at += bytes;
    }
    return false;
}

/* A copy of the file, which goes out with the next ones. */
static void store_source(struct source *source, const struct kymo_large *file, size_t name_bytes) {
    const uint8_t *from = file->bytes;
    uint8_t *to = (uint8_t *)(source + 1);
    for (uint32_t i = 0u; i < file->length; i++) {
        to[i] = from[i];
    }
    for (size_t i = 0u; i < name_bytes; i++) {
        source->name[i] = file->name[i];
    }
    source->name[name_bytes] = '\0';
    source->large = *file;
    source->large.bytes = to;
    source->large.name = source->name;
    KYMO_PUBLISH(source->bytes, source_bytes(file->length));
    KYMO_PUBLISH(source->state, WAITS);
}

void kymo_iree_source(const void *name, size_t name_bytes, const void *content,
                      size_t content_bytes) {
    if (name == NULL || content == NULL) {
        kymo_tracy_misused(KYMO_TRACY_NULL_NAME);
        return;
    }
    const size_t begin = source_name_begin(name, name_bytes);
    const struct kymo_large file = {.bytes = content,
                                    .length = (uint32_t)content_bytes,
                                    .name = (const char *)name + begin,
                                    .type = KYMO_LARGE_TEXT,
                                    .done = source_was_sent};
    const bool fits = content_bytes <= sizeof sources;
    if (fits && has_source(&file, name_bytes - begin)) {
        return;
    }
    struct source *source = fits ? take_source(content_bytes) : NULL;
    if (source == NULL) {
        kymo_tracy_misused(KYMO_TRACY_SOURCES_FULL);
        return;
    }
    store_source(source, &file, name_bytes - begin);
    send_sources();
}

#endif

#endif
