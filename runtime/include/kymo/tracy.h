/* SPDX-License-Identifier: MIT */
/* The functions that tracy/TracyC.h and tracy/Tracy.hpp call, for features of Tracy's macros that kymo.h does not
 * have. Only those two include it; other code uses kymo.h.
 *
 * Call them from main code, any interrupt, any core, and before main(). None waits, locks or allocates. Usage errors,
 * such as a name that is NULL, are counted; a message in the trace reports the first, the second, the fourth and so
 * on. */
#ifndef KYMO_TRACY_H
#define KYMO_TRACY_H

#include "kymo/kymo.h"

/* ZoneTextF() and similar macros format their text on the board with the C library's vsnprintf(). With -ffreestanding
 * they do nothing. Longest text in bytes with the NUL; they take that much of the caller's stack. */
#define KYMO_TRACY_FORMAT_BYTES (4 * KYMO_PAYLOAD_WORDS)

/* FrameImage(): size of the largest image in bytes, 4 for each pixel. It takes that much RAM, and needs KYMO_LARGE. One
 * image at a time, in Tracy::TracyClient eight: an image recorded before those were sent is dropped and counted. 0:
 * FrameImage() does nothing. */
#ifndef KYMO_TRACY_IMAGE
#define KYMO_TRACY_IMAGE 0
#endif
KYMO_RANGE_(KYMO_TRACY_IMAGE, 0, 268435456);

/* Number of fibers with a row of their own; further ones share one row. 8 bytes of RAM each, 16 on a 64-bit core. */
#define KYMO_TRACY_FIBERS (KYMO_DYNAMIC_SITES > 128 ? KYMO_DYNAMIC_SITES / 4 : 32)

/* 1 if the program serves viewers itself. The CMake target Tracy::TracyClient sets it; nobody else does. */
#ifndef KYMO_CLIENT
#define KYMO_CLIENT 0
#endif

/* ---- knobs of Tracy's users ---- */

#if defined(TRACY_ENABLE) && !KYMO_TRACY
#error                                                                                             \
    "TRACY_ENABLE: build the runtime with KYMO_TRACY=1 as well (DEFINITIONS of kymo_add_runtime())"
#endif
#if defined(TRACY_ON_DEMAND) && !KYMO_ON_DEMAND
#error                                                                                             \
    "TRACY_ON_DEMAND: build the runtime with KYMO_ON_DEMAND=1 as well (DEFINITIONS of kymo_add_runtime())"
#endif
#if defined(TRACY_NO_EXIT) && !KYMO_CLIENT
#pragma message(                                                                                   \
    "kymo: TRACY_NO_EXIT has no meaning here; call kymo_finish() and kymo_drain() at the end")
#endif
#ifdef TRACY_NO_VERIFY
#pragma message(                                                                                   \
    "kymo: TRACY_NO_VERIFY has no meaning here; zones are verified with KYMO_CHECK only")
#endif
#ifdef TRACY_DELAYED_INIT
#pragma message("kymo: TRACY_DELAYED_INIT has no meaning here; events may be recorded at any time")
#endif
#if defined(TRACY_NO_CALLSTACK) || !defined(TRACY_CALLSTACK)
#undef TRACY_CALLSTACK
#define TRACY_CALLSTACK 0
#endif

KYMO_C_BEGIN

/* Manual start and stop of the profiler. */
#if KYMO_CLIENT
/* From one thread at a time. The stop waits for viewers as the end of the program does. */
void kymo_client_start(void) KYMO_NOEXCEPT;
/* False: frame images are left out, and counted. */
void kymo_client_wants_images(bool wants) KYMO_NOEXCEPT;
void kymo_client_stop(void) KYMO_NOEXCEPT;
#else
KYMO_INLINE_ void kymo_client_start(void) { kymo_start(); }
KYMO_INLINE_ void kymo_client_stop(void) { kymo_stop(); }
KYMO_INLINE_ void kymo_client_wants_images(bool wants) { (void)wants; }
#endif

