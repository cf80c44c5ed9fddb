/* SPDX-License-Identifier: MIT */
/* Tracy's markup (kymo/tracy.h): functions that its macros call. Nothing of this is linked where they are not used. */
#include "kymo/tracy.h"

#include "../ring/callstack.h"
#include "../ring/claim.h"
#include "../ring/lane.h"

#if KYMO_ENABLE && KYMO_TRACY

/* High word of a lock's identity: no address of these has it, so that locks with kymo's own markup are others. */
#define LOCK_HIGH 0x74726163u

/* ---- wrong uses ---- */

static uint32_t misused[KYMO_TRACY_MISUSES];

#define WARN(what, text)                                                                           \
    case what:                                                                                     \
        KYMO_MESSAGE_LEVEL(KYMO_LEVEL_WARNING, "tracy: " text ", %u times so far",                 \
                           (unsigned)count);                                                       \
        break

static void warn_of(enum kymo_tracy_misuse what, uint32_t count) {
    switch (what) {
        WARN(KYMO_TRACY_NULL_NAME, "a name was NULL");
        WARN(KYMO_TRACY_CUT_TEXT, "a text was longer than KYMO_PACKET_BYTES allows and is cut");
        WARN(KYMO_TRACY_FIBER_NOT_ENTERED, "a fiber was left that was not entered");
        WARN(KYMO_TRACY_FIBERS_FULL, "there are more fibers than have rows of their own");
        WARN(KYMO_TRACY_LOCK_NOT_ANNOUNCED, "a lock was used before it was announced");
        WARN(KYMO_TRACY_PARAMETERS_FULL, "there are too many parameters");
        WARN(KYMO_TRACY_PARAMETER_NAME, "a parameter's name is no string literal");
        WARN(KYMO_TRACY_IMAGE_TOO_LARGE,
             "an image was larger than KYMO_TRACY_IMAGE and is left out");
        WARN(KYMO_TRACY_IMAGE_BUSY, "an image came before the last one was sent and is left out");
        WARN(KYMO_TRACY_NO_DYNAMIC_SITES, "a name of run time needs KYMO_DYNAMIC_SITES");
        WARN(KYMO_TRACY_SOURCES_FULL, "a source file had no room in KYMO_IREE_SOURCES");
    default:
        break;
    }
}

void kymo_tracy_misused(enum kymo_tracy_misuse what) {
    const uint32_t count = kymo_claim_add(&misused[what], 1u) + 1u;
    if ((count & (count - 1u)) == 0u) {
        warn_of(what, count);
    }
}

/* ---- places ---- */

/* Longer than any string is kept: the length of the rest does not matter. */
#define LENGTH_MOST 1024u

uint16_t kymo_tracy_length(const char *text) {
    uint16_t length = 0u;
    while (text != NULL && length < LENGTH_MOST && text[length] != '\0') {
        length++;
    }
    return length;
}

#if KYMO_DYNAMIC_SITES
const struct kymo_site *kymo_tracy_site(const struct kymo_site_text *text) {
    return kymo_site_dynamic(text);
}
#else
#define UNNAMED(kind)                                                                              \
    case kind: {                                                                                   \
        KYMO_SITE_DEFINE(site, kind, "made at run time", 0u, 0u, 0u, NULL);                        \
        return &site;                                                                              \
    }
const struct kymo_site *kymo_tracy_site(const struct kymo_site_text *text) {
    kymo_tracy_misused(KYMO_TRACY_NO_DYNAMIC_SITES);
    switch (text->kind) {
        UNNAMED(KYMO_SITE_PLOT)
        UNNAMED(KYMO_SITE_FRAME)
        UNNAMED(KYMO_SITE_POOL)
    default: {
        KYMO_SITE_DEFINE(site, KYMO_SITE_ZONE, "made at run time", 0u, 0u, 0u, NULL);
        return &site;
    }
    }
}
#endif

const struct kymo_site *kymo_tracy_memory(void) {
    KYMO_SITE_DEFINE_UNNAMED(site, KYMO_SITE_POOL);
    return &site;
}

static const struct kymo_site *main_frames(void) {
    KYMO_SITE_DEFINE_UNNAMED(site, KYMO_SITE_FRAME);
    return &site;
}

void kymo_tracy_frame(void) { kymo_frame(main_frames()); }

