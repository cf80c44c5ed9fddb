/* SPDX-License-Identifier: MIT */
/* The functions of Tracy's TracyC.h, for bindings of other languages (Rust, Odin, Zig, Python's ctypes). Bindings
 * declare the functions themselves and link with this library. C and C++ code uses the headers, where they are inline.
 *
 * This file has all functions of Tracy 0.9 to 0.14. Where releases differ in the parameters, the arguments tell which
 * one the caller was made for. Only ___tracy_alloc_srcloc() and ..._name() of 0.9 and 0.10, which have no colour, give
 * zones an arbitrary one. The functions for GPUs do nothing, and a message in the trace says so. */
/* The header's functions that a compiler does not inline: by another name, as they would be symbols of this one. */
#define ___tracy_emit_zone_text_fmt header_zone_text_fmt
#define ___tracy_emit_zone_name_fmt header_zone_name_fmt
#include "tracy/TracyC.h"
#undef ___tracy_emit_zone_text_fmt
#undef ___tracy_emit_zone_name_fmt

#include "kymo/arch.h"

/* The header's inline function and this one have the same name, which C does not allow: this one has it for the linker
 * only. */
#define LINKED(result, name, parameters)                                                           \
    result linked_##name parameters __asm__("___tracy_" #name)                                     \
        __attribute__((visibility("default")));                                                    \
    result linked_##name parameters