/* Usage errors; each has its own message. */
enum kymo_tracy_misuse {
    KYMO_TRACY_NULL_NAME,
    KYMO_TRACY_CUT_TEXT,
    KYMO_TRACY_FIBER_NOT_ENTERED,
    KYMO_TRACY_FIBERS_FULL,
    KYMO_TRACY_LOCK_NOT_ANNOUNCED,
    KYMO_TRACY_PARAMETERS_FULL,
    KYMO_TRACY_PARAMETER_NAME,
    KYMO_TRACY_IMAGE_TOO_LARGE,
    KYMO_TRACY_IMAGE_BUSY,
    KYMO_TRACY_NO_DYNAMIC_SITES,
    KYMO_TRACY_SOURCES_FULL,
    KYMO_TRACY_MISUSES
};
void kymo_tracy_misused(enum kymo_tracy_misuse what) KYMO_NOEXCEPT;

/* The plot, set of frames or pool with this name, which must stay valid and unchanged. Equal names give the same site.
 * NULL gives the unnamed set of frames or pool, and is a usage error for other kinds. */
const struct kymo_site *kymo_tracy_named(enum kymo_site_kind kind, const char *name) KYMO_NOEXCEPT;
/* kymo_site_dynamic(); without KYMO_DYNAMIC_SITES it gives one site for all, and counts a usage error. */
const struct kymo_site *kymo_tracy_site(const struct kymo_site_text *text) KYMO_NOEXCEPT;
/* The site of a zone: from constant strings with a NUL at the end, or from strings that are copied. */
const struct kymo_site *kymo_tracy_place(const char *name, const char *function, const char *file,
                                         uint32_t line, uint32_t color) KYMO_NOEXCEPT;
struct kymo_tracy_strings {
    const char *name, *function, *file;
    size_t name_bytes, function_bytes, file_bytes;
};
const struct kymo_site *kymo_tracy_transient(const struct kymo_tracy_strings *strings,
                                             uint32_t line, uint32_t color) KYMO_NOEXCEPT;
/* Length of a string in bytes, at most 1024. NULL: 0. */
uint16_t kymo_tracy_length(const char *text) KYMO_NOEXCEPT;

/* Text and name of a zone, and application information: as in kymo.h, and a cut text is counted. */
void kymo_tracy_zone_text(kymo_zone zone, const char *text, size_t length) KYMO_NOEXCEPT;
void kymo_tracy_zone_name(kymo_zone zone, const char *name, size_t length) KYMO_NOEXCEPT;
void kymo_tracy_app_info(const char *text, size_t length) KYMO_NOEXCEPT;
/* A text for kymo_message_text(); NULL or a text that will be cut is counted. */
struct kymo_text kymo_tracy_text(const char *text, size_t length) KYMO_NOEXCEPT;
/* "severity" is an enum kymo_level, whose numbers are Tracy's. */
void kymo_tracy_message(int severity, uint32_t color, int32_t depth, const char *text,
                        size_t length) KYMO_NOEXCEPT;
/* The same for a text with a NUL at its end. */
void kymo_tracy_message_all(int severity, uint32_t color, int32_t depth,
                            const char *text) KYMO_NOEXCEPT;
/* The same for a text that is the site's name. */
void kymo_tracy_message_site(const struct kymo_site *site, uint32_t color,
                             int32_t depth) KYMO_NOEXCEPT;

/* "step" and "fill" are bool. "type" is Tracy's: number, bytes, percent; watts are shown as numbers. */
void kymo_tracy_plot_config(const struct kymo_site *site, int32_t type, int32_t step, int32_t fill,
                            uint32_t color) KYMO_NOEXCEPT;

/* The pool without a name, and the set of frames without one. */
const struct kymo_site *kymo_tracy_memory(void) KYMO_NOEXCEPT;
void kymo_tracy_frame(void) KYMO_NOEXCEPT;

/* Announces a new lock and returns its number, for the calls below. "name" may be NULL. */
uint32_t kymo_tracy_lock(const struct kymo_site *site, const char *name) KYMO_NOEXCEPT;
void kymo_tracy_lock_announce(uint32_t lock, const struct kymo_site *site,
                              const char *name) KYMO_NOEXCEPT;