const struct kymo_site *kymo_tracy_named(enum kymo_site_kind kind, const char *name) {
    if (name == NULL && kind == KYMO_SITE_FRAME) {
        return main_frames();
    }
    if (name == NULL && kind == KYMO_SITE_POOL) {
        return kymo_tracy_memory();
    }
    if (name == NULL) {
        kymo_tracy_misused(KYMO_TRACY_NULL_NAME);
        name = "(null)";
    }
    const struct kymo_site_text text = {
        .name = name,
        .name_bytes = kymo_tracy_length(name),
        .constant = KYMO_CONSTANT_NAME,
        .kind = (uint8_t)kind,
    };
    return kymo_tracy_site(&text);
}

const struct kymo_site *kymo_tracy_place(const char *name, const char *function, const char *file,
                                         uint32_t line, uint32_t color) {
    const struct kymo_site_text text = {
        .name = name,
        .function = function,
        .file = file,
        .name_bytes = kymo_tracy_length(name),
        .function_bytes = kymo_tracy_length(function),
        .file_bytes = kymo_tracy_length(file),
        .constant = KYMO_CONSTANT_NAME | KYMO_CONSTANT_FUNCTION | KYMO_CONSTANT_FILE,
        .kind = KYMO_SITE_ZONE,
        .line = line,
        .color = color & 0xffffffu,
    };
    return kymo_tracy_site(&text);
}

static uint16_t bounded_bytes(const char *text, size_t bytes) {
    return (uint16_t)(text == NULL ? 0u : bytes < UINT16_MAX ? bytes : UINT16_MAX);
}

const struct kymo_site *kymo_tracy_transient(const struct kymo_tracy_strings *strings,
                                             uint32_t line, uint32_t color) {
    const struct kymo_site_text text = {
        .name = strings->name_bytes != 0u ? strings->name : NULL,
        .function = strings->function,
        .file = strings->file,
        .name_bytes = bounded_bytes(strings->name, strings->name_bytes),
        .function_bytes = bounded_bytes(strings->function, strings->function_bytes),
        .file_bytes = bounded_bytes(strings->file, strings->file_bytes),
        .kind = KYMO_SITE_ZONE,
        .line = line,
        .color = color & 0xffffffu,
    };
    return kymo_tracy_site(&text);
}

/* ---- texts ---- */

/* The text is cut where it is recorded, after "heads" words of the payload. */
static size_t counted_bytes(size_t length, size_t heads) {
    if (length > 4u * ((size_t)KYMO_PAYLOAD_WORDS - heads)) {
        kymo_tracy_misused(KYMO_TRACY_CUT_TEXT);
    }
    return length;
}

static size_t known_bytes(const char *text, size_t length) {
    if (text == NULL && length != 0u) {
        kymo_tracy_misused(KYMO_TRACY_NULL_NAME);
    }
    return text != NULL ? length : 0u;
}

/* The text first: a warning in between would be a message of the zone's own context, and no more. */
void kymo_tracy_zone_text(kymo_zone zone, const char *text, size_t length) {
    if (zone != NULL) {
        kymo_zone_text(zone, text, counted_bytes(known_bytes(text, length), 1u));
    }
}

void kymo_tracy_zone_name(kymo_zone zone, const char *name, size_t length) {
    if (zone != NULL) {
        kymo_zone_name(zone, name, counted_bytes(known_bytes(name, length), 1u));
    }
}

void kymo_tracy_app_info(const char *text, size_t length) {
    kymo_app_info(text, counted_bytes(known_bytes(text, length), 1u));
}

#define OF_LEVEL(level_)                                                                           \
    case level_: {                                                                                 \
        KYMO_SITE_DEFINE(site, KYMO_SITE_MESSAGE, "", 0u, 0u, level_, NULL);                       \
        return &site;                                                                              \
    }
static const struct kymo_site *message_site(int severity) {
    switch (severity) {
        OF_LEVEL(KYMO_LEVEL_TRACE)
        OF_LEVEL(KYMO_LEVEL_DEBUG)
        OF_LEVEL(KYMO_LEVEL_WARNING)
        OF_LEVEL(KYMO_LEVEL_ERROR)
        OF_LEVEL(KYMO_LEVEL_FATAL)
    default: {
        KYMO_SITE_DEFINE(site, KYMO_SITE_MESSAGE, "", 0u, 0u, KYMO_LEVEL_INFO, NULL);
        return &site;
    }
    }
}

static uint32_t frames_of_depth(int32_t depth) { return depth > 0 ? (uint32_t)depth : 0u; }

