/* The source files that a program publishes through IREE's provider: copied one behind the other, as the program
 * may free them, and sent one after the other as large things. */
#include "kymo/iree.h"

#include "claim.h"
#include "lane.h"

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

#if KYMO_LARGE == 0
#error "KYMO_IREE_SOURCES needs KYMO_LARGE, by which source files leave the board"
#endif

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

/* What is behind the last slash, or the end of that. */
static void name_source(struct source *source, const char *name, size_t name_bytes) {
    size_t from = name_bytes;
    while (from > 0u && name_bytes - from < KYMO_LARGE_NAME_BYTES && name[from - 1u] != '/') {
        from--;
    }
    for (size_t i = from; i < name_bytes; i++) {
        source->name[i - from] = name[i];
    }
    source->name[name_bytes - from] = '\0';
}

void kymo_iree_source(const void *name, size_t name_bytes, const void *content,
                      size_t content_bytes) {
    const uint8_t *from = content;
    if (name == NULL || content == NULL) {
        kymo_tracy_misused(KYMO_TRACY_NULL_NAME);
        return;
    }
    struct source *source = take_source(content_bytes);
    if (source == NULL) {
        kymo_tracy_misused(KYMO_TRACY_SOURCES_FULL);
        return;
    }
    uint8_t *to = (uint8_t *)(source + 1);
    for (size_t i = 0u; i < content_bytes; i++) {
        to[i] = from[i];
    }
    name_source(source, name, name_bytes);
    source->large = (struct kymo_large){.bytes = to,
                                        .length = (uint32_t)content_bytes,
                                        .name = source->name,
                                        .type = KYMO_LARGE_TEXT,
                                        .done = source_was_sent};
    KYMO_PUBLISH(source->bytes, source_bytes(content_bytes));
    KYMO_PUBLISH(source->state, WAITS);
    send_sources();
}

#endif

#endif