void kymo_tracy_lock_name(uint32_t lock, const char *name, size_t length) KYMO_NOEXCEPT;
void kymo_tracy_lock_event(enum kymo_event_kind kind, uint32_t lock) KYMO_NOEXCEPT;
void kymo_tracy_lock_mark(uint32_t lock, const struct kymo_site *site) KYMO_NOEXCEPT;
/* A number for the running task, or for the core or thread if no task runs. Never 0. */
uintptr_t kymo_tracy_runner(void) KYMO_NOEXCEPT;

/* The core or thread runs the fiber with this name until the leave. The name must stay valid and unchanged. */
void kymo_tracy_fiber_enter(const char *name) KYMO_NOEXCEPT;
void kymo_tracy_fiber_leave(void) KYMO_NOEXCEPT;
/* Names the context that the core runs now; copies the name. */
void kymo_tracy_thread_name(const char *name) KYMO_NOEXCEPT;

/* Parameters with names of run time. */
typedef void (*kymo_tracy_callback)(void *data, uint32_t index, int32_t value);
struct kymo_tracy_setup {
    uint32_t index;
    int type; /* 0 integer, 1 bool, 2 trigger: the host sets it to 1 each time */
    int32_t value;
};
struct kymo_tracy_parameter {
    struct kymo_param param;
    uint32_t index, known;
};
#define KYMO_TRACY_PARAMETERS_MAX 32u
void kymo_tracy_parameters(kymo_tracy_callback callback, void *data) KYMO_NOEXCEPT;
/* "site" has the parameter's name. NULL: the name is not a string literal, a usage error. */
void kymo_tracy_parameter_set(struct kymo_tracy_parameter *parameter, const struct kymo_site *site,
                              const struct kymo_tracy_setup *setup) KYMO_NOEXCEPT;
/* What kymo_param_changed() calls. NULL: nothing is registered. */
extern void (*kymo_tracy_on_param)(struct kymo_param *param);

/* Copies a picture of 4 bytes a pixel (red, green, blue, alpha), which becomes the image of a frame in Tracy, and a
 * file with hostlink --large. "back": the number of frames since it was on the screen. "flip": the first row is the
 * lowest. */
void kymo_tracy_image(const void *pixels, uint32_t width, uint32_t height, uint8_t back,
                      bool flip) KYMO_NOEXCEPT;

/* With "active" false the zone records nothing. */
KYMO_INLINE_ kymo_zone kymo_tracy_begin(const struct kymo_site *site, int32_t depth, bool active) {
    return !active                        ? KYMO_NULL_
           : KYMO_CALLSTACKS && depth > 0 ? kymo_zone_begin_stack(site, KYMO_CAST_(uint32_t, depth))
                                          : kymo_zone_begin(site);
}
KYMO_INLINE_ void kymo_tracy_alloc(const struct kymo_site *pool, const void *address, size_t bytes,
                                   int32_t depth) {
    if (KYMO_CALLSTACKS && depth > 0) {
        kymo_alloc_stack(pool, address, bytes, KYMO_CAST_(uint32_t, depth));
    } else {
        kymo_alloc(pool, address, bytes);
    }
}
KYMO_INLINE_ void kymo_tracy_free(const struct kymo_site *pool, const void *address,
                                  int32_t depth) {
    if (KYMO_CALLSTACKS && depth > 0) {
        kymo_free_stack(pool, address, KYMO_CAST_(uint32_t, depth));
    } else {
        kymo_free(pool, address);
    }
}
KYMO_INLINE_ void kymo_tracy_discard(const struct kymo_site *pool, int32_t depth) {
    if (KYMO_CALLSTACKS && depth > 0) {
        kymo_memory_discard_stack(pool, KYMO_CAST_(uint32_t, depth));
    } else {
        kymo_memory_discard(pool);
    }
}

