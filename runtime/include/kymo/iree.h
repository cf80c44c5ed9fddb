/* SPDX-License-Identifier: MIT */
/* IREE's tracing provider for kymo: set IREE_TRACING_PROVIDER_H to this header. iree/base/tracing.h includes it and
 * says which features it requests. Other code uses IREE's macros, and kymo.h besides. doc/iree.md says how to build.
 *
 * The provider has all features that IREE's modes request, except device zones and locks. Mode 1: zones, messages,
 * plots, frames; 2: memory too; 3: also call stacks with memory, and fibers; 4: also call stacks with zones and
 * messages. Build the runtime with KYMO_TRACY=1 and KYMO_DYNAMIC_SITES, from mode 2 on with KYMO_TRACING_MODE=2, from
 * mode 3 on with KYMO_CALLSTACKS; cmake/iree.cmake does this.
 *
 * Use the macros in main code, any interrupt, any core, before main() and before IREE_TRACE_APP_ENTER(). None waits,
 * locks or allocates; with KYMO_IREE_STARTS the first one of a process starts the thread that drains. Full: the event
 * is dropped, a zone together with its end, and counted. Usage errors, such as a name that is NULL, are counted; a
 * message in the trace reports the first, the second, the fourth and so on. */
#ifndef KYMO_IREE_H
#define KYMO_IREE_H

#include "kymo/kymo.h"
#include "kymo/tracy.h"
#include "tracy/common/TracyApi.h"

/* 1: the first event calls kymo_iree_start(), once; for systems where the program does not drain. 0: the program calls
 * kymo_init() and kymo_drain(), as on bare metal. cmake/iree.cmake sets it; nobody else does. */
#ifndef KYMO_IREE_STARTS
#define KYMO_IREE_STARTS 0
#endif

/* Bytes of RAM for all source files that the program publishes, with their names; hostlink --large writes them to
 * files. Needs KYMO_LARGE. A file that does not fit is dropped and counted. 0: publishing does nothing. */
#ifndef KYMO_IREE_SOURCES
#define KYMO_IREE_SOURCES 0
#endif
KYMO_RANGE_(KYMO_IREE_SOURCES, 0, 268435456);

KYMO_C_BEGIN

/* The clock of the events in nanoseconds since the board's start; 0 while its rate is unknown. Some 1500 instructions.
 * Use it for IREE_TIME_NOW_FN, which is 0 in IREE's own settings for bare metal:
 * -DIREE_TIME_NOW_FN="{ extern int64_t kymo_iree_time_ns(void); return kymo_iree_time_ns(); }". */
int64_t kymo_iree_time_ns(void);

/* With KYMO_IREE_STARTS: the first event of the process calls kymo_iree_start() in its thread, once, and
 * IREE_TRACE_APP_EXIT() calls kymo_iree_finish() to send the rest. ports/vendor/iree_posix.c has them for POSIX; the
 * program may define its own. */
void kymo_iree_start(void) KYMO_NOEXCEPT;
void kymo_iree_finish(void) KYMO_NOEXCEPT;
/* Not 0 once kymo_iree_start() was called. */
extern uint32_t kymo_iree_started;
void kymo_iree_start_once(void) KYMO_NOEXCEPT;
/* With KYMO_SAMPLE_HZ_MAX too: IREE_TRACE_SET_THREAD_NAME() calls it, in the thread that is to be sampled. */
void kymo_iree_sample_thread(void) KYMO_NOEXCEPT;

/* Publishes a source file; copies its content and the part of its name after the last slash. See KYMO_IREE_SOURCES. */
void kymo_iree_source(const void *name, size_t name_bytes, const void *content,
                      size_t content_bytes) KYMO_NOEXCEPT;

KYMO_C_END

/* The rest needs the macros that iree/base/tracing.h defines before it includes this. */
#ifdef IREE_TRACING_FEATURES_REQUESTED

KYMO_STATIC_ASSERT_(
    !KYMO_ENABLE || KYMO_TRACY,
    "kymo/iree.h: build the runtime with KYMO_TRACY=1 (DEFINITIONS of kymo_add_runtime())");
KYMO_STATIC_ASSERT_(
    !KYMO_ENABLE || KYMO_DYNAMIC_SITES != 0,
    "kymo/iree.h: names of run time need KYMO_DYNAMIC_SITES (DEFINITIONS of kymo_add_runtime())");

/* A zone. 0: it was dropped because recording was stopped or the ring was full; then its text, value and end do nothing
 * either. */
typedef uintptr_t iree_zone_id_t;

