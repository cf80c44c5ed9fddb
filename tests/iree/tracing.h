/* SPDX-License-Identifier: MIT */
/* A stand-in for IREE's own iree/base/tracing.h, without IREE: the features requested in each mode, then the
 * provider, then defaults of things that it may leave out. tests/iree/run.sh has the real one. */
#ifndef IREE_TEST_TRACING_H
#define IREE_TEST_TRACING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define IREE_TRACING_FEATURE_INSTRUMENTATION (1 << 0)
#define IREE_TRACING_FEATURE_INSTRUMENTATION_CALLSTACKS (1 << 1)
#define IREE_TRACING_FEATURE_INSTRUMENTATION_DEVICE (1 << 2)
#define IREE_TRACING_FEATURE_ALLOCATION_TRACKING (1 << 3)
#define IREE_TRACING_FEATURE_ALLOCATION_CALLSTACKS (1 << 4)
#define IREE_TRACING_FEATURE_FAST_LOCKS (1 << 5)
#define IREE_TRACING_FEATURE_SLOW_LOCKS (1 << 6)
#define IREE_TRACING_FEATURE_LOG_MESSAGES (1 << 7)
#define IREE_TRACING_FEATURE_FIBERS (1 << 8)

#ifndef IREE_TRACING_MAX_CALLSTACK_DEPTH
#define IREE_TRACING_MAX_CALLSTACK_DEPTH 16
#endif

#if IREE_TRACING_MODE == 1
#undef IREE_TRACING_MAX_CALLSTACK_DEPTH
#define IREE_TRACING_MAX_CALLSTACK_DEPTH 0
#define IREE_TRACING_FEATURES_REQUESTED 0x081
#elif IREE_TRACING_MODE == 2
#define IREE_TRACING_FEATURES_REQUESTED 0x08d
#elif IREE_TRACING_MODE == 3
#define IREE_TRACING_FEATURES_REQUESTED 0x19d
#elif IREE_TRACING_MODE == 4
#define IREE_TRACING_FEATURES_REQUESTED 0x19f
#else
#define IREE_TRACING_FEATURES_REQUESTED 0
#endif

#ifdef IREE_TRACING_PROVIDER_H
#include IREE_TRACING_PROVIDER_H
#ifndef IREE_TRACING_FEATURES
#error "a provider defines IREE_TRACING_FEATURES"
#endif
#else
#define IREE_TRACING_FEATURES 0
typedef uint32_t iree_zone_id_t;
#endif

typedef enum {
    IREE_TRACING_PLOT_TYPE_NUMBER = 0,
    IREE_TRACING_PLOT_TYPE_MEMORY = 1,
    IREE_TRACING_PLOT_TYPE_PERCENTAGE = 2
} iree_tracing_plot_type_t;

enum {
    IREE_TRACING_MESSAGE_LEVEL_ERROR = 0xff0000u,
    IREE_TRACING_MESSAGE_LEVEL_WARNING = 0xffff00u,
    IREE_TRACING_MESSAGE_LEVEL_INFO = 0xffffffu,
    IREE_TRACING_MESSAGE_LEVEL_VERBOSE = 0xc0c0c0u,
    IREE_TRACING_MESSAGE_LEVEL_DEBUG = 0x00ff00u
};

/* IREE's status: 0 is well. */
#define IREE_RETURN_AND_EVAL_IF_ERROR(tail, ...)                                                   \
    do {                                                                                           \
        const int kymo_status = (__VA_ARGS__);                                                     \
        if (kymo_status != 0) {                                                                    \
            (void)(tail);                                                                          \
            return kymo_status;                                                                    \
        }                                                                                          \
    } while (0)

#if !((IREE_TRACING_FEATURES)&IREE_TRACING_FEATURE_INSTRUMENTATION)
#define IREE_TRACE(expr)
#define IREE_TRACE_APP_ENTER()
#define IREE_TRACE_APP_EXIT(exit_code)
#define IREE_TRACE_SET_APP_INFO(value, value_length)
#define IREE_TRACE_SET_THREAD_NAME(name)
#define IREE_TRACE_FIBER_ENTER(fiber)
#define IREE_TRACE_FIBER_LEAVE()
#define IREE_TRACE_PUBLISH_SOURCE_FILE(filename, filename_length, content, content_length)
#define IREE_TRACE_ZONE_BEGIN(zone_id)                                                             \
    iree_zone_id_t zone_id = 0;                                                                    \
    (void)zone_id
#define IREE_TRACE_ZONE_BEGIN_NAMED(zone_id, name_literal) IREE_TRACE_ZONE_BEGIN(zone_id)
#define IREE_TRACE_ZONE_BEGIN_NAMED_DYNAMIC(zone_id, name, name_length)                            \
    IREE_TRACE_ZONE_BEGIN(zone_id)
#define IREE_TRACE_ZONE_BEGIN_EXTERNAL(zone_id, file_name, file_name_length, line, function_name,  \
                                       function_name_length, name, name_length)                    \
    IREE_TRACE_ZONE_BEGIN(zone_id)
#define IREE_TRACE_ZONE_END(zone_id) (void)(zone_id)
#define IREE_RETURN_AND_END_ZONE_IF_ERROR(zone_id, ...)                                            \
    IREE_RETURN_AND_EVAL_IF_ERROR(0, __VA_ARGS__)
#define IREE_RETURN_AND_END_ZONE(zone_id, ...) return (__VA_ARGS__)
#define IREE_TRACE_ZONE_SET_COLOR(zone_id, color)
#define IREE_TRACE_ZONE_APPEND_VALUE_I64(zone_id, value)
#define IREE_TRACE_ZONE_APPEND_TEXT(zone_id, ...)
#define IREE_TRACE_SET_PLOT_TYPE(name_literal, plot_type, step, fill, color)
#define IREE_TRACE_PLOT_VALUE_I64(name_literal, value)
#define IREE_TRACE_PLOT_VALUE_F32(name_literal, value)
#define IREE_TRACE_PLOT_VALUE_F64(name_literal, value)
#define IREE_TRACE_FRAME_MARK()
#define IREE_TRACE_FRAME_MARK_NAMED(name_literal)
#define IREE_TRACE_FRAME_MARK_BEGIN_NAMED(name_literal)
#define IREE_TRACE_FRAME_MARK_END_NAMED(name_literal)
#define IREE_TRACE_MESSAGE(level, value_literal)
#define IREE_TRACE_MESSAGE_COLORED(color, value_literal)
#define IREE_TRACE_MESSAGE_DYNAMIC(level, value, value_length)
#define IREE_TRACE_MESSAGE_DYNAMIC_COLORED(color, value, value_length)
#define IREE_TRACE_SCOPE()
#define IREE_TRACE_SCOPE_NAMED(name_literal)
#define IREE_TRACE_SCOPE_ID
#endif

#if !((IREE_TRACING_FEATURES)&IREE_TRACING_FEATURE_ALLOCATION_TRACKING)
static inline void *iree_tracing_obscure_ptr(void *ptr) { return ptr; }
#define IREE_TRACE_ALLOC(ptr, size)
#define IREE_TRACE_FREE(ptr)
#define IREE_TRACE_ALLOC_NAMED(name_literal, ptr, size)
#define IREE_TRACE_FREE_NAMED(name_literal, ptr)
#endif

#endif