KYMO_INLINE_ void kymo_tracy_plot_double(const struct kymo_site *site, double value) {
    uint64_t bits;
    __builtin_memcpy(&bits, &value, sizeof bits);
    kymo_plot_double(site, bits);
}
KYMO_INLINE_ void kymo_tracy_plot_float(const struct kymo_site *site, float value) {
    uint32_t bits;
    __builtin_memcpy(&bits, &value, sizeof bits);
    kymo_plot_float(site, bits);
}

KYMO_C_END

/* ---- sites ---- */

/* A string literal makes a site of the image, as in kymo.h; any other name makes a site at run time
 * (KYMO_DYNAMIC_SITES). KYMO_TRACY_NAMED_() is an expression whose value is the site's address. */
#define KYMO_TRACY_TEXT_(...) #__VA_ARGS__
#define KYMO_TRACY_TEXT(...) KYMO_TRACY_TEXT_(__VA_ARGS__)

#if !KYMO_NAMES
/* Sites are only in the ELF file then; their names must be literals, which C cannot check. */
#define KYMO_TRACY_NAMED_(kind, name) kymo_tracy_named((kind), (name))
#define KYMO_TRACY_SITE_NAMED_(ident, kind, name, rgb)                                             \
    KYMO_SITE_DEFINE(ident, kind, name, rgb, 0u, 0u, KYMO_NULL_)
#define KYMO_TRACY_SITE_(ident, kind, rgb) KYMO_SITE_DEFINE_FUNCTION(ident, kind)
#define KYMO_TRACY_PARAMETER_(index, name, type, value)                                            \
    ((void)(index), (void)(type), (void)(value), kymo_tracy_misused(KYMO_TRACY_PARAMETER_NAME))
#define KYMO_TRACY_MESSAGE_(text, rgb, depth)                                                      \
    kymo_tracy_message_all(KYMO_LEVEL_INFO, KYMO_CAST_(uint32_t, rgb), (depth), (text))
#elif defined(__cplusplus)
#define KYMO_TRACY_IS_LITERAL_(name) (KYMO_TRACY_TEXT(name)[0] == '"')
/* Like KYMO_SITE_DEFINE, with TracyFunction, TracyFile and TracyLine, which the user may redefine. */
#define KYMO_TRACY_SITE_FULL_(ident, kind_, name_, rgb, param_)                                    \
    constexpr const char *KYMO_PASTE(ident, _function) __attribute__((unused)) = TracyFunction;    \
    static constexpr const char *KYMO_PASTE(ident, _name) __attribute__((unused)) = name_;         \
    struct KYMO_PASTE(ident, _place) {                                                             \
        static constexpr const char *name() { return KYMO_PASTE(ident, _name); }                   \
        static constexpr const char *file() { return TracyFile; }                                  \
        static constexpr struct kymo_site site(const char *name_at, const char *file_at,           \
                                               uint32_t detail) {                                  \
            return {name_at, KYMO_PASTE(ident, _function),                                         \
                    file_at, static_cast<uint32_t>(TracyLine),                                     \
                    detail,  static_cast<uint32_t>(rgb),                                           \
                    kind_,   KYMO_LEVEL_INFO,                                                      \
                    0u,      param_};                                                              \
        }                                                                                          \
    };                                                                                             \
    KYMO_SITE_AT_(ident, 0u)
#define KYMO_TRACY_SITE_NAMED_(ident, kind, name, rgb)                                             \
    KYMO_TRACY_SITE_FULL_(ident, kind, name, rgb, nullptr)
#define KYMO_TRACY_SITE_(ident, kind, rgb) KYMO_TRACY_SITE_NAMED_(ident, kind, nullptr, rgb)
#define KYMO_TRACY_PARAMETER_(index, name, type, value)                                            \
    (__extension__({                                                                               \
        static kymo_tracy_parameter kymo_parameter;                                                \
        KYMO_TRACY_SITE_FULL_(kymo_tracy_name, KYMO_SITE_PARAM,                                    \
                              KYMO_TRACY_IS_LITERAL_(name) ? static_cast<const char *>(name)       \
                                                           : nullptr,                              \
                              0u, &kymo_parameter.param);                                          \
        const kymo_tracy_setup kymo_setup = {static_cast<uint32_t>(index), static_cast<int>(type), \
                                             static_cast<int32_t>(value)};                         \
        kymo_tracy_parameter_set(&kymo_parameter,                                                  \
                                 KYMO_TRACY_IS_LITERAL_(name) ? &kymo_tracy_name : nullptr,        \
                                 &kymo_setup);                                                     \
    }))