#ifndef IREE_TRACING_FEATURES
#define IREE_TRACING_FEATURES                                                                      \
    (!KYMO_ENABLE ? 0                                                                              \
                  : (IREE_TRACING_FEATURES_REQUESTED) &                                            \
                        (IREE_TRACING_FEATURE_INSTRUMENTATION |                                    \
                         IREE_TRACING_FEATURE_INSTRUMENTATION_CALLSTACKS |                         \
                         IREE_TRACING_FEATURE_ALLOCATION_TRACKING |                                \
                         IREE_TRACING_FEATURE_ALLOCATION_CALLSTACKS |                              \
                         IREE_TRACING_FEATURE_LOG_MESSAGES | IREE_TRACING_FEATURE_FIBERS))
#endif
#define KYMO_IREE_HAS_(features) (((IREE_TRACING_FEATURES) & (features)) != 0)

KYMO_STATIC_ASSERT_(
    !KYMO_IREE_HAS_(IREE_TRACING_FEATURE_INSTRUMENTATION_DEVICE | IREE_TRACING_FEATURE_FAST_LOCKS |
                    IREE_TRACING_FEATURE_SLOW_LOCKS),
    "kymo/iree.h has neither device zones nor locks; leave IREE_TRACING_FEATURES to it");
KYMO_STATIC_ASSERT_(
    !KYMO_IREE_HAS_(IREE_TRACING_FEATURE_ALLOCATION_TRACKING) || KYMO_TRACING_MODE >= 2,
    "IREE_TRACING_MODE 2 to 4 records memory, which KYMO_TRACING_MODE 1 leaves out");
KYMO_STATIC_ASSERT_(
    !KYMO_IREE_HAS_(IREE_TRACING_FEATURE_INSTRUMENTATION_CALLSTACKS |
                    IREE_TRACING_FEATURE_ALLOCATION_CALLSTACKS) ||
        KYMO_CALLSTACKS != 0,
    "IREE_TRACING_MODE 3 and 4 record call stacks: KYMO_CALLSTACKS is their depth, 1 to 62");

#if (IREE_TRACING_FEATURES) & IREE_TRACING_FEATURE_INSTRUMENTATION

/* ---- building blocks of the macros ---- */

#define KYMO_IREE_DEPTH_                                                                           \
    (KYMO_IREE_HAS_(IREE_TRACING_FEATURE_INSTRUMENTATION_CALLSTACKS)                               \
         ? (IREE_TRACING_MAX_CALLSTACK_DEPTH)                                                      \
         : 0)

KYMO_INLINE_ void kymo_iree_ready(void) {
    if (KYMO_IREE_STARTS &&
        __builtin_expect(__atomic_load_n(&kymo_iree_started, __ATOMIC_RELAXED) == 0u, 0)) {
        kymo_iree_start_once();
    }
}

#ifdef __cplusplus
KYMO_INLINE_ iree_zone_id_t kymo_iree_id(kymo_zone zone) {
    return reinterpret_cast<iree_zone_id_t>(zone);
}
KYMO_INLINE_ kymo_zone kymo_iree_zone(iree_zone_id_t id) { return reinterpret_cast<kymo_zone>(id); }
#define KYMO_IREE_NAME_(name) (reinterpret_cast<const char *>(kymo_number_of(name)))
#else
KYMO_INLINE_ iree_zone_id_t kymo_iree_id(kymo_zone zone) { return (iree_zone_id_t)zone; }
KYMO_INLINE_ kymo_zone kymo_iree_zone(iree_zone_id_t id) { return (kymo_zone)id; }
#define KYMO_IREE_NAME_(name) ((const char *)(name))
#endif

KYMO_INLINE_ iree_zone_id_t kymo_iree_begin(const struct kymo_site *site) {
    kymo_iree_ready();
    return kymo_iree_id(KYMO_IREE_DEPTH_ > 0
                            ? kymo_zone_begin_stack(site, KYMO_CAST_(uint32_t, KYMO_IREE_DEPTH_))
                            : kymo_zone_begin(site));
}
KYMO_INLINE_ iree_zone_id_t kymo_iree_begin_external(const char *file, size_t file_bytes,
                                                     uint32_t line, const char *function,
                                                     size_t function_bytes, const char *name,
                                                     size_t name_bytes) {
    const struct kymo_tracy_strings strings = {name,       function,       file,
                                               name_bytes, function_bytes, file_bytes};
    return kymo_iree_begin(kymo_tracy_transient(&strings, line, 0u));
}
KYMO_INLINE_ void kymo_iree_text(iree_zone_id_t zone, const char *text, size_t bytes) {
    kymo_tracy_zone_text(kymo_iree_zone(zone), text, bytes);
}
KYMO_INLINE_ void kymo_iree_cstring(iree_zone_id_t zone, const char *text) {
    kymo_tracy_zone_text(kymo_iree_zone(zone), text, kymo_tracy_length(text));
}