struct kymo_text kymo_tracy_text(const char *text, size_t length) {
    return (struct kymo_text){text != NULL ? text : "",
                              counted_bytes(known_bytes(text, length), 2u)};
}

KYMO_STACK_ENTRY void kymo_tracy_message(int severity, uint32_t color, int32_t depth,
                                         const char *text, size_t length) {
    struct kymo_callstack room;
    const struct kymo_callstack *stack = kymo_callstack_of(&room, frames_of_depth(depth));
    const struct kymo_text copied = kymo_tracy_text(text, length);
    kymo_message_text_with(stack, message_site(severity), &copied, color);
}

KYMO_STACK_ENTRY void kymo_tracy_message_all(int severity, uint32_t color, int32_t depth,
                                             const char *text) {
    struct kymo_callstack room;
    const struct kymo_callstack *stack = kymo_callstack_of(&room, frames_of_depth(depth));
    if (text == NULL) {
        kymo_tracy_misused(KYMO_TRACY_NULL_NAME);
        text = "(null)";
    }
    const struct kymo_text copied = kymo_tracy_text(text, kymo_tracy_length(text));
    kymo_message_text_with(stack, message_site(severity), &copied, color);
}

KYMO_STACK_ENTRY void kymo_tracy_message_site(const struct kymo_site *site, uint32_t color,
                                              int32_t depth) {
    struct kymo_callstack room;
    kymo_message_text_with(kymo_callstack_of(&room, frames_of_depth(depth)), site, NULL, color);
}

void kymo_tracy_plot_config(const struct kymo_site *site, int32_t type, int32_t step, int32_t fill,
                            uint32_t color) {
    const uint32_t format = type == 1   ? KYMO_PLOT_BYTES
                            : type == 2 ? KYMO_PLOT_PERCENT
                                        : KYMO_PLOT_NUMBER;
    kymo_plot_config(site,
                     format | (step != 0 ? KYMO_PLOT_STEP : 0u) | (fill != 0 ? KYMO_PLOT_FILL : 0u),
                     color);
}

/* ---- locks ---- */

static uint32_t locks_made;

static uint64_t lock_identity(uint32_t lock) { return (uint64_t)LOCK_HIGH << 32 | lock; }

static bool is_announced(uint32_t lock) {
    if (lock == 0u || lock > KYMO_LOAD(locks_made)) {
        kymo_tracy_misused(KYMO_TRACY_LOCK_NOT_ANNOUNCED);
        return false;
    }
    return true;
}

uint32_t kymo_tracy_lock(const struct kymo_site *site, const char *name) {
    const uint32_t lock = kymo_claim_add(&locks_made, 1u) + 1u;
    kymo_tracy_lock_announce(lock, site, name);
    return lock;
}

void kymo_tracy_lock_announce(uint32_t lock, const struct kymo_site *site, const char *name) {
    kymo_object(lock_identity(lock), KYMO_OBJECT_LOCK, name, site);
}

void kymo_tracy_lock_name(uint32_t lock, const char *name, size_t length) {
    const struct kymo_text text = {name, counted_bytes(known_bytes(name, length), 2u)};
    if (is_announced(lock)) {
        kymo_object_name(lock_identity(lock), &text);
    }
}

void kymo_tracy_lock_event(enum kymo_event_kind kind, uint32_t lock) {
    if (is_announced(lock)) {
        kymo_object_event(kind, lock_identity(lock));
    }
}

/* A task is the same on all lanes; anything else is another one on each. */
uintptr_t kymo_tracy_runner(void) {
    const struct kymo_lane *lane = kymo_lane_here();
    const kymo_context context = KYMO_LOAD(lane->context);
    return context != 0u ? (uintptr_t)context : (uintptr_t)lane;
}

void kymo_tracy_lock_mark(uint32_t lock, const struct kymo_site *site) {
    if (is_announced(lock)) {
        kymo_lock_mark(lock_identity(lock), site);
    }
}

/* ---- threads ---- */

void kymo_tracy_thread_name(const char *name) {
    const kymo_context context = KYMO_LOAD(kymo_lane_here()->context);
    if (name == NULL) {
        kymo_tracy_misused(KYMO_TRACY_NULL_NAME);
        return;
    }
    kymo_context_name(context, context == 0u ? KYMO_CONTEXT_MAIN : KYMO_CONTEXT_TASK, name);
}

#endif