#define KYMO_TRACY_NAMED_(kind, name)                                                              \
    (__extension__({                                                                               \
        KYMO_TRACY_SITE_NAMED_(                                                                    \
            kymo_tracy_name, kind,                                                                 \
            KYMO_TRACY_IS_LITERAL_(name) ? static_cast<const char *>(name) : nullptr, 0u);         \
        KYMO_TRACY_IS_LITERAL_(name) ? &kymo_tracy_name : kymo_tracy_named(kind, name);            \
    }))
#define KYMO_TRACY_MESSAGE_(text, rgb, depth)                                                      \
    (__extension__({                                                                               \
        KYMO_TRACY_SITE_NAMED_(                                                                    \
            kymo_tracy_name, KYMO_SITE_MESSAGE,                                                    \
            KYMO_TRACY_IS_LITERAL_(text) ? static_cast<const char *>(text) : nullptr, 0u);         \
        KYMO_TRACY_IS_LITERAL_(text)                                                               \
        ? kymo_tracy_message_site(&kymo_tracy_name, static_cast<uint32_t>(rgb), depth)             \
        : kymo_tracy_message_all(KYMO_LEVEL_INFO, static_cast<uint32_t>(rgb), depth, text);        \
    }))
#else
#define KYMO_TRACY_IS_LITERAL_(name)                                                               \
    (__builtin_constant_p(name) && __builtin_types_compatible_p(__typeof__(name), char[]))
#define KYMO_TRACY_SITE_NAMED_(ident, kind_, name_, rgb)                                           \
    static const struct kymo_site ident                                                            \
        __attribute__((section("kymo_sites"), aligned(8))) = {(name_),                             \
                                                              __func__,                            \
                                                              TracyFile,                           \
                                                              (uint32_t)(TracyLine),               \
                                                              0u,                                  \
                                                              (uint32_t)(rgb),                     \
                                                              (uint8_t)(kind_),                    \
                                                              KYMO_LEVEL_INFO,                     \
                                                              0u,                                  \
                                                              NULL}
#define KYMO_TRACY_SITE_(ident, kind, rgb) KYMO_TRACY_SITE_NAMED_(ident, kind, NULL, rgb)
#define KYMO_TRACY_NAMED_(kind, name)                                                              \
    (__extension__({                                                                               \
        KYMO_TRACY_SITE_NAMED_(                                                                    \
            kymo_tracy_name, kind,                                                                 \
            __builtin_choose_expr(KYMO_TRACY_IS_LITERAL_(name), name, (const char *)NULL), 0u);    \
        __builtin_choose_expr(KYMO_TRACY_IS_LITERAL_(name), &kymo_tracy_name,                      \
                              kymo_tracy_named(kind, name));                                       \
    }))
#define KYMO_TRACY_MESSAGE_(text, rgb, depth)                                                      \
    (__extension__({                                                                               \
        KYMO_TRACY_SITE_NAMED_(                                                                    \
            kymo_tracy_name, KYMO_SITE_MESSAGE,                                                    \
            __builtin_choose_expr(KYMO_TRACY_IS_LITERAL_(text), text, (const char *)NULL), 0u);    \
        __builtin_choose_expr(                                                                     \
            KYMO_TRACY_IS_LITERAL_(text),                                                          \
            kymo_tracy_message_site(&kymo_tracy_name, (uint32_t)(rgb), depth),                     \
            kymo_tracy_message_all(KYMO_LEVEL_INFO, (uint32_t)(rgb), depth, text));                \
    }))
#endif

#endif