/* IREE's words for the levels of messages. */
#define KYMO_IREE_LEVEL_ERROR_ KYMO_LEVEL_ERROR
#define KYMO_IREE_LEVEL_WARNING_ KYMO_LEVEL_WARNING
#define KYMO_IREE_LEVEL_INFO_ KYMO_LEVEL_INFO
#define KYMO_IREE_LEVEL_VERBOSE_ KYMO_LEVEL_TRACE
#define KYMO_IREE_LEVEL_DEBUG_ KYMO_LEVEL_DEBUG

#define KYMO_IREE_RGB_(color) (KYMO_CAST_(uint32_t, color) & 0xffffffu)

#define KYMO_IREE_LITERAL_(level, color, literal)                                                  \
    do {                                                                                           \
        KYMO_SITE_DEFINE(kymo_iree_site, KYMO_SITE_MESSAGE, literal, 0u, 0u, level, KYMO_NULL_);   \
        kymo_iree_ready();                                                                         \
        kymo_tracy_message_site(&kymo_iree_site, KYMO_IREE_RGB_(color), KYMO_IREE_DEPTH_);         \
    } while (0)
#define KYMO_IREE_COPIED_(level, color, value, value_length)                                       \
    do {                                                                                           \
        KYMO_SITE_DEFINE(kymo_iree_site, KYMO_SITE_MESSAGE, "", 0u, 0u, level, KYMO_NULL_);        \
        kymo_iree_ready();                                                                         \
        const struct kymo_text kymo_iree_copied = kymo_tracy_text((value), (value_length));        \
        kymo_message_text(&kymo_iree_site, &kymo_iree_copied, KYMO_IREE_RGB_(color),               \
                          KYMO_IREE_DEPTH_);                                                       \
    } while (0)
#define KYMO_IREE_CALL_(call)                                                                      \
    do {                                                                                           \
        kymo_iree_ready();                                                                         \
        call;                                                                                      \
    } while (0)

/* ---- IREE's macros ---- */

#define IREE_TRACE(...) __VA_ARGS__

/* Optional: the first event starts the recorder too, as most programs never call this. */
#define IREE_TRACE_APP_ENTER() kymo_iree_ready()
#define IREE_TRACE_APP_EXIT(exit_code)                                                             \
    ((void)(exit_code), KYMO_IREE_STARTS ? kymo_iree_finish() : (void)0)
#define IREE_TRACE_SET_APP_INFO(value, value_length)                                               \
    KYMO_IREE_CALL_(kymo_tracy_app_info((value), (value_length)))
#define IREE_TRACE_SET_THREAD_NAME(name)                                                           \
    KYMO_IREE_CALL_((kymo_tracy_thread_name(name), KYMO_IREE_STARTS && KYMO_SAMPLE_HZ_MAX          \
                                                       ? kymo_iree_sample_thread()                 \
                                                       : (void)0))

/* The address of its name identifies a fiber. A quarter of KYMO_DYNAMIC_SITES have rows of their own, at least 32. */
#if (IREE_TRACING_FEATURES) & IREE_TRACING_FEATURE_FIBERS
#define IREE_TRACE_FIBER_ENTER(fiber)                                                              \
    KYMO_IREE_CALL_(kymo_tracy_fiber_enter(KYMO_IREE_NAME_(fiber)))
#define IREE_TRACE_FIBER_LEAVE() kymo_tracy_fiber_leave()
#else
#define IREE_TRACE_FIBER_ENTER(fiber)
#define IREE_TRACE_FIBER_LEAVE()
#endif

#define IREE_TRACE_PUBLISH_SOURCE_FILE(filename, filename_length, content, content_length)         \
    KYMO_IREE_CALL_(kymo_iree_source((filename), (filename_length), (content), (content_length)))

/* A zone, two events of 8 bytes. "name_literal" may be NULL: then the zone has the name of the function. */
#define IREE_TRACE_ZONE_BEGIN(zone_id)                                                             \
    KYMO_SITE_DEFINE_FUNCTION(KYMO_PASTE(zone_id, _kymo_site), KYMO_SITE_ZONE);                    \
    iree_zone_id_t zone_id = kymo_iree_begin(&KYMO_PASTE(zone_id, _kymo_site))