#define CALLS(name, parameters, arguments)                                                         \
    LINKED(void, name, parameters) { ___tracy_##name arguments; }
#define RETURNS(result, name, parameters, arguments)                                               \
    LINKED(result, name, parameters) { return ___tracy_##name arguments; }

/* ---- zones ---- */

/* The same layout as Tracy's, so the handle must fit into "id": it is the address of a lane. */
struct linked_zone {
    uint32_t id;
    int32_t active;
};

static uintptr_t handles_begin(void) { return (uintptr_t)kymo_lane_of(0u) - 1u; }

static struct linked_zone linked(TracyCZoneCtx zone) {
    const uintptr_t handle = (uintptr_t)zone.zone;
    return (struct linked_zone){handle != 0u ? (uint32_t)(handle - handles_begin()) : 0u,
                                zone.active};
}

static TracyCZoneCtx header_zone(struct linked_zone zone) {
    return (TracyCZoneCtx){zone.id, zone.active,
                           zone.id != 0u ? (kymo_zone)(handles_begin() + zone.id) : NULL};
}

typedef const struct ___tracy_source_location_data *place;

#define BEGINS(name, parameters, arguments)                                                        \
    LINKED(struct linked_zone, name, parameters) { return linked(___tracy_##name arguments); }
BEGINS(emit_zone_begin, (place at, int32_t active), (at, active))
BEGINS(emit_zone_begin_callstack, (place at, int32_t depth, int32_t active), (at, depth, active))
BEGINS(emit_zone_begin_alloc, (uint64_t at, int32_t active), (at, active))
BEGINS(emit_zone_begin_alloc_callstack, (uint64_t at, int32_t depth, int32_t active),
       (at, depth, active))
CALLS(emit_zone_end, (struct linked_zone zone), (header_zone(zone)))
CALLS(emit_zone_text, (struct linked_zone zone, const char *text, size_t length),
      (header_zone(zone), text, length))
CALLS(emit_zone_name, (struct linked_zone zone, const char *name, size_t length),
      (header_zone(zone), name, length))
CALLS(emit_zone_color, (struct linked_zone zone, uint32_t color), (header_zone(zone), color))
CALLS(emit_zone_value, (struct linked_zone zone, uint64_t value), (header_zone(zone), value))
LINKED(void, emit_zone_text_fmt, (struct linked_zone zone, const char *format, ...)) {
    const TracyCZoneCtx ctx = header_zone(zone);
    KYMO_TRACY_FORMATTED_(kymo_tracy_zone_text, format);
}
LINKED(void, emit_zone_name_fmt, (struct linked_zone zone, const char *format, ...)) {
    const TracyCZoneCtx ctx = header_zone(zone);
    KYMO_TRACY_FORMATTED_(kymo_tracy_zone_name, format);
}
RETURNS(uint64_t, alloc_srcloc,
        (uint32_t line, const char *file, size_t file_bytes, const char *function,
         size_t function_bytes, uint32_t color),
        (line, file, file_bytes, function, function_bytes, color))
RETURNS(uint64_t, alloc_srcloc_name,
        (uint32_t line, const char *file, size_t file_bytes, const char *function,
         size_t function_bytes, const char *name, size_t name_bytes, uint32_t color),
        (line, file, file_bytes, function, function_bytes, name, name_bytes, color))

/* ---- memory ---- */

/* Releases before 0.14 have one more parameter, "secure", which is 0 or 1. At the end of the list it does no harm. In
 * front of a name or a depth it is recognised: no name has such an address. A depth of 1 is mistaken for it, and
 * the stack has an arbitrary depth. */
static bool is_secure(uintptr_t argument) { return (uint32_t)argument <= 1u; }
static const char *name_of(uintptr_t either, const char *behind_secure) {
    return is_secure(either) ? behind_secure : (const char *)either;
}

CALLS(emit_memory_alloc, (const void *address, size_t size), (address, size))
CALLS(emit_memory_alloc_callstack, (const void *address, size_t size, int32_t depth),
      (address, size, depth))
CALLS(emit_memory_free, (const void *address), (address))
CALLS(emit_memory_free_callstack, (const void *address, int32_t depth), (address, depth))
CALLS(emit_memory_alloc_named,
      (const void *address, size_t size, uintptr_t either, const char *name),
      (address, size, name_of(either, name)))
CALLS(emit_memory_alloc_callstack_named,
      (const void *address, size_t size, int32_t depth, uintptr_t either, const char *name),
      (address, size, depth, name_of(either, name)))
CALLS(emit_memory_free_named, (const void *address, uintptr_t either, const char *name),
      (address, name_of(either, name)))
CALLS(emit_memory_free_callstack_named,
      (const void *address, int32_t depth, uintptr_t either, const char *name),
      (address, depth, name_of(either, name)))
CALLS(emit_memory_discard, (const char *name), (name))
CALLS(emit_memory_discard_callstack, (const char *name, uintptr_t either, int32_t depth),
      (name, is_secure(either) ? depth : (int32_t)either))

/* ---- messages: before 0.14, and from 0.14 on ---- */

LINKED(void, emit_message, (const char *text, size_t length, int32_t depth)) {
    kymo_tracy_message(KYMO_LEVEL_INFO, 0u, depth, text, length);
}
LINKED(void, emit_messageL, (const char *text, int32_t depth)) {
    kymo_tracy_message_all(KYMO_LEVEL_INFO, 0u, depth, text);
}
LINKED(void, emit_messageC, (const char *text, size_t length, uint32_t color, int32_t depth)) {
    kymo_tracy_message(KYMO_LEVEL_INFO, color, depth, text, length);
}
LINKED(void, emit_messageLC, (const char *text, uint32_t color, int32_t depth)) {
    kymo_tracy_message_all(KYMO_LEVEL_INFO, color, depth, text);
}
CALLS(emit_logString,
      (int8_t severity, int32_t color, int32_t depth, size_t length, const char *text),
      (severity, color, depth, length, text))
CALLS(emit_logStringL, (int8_t severity, int32_t color, int32_t depth, const char *text),
      (severity, color, depth, text))
CALLS(emit_message_appinfo, (const char *text, size_t length), (text, length))

/* ---- frames and plots ---- */

CALLS(emit_frame_mark, (const char *name), (name))
CALLS(emit_frame_mark_start, (const char *name), (name))
CALLS(emit_frame_mark_end, (const char *name), (name))
CALLS(emit_frame_image,
      (const void *image, uint16_t width, uint16_t height, uint8_t offset, int32_t flip),
      (image, width, height, offset, flip))
CALLS(emit_plot, (const char *name, double value), (name, value))
CALLS(emit_plot_float, (const char *name, float value), (name, value))
CALLS(emit_plot_int, (const char *name, int64_t value), (name, value))
CALLS(emit_plot_config,
      (const char *name, int32_t type, int32_t step, int32_t fill, uint32_t color),
      (name, type, step, fill, color))

/* ---- locks ---- */

#define LOCK_CALLS(kind, type)                                                                     \
    RETURNS(type, announce_##kind, (place at), (at))                                               \
    CALLS(terminate_##kind, (type lock), (lock))                                                   \
    RETURNS(int32_t, before_lock_##kind, (type lock), (lock))                                      \
    CALLS(after_lock_##kind, (type lock), (lock))                                                  \
    CALLS(after_unlock_##kind, (type lock), (lock))                                                \
    CALLS(after_try_lock_##kind, (type lock, int32_t acquired), (lock, acquired))                  \
    CALLS(mark_##kind, (type lock, place at), (lock, at))                                          \
    CALLS(custom_name_##kind, (type lock, const char *name, size_t length), (lock, name, length))
LOCK_CALLS(lockable_ctx, TracyCLockCtx)
LOCK_CALLS(shared_lockable_ctx, TracyCSharedLockCtx)
RETURNS(int32_t, before_lock_shared_shared_lockable_ctx, (TracyCSharedLockCtx lock), (lock))
CALLS(after_lock_shared_shared_lockable_ctx, (TracyCSharedLockCtx lock), (lock))
CALLS(after_unlock_shared_shared_lockable_ctx, (TracyCSharedLockCtx lock), (lock))
CALLS(after_try_lock_shared_shared_lockable_ctx, (TracyCSharedLockCtx lock, int32_t acquired),
      (lock, acquired))

/* ---- the rest ---- */

CALLS(set_thread_name, (const char *name), (name))
RETURNS(int32_t, connected, (void), ())
RETURNS(int64_t, get_time, (void), ())
CALLS(startup_profiler, (void), ())
CALLS(shutdown_profiler, (void), ())
RETURNS(int32_t, profiler_started, (void), ())
RETURNS(int32_t, begin_sampling_profiling, (void), ())
CALLS(end_sampling_profiling, (void), ())
RETURNS(int32_t, begin_sampling_profiler, (void), ())
CALLS(end_sampling_profiler, (void), ())
CALLS(fiber_enter, (const char *fiber), (fiber))
CALLS(fiber_leave, (void), ())

static void no_gpu(void) {
    static bool said;
    if (!__atomic_exchange_n(&said, true, __ATOMIC_RELAXED)) {
        kymo_tracy_message_all(KYMO_LEVEL_WARNING, 0u, 0, "tracy: markup of GPUs is not recorded");
    }
}

#define NO_GPU(name)                                                                               \
    LINKED(void, emit_gpu_##name, (void)) { no_gpu(); }                                            \
    LINKED(void, emit_gpu_##name##_serial, (void)) { no_gpu(); }
NO_GPU(zone_begin)
NO_GPU(zone_begin_callstack)
NO_GPU(zone_begin_alloc)
NO_GPU(zone_begin_alloc_callstack)
NO_GPU(zone_end)
NO_GPU(time)
NO_GPU(time_sync)
NO_GPU(new_context)
NO_GPU(context_name)
NO_GPU(calibration)