#define IREE_TRACE_ZONE_BEGIN_NAMED(zone_id, name_literal)                                         \
    KYMO_SITE_DEFINE(KYMO_PASTE(zone_id, _kymo_site), KYMO_SITE_ZONE, name_literal, 0u, 0u, 0u,    \
                     KYMO_NULL_);                                                                  \
    iree_zone_id_t zone_id = kymo_iree_begin(&KYMO_PASTE(zone_id, _kymo_site))
/* The same with names of run time; kymo_site_dynamic() states the cost, KYMO_DYNAMIC_SITES the number of names. */
#define IREE_TRACE_ZONE_BEGIN_NAMED_DYNAMIC(zone_id, name, name_length)                            \
    iree_zone_id_t zone_id = kymo_iree_begin(                                                      \
        KYMO_SITE_DYNAMIC(KYMO_SITE_ZONE, (name_length) != 0u ? (name) : KYMO_NULL_, name_length))
#define IREE_TRACE_ZONE_BEGIN_EXTERNAL(zone_id, file_name, file_name_length, line, function_name,  \
                                       function_name_length, name, name_length)                    \
    iree_zone_id_t zone_id =                                                                       \
        kymo_iree_begin_external((file_name), (file_name_length), KYMO_CAST_(uint32_t, line),      \
                                 (function_name), (function_name_length), (name), (name_length))
#define IREE_TRACE_ZONE_END(zone_id) kymo_zone_end(kymo_iree_zone(zone_id))
#define IREE_RETURN_AND_END_ZONE_IF_ERROR(zone_id, ...)                                            \
    IREE_RETURN_AND_EVAL_IF_ERROR(IREE_TRACE_ZONE_END(zone_id), __VA_ARGS__)
#define IREE_RETURN_AND_END_ZONE(zone_id, ...)                                                     \
    IREE_TRACE_ZONE_END(zone_id);                                                                  \
    return (__VA_ARGS__)

/* For the innermost zone. Colours are 0xRRGGBB. */
#define IREE_TRACE_ZONE_SET_COLOR(zone_id, color)                                                  \
    kymo_zone_color(kymo_iree_zone(zone_id), KYMO_IREE_RGB_(color))
#define IREE_TRACE_ZONE_APPEND_VALUE_I64(zone_id, value)                                           \
    kymo_zone_value(kymo_iree_zone(zone_id), KYMO_CAST_(uint64_t, KYMO_CAST_(int64_t, value)))
/* A string with a NUL at its end, or a string and its length; copied, and cut to KYMO_PACKET_BYTES. */
#define IREE_TRACE_ZONE_APPEND_TEXT(...)                                                           \
    KYMO_IREE_FOURTH_(__VA_ARGS__, kymo_iree_text, kymo_iree_cstring, kymo_iree_cstring)           \
    (__VA_ARGS__)
#define KYMO_IREE_FOURTH_(a, b, c, d, ...) d

#define IREE_TRACE_SET_PLOT_TYPE(name_literal, plot_type, step, fill, color)                       \
    KYMO_IREE_CALL_(kymo_tracy_plot_config(KYMO_TRACY_NAMED_(KYMO_SITE_PLOT, name_literal),        \
                                           (plot_type), (step), (fill), KYMO_IREE_RGB_(color)))
#define IREE_TRACE_PLOT_VALUE_I64(name_literal, value)                                             \
    KYMO_IREE_CALL_(kymo_plot_int(KYMO_TRACY_NAMED_(KYMO_SITE_PLOT, name_literal), (value)))
#define IREE_TRACE_PLOT_VALUE_F32(name_literal, value)                                             \
    KYMO_IREE_CALL_(kymo_tracy_plot_float(KYMO_TRACY_NAMED_(KYMO_SITE_PLOT, name_literal), (value)))
#define IREE_TRACE_PLOT_VALUE_F64(name_literal, value)                                             \
    KYMO_IREE_CALL_(                                                                               \
        kymo_tracy_plot_double(KYMO_TRACY_NAMED_(KYMO_SITE_PLOT, name_literal), (value)))

#define IREE_TRACE_FRAME_MARK() KYMO_IREE_CALL_(kymo_tracy_frame())
#define IREE_TRACE_FRAME_MARK_NAMED(name_literal)                                                  \
    KYMO_IREE_CALL_(kymo_frame(KYMO_TRACY_NAMED_(KYMO_SITE_FRAME, name_literal)))
#define IREE_TRACE_FRAME_MARK_BEGIN_NAMED(name_literal)                                            \
    KYMO_IREE_CALL_(kymo_frame_start(KYMO_TRACY_NAMED_(KYMO_SITE_FRAME, name_literal)))
#define IREE_TRACE_FRAME_MARK_END_NAMED(name_literal)                                              \
    KYMO_IREE_CALL_(kymo_frame_end(KYMO_TRACY_NAMED_(KYMO_SITE_FRAME, name_literal)))

#define IREE_TRACE_MESSAGE(level, value_literal)                                                   \
    KYMO_IREE_LITERAL_(KYMO_IREE_LEVEL_##level##_, IREE_TRACING_MESSAGE_LEVEL_##level,             \
                       value_literal)
#define IREE_TRACE_MESSAGE_COLORED(color, value_literal)                                           \
    KYMO_IREE_LITERAL_(KYMO_LEVEL_INFO, color, value_literal)
#define IREE_TRACE_MESSAGE_DYNAMIC(level, value, value_length)                                     \
    KYMO_IREE_COPIED_(KYMO_IREE_LEVEL_##level##_, IREE_TRACING_MESSAGE_LEVEL_##level, value,       \
                      value_length)
#define IREE_TRACE_MESSAGE_DYNAMIC_COLORED(color, value, value_length)                             \
    KYMO_IREE_COPIED_(KYMO_LEVEL_INFO, color, value, value_length)

#ifdef __cplusplus
class kymo_iree_scope {
  public:
    explicit KYMO_INLINE_ kymo_iree_scope(const struct kymo_site *site) noexcept
        : zone(kymo_iree_begin(site)) {}
    KYMO_INLINE_ ~kymo_iree_scope() { IREE_TRACE_ZONE_END(zone); }
    kymo_iree_scope(const kymo_iree_scope &) = delete;
    kymo_iree_scope &operator=(const kymo_iree_scope &) = delete;
    KYMO_INLINE_ operator iree_zone_id_t() const noexcept { return zone; }

  private:
    const iree_zone_id_t zone;
};
#define IREE_TRACE_SCOPE()                                                                         \
    KYMO_SITE_DEFINE_FUNCTION(kymo_iree_scope_site, KYMO_SITE_ZONE);                               \
    const kymo_iree_scope kymo_iree_scope_here(&kymo_iree_scope_site)
#define IREE_TRACE_SCOPE_NAMED(name_literal)                                                       \
    KYMO_SITE_DEFINE(kymo_iree_scope_site, KYMO_SITE_ZONE, name_literal, 0u, 0u, 0u, KYMO_NULL_);  \
    const kymo_iree_scope kymo_iree_scope_here(&kymo_iree_scope_site)
#define IREE_TRACE_SCOPE_ID kymo_iree_scope_here
#endif

#endif

/* ---- memory ---- */

#if (IREE_TRACING_FEATURES) & IREE_TRACING_FEATURE_ALLOCATION_TRACKING

#define KYMO_IREE_ALLOC_DEPTH_                                                                     \
    (KYMO_IREE_HAS_(IREE_TRACING_FEATURE_ALLOCATION_CALLSTACKS)                                    \
         ? (IREE_TRACING_MAX_CALLSTACK_DEPTH)                                                      \
         : 0)

/* The same address, hidden from the compiler, which would warn of its use after free(). */
KYMO_INLINE_ void *iree_tracing_obscure_ptr(void *ptr) {
    __asm__("" : "+r"(ptr));
    return ptr;
}

#define IREE_TRACE_ALLOC(ptr, size)                                                                \
    KYMO_IREE_CALL_(                                                                               \
        kymo_tracy_alloc(kymo_tracy_memory(), KYMO_ADDRESS_(ptr), (size), KYMO_IREE_ALLOC_DEPTH_))
#define IREE_TRACE_FREE(ptr)                                                                       \
    KYMO_IREE_CALL_(                                                                               \
        kymo_tracy_free(kymo_tracy_memory(), KYMO_ADDRESS_(ptr), KYMO_IREE_ALLOC_DEPTH_))
#define IREE_TRACE_ALLOC_NAMED(name_literal, ptr, size)                                            \
    KYMO_IREE_CALL_(kymo_tracy_alloc(KYMO_TRACY_NAMED_(KYMO_SITE_POOL, name_literal),              \
                                     KYMO_ADDRESS_(ptr), (size), KYMO_IREE_ALLOC_DEPTH_))
#define IREE_TRACE_FREE_NAMED(name_literal, ptr)                                                   \
    KYMO_IREE_CALL_(kymo_tracy_free(KYMO_TRACY_NAMED_(KYMO_SITE_POOL, name_literal),               \
                                    KYMO_ADDRESS_(ptr), KYMO_IREE_ALLOC_DEPTH_))

#endif

#endif

#endif
