/* SPDX-License-Identifier: MIT */
/* tracy/TracyC.h where it is on. */
#ifndef KYMO_TRACY_C_ON_H
#define KYMO_TRACY_C_ON_H

#include <stdarg.h>

#include "kymo/tracy.h"

#ifndef TracyConcatIndirect
#define TracyConcatIndirect(x, y) x##y
#endif
#ifndef TracyConcat
#define TracyConcat(x, y) TracyConcatIndirect(x, y)
#endif

KYMO_C_BEGIN

struct ___tracy_source_location_data {
    const char *name;
    const char *function;
    const char *file;
    uint32_t line;
    uint32_t color;
};

/* A zone that was begun by hand; it may be ended on another core or thread. "zone" is kymo's. */
struct ___tracy_c_zone_context {
    uint32_t id;
    int32_t active;
    kymo_zone zone;
};
typedef struct ___tracy_c_zone_context TracyCZoneCtx;
/* The numbers of locks. They point to nothing. */
typedef struct __tracy_lockable_context_data *TracyCLockCtx;
typedef struct __tracy_shared_lockable_context_data *TracyCSharedLockCtx;

/* ---- zones ---- */

KYMO_INLINE_ TracyCZoneCtx kymo_tracy_zone(const struct kymo_site *site, int32_t depth,
                                           int32_t active) {
    TracyCZoneCtx ctx;
    ctx.zone = kymo_tracy_begin(site, depth, active != 0);
    ctx.active = active;
    ctx.id = ctx.zone != KYMO_NULL_;
    return ctx;
}
KYMO_INLINE_ const struct kymo_site *kymo_tracy_srcloc(
    const struct ___tracy_source_location_data *srcloc) {
    return kymo_tracy_place(srcloc->name, srcloc->function, srcloc->file, srcloc->line,
                            srcloc->color);
}
KYMO_INLINE_ const struct kymo_site *kymo_tracy_handle(uint64_t srcloc) {
    /* NOLINTNEXTLINE: it was made of one */
    return (const struct kymo_site *)(uintptr_t)srcloc;
}
KYMO_INLINE_ TracyCZoneCtx
___tracy_emit_zone_begin(const struct ___tracy_source_location_data *srcloc, int32_t active) {
    return kymo_tracy_zone(active != 0 ? kymo_tracy_srcloc(srcloc) : KYMO_NULL_, 0, active);
}
KYMO_INLINE_ TracyCZoneCtx ___tracy_emit_zone_begin_callstack(
    const struct ___tracy_source_location_data *srcloc, int32_t depth, int32_t active) {
    return kymo_tracy_zone(active != 0 ? kymo_tracy_srcloc(srcloc) : KYMO_NULL_, depth, active);
}
KYMO_INLINE_ TracyCZoneCtx ___tracy_emit_zone_begin_alloc(uint64_t srcloc, int32_t active) {
    return kymo_tracy_zone(kymo_tracy_handle(srcloc), 0, active);
}
KYMO_INLINE_ TracyCZoneCtx ___tracy_emit_zone_begin_alloc_callstack(uint64_t srcloc, int32_t depth,
                                                                    int32_t active) {
    return kymo_tracy_zone(kymo_tracy_handle(srcloc), depth, active);
}
KYMO_INLINE_ void ___tracy_emit_zone_end(TracyCZoneCtx ctx) { kymo_zone_end(ctx.zone); }
KYMO_INLINE_ void ___tracy_emit_zone_text(TracyCZoneCtx ctx, const char *txt, size_t size) {
    kymo_tracy_zone_text(ctx.zone, txt, size);
}
KYMO_INLINE_ void ___tracy_emit_zone_name(TracyCZoneCtx ctx, const char *txt, size_t size) {
    kymo_tracy_zone_name(ctx.zone, txt, size);
}
KYMO_INLINE_ void ___tracy_emit_zone_color(TracyCZoneCtx ctx, uint32_t color) {
    kymo_zone_color(ctx.zone, color);
}
KYMO_INLINE_ void ___tracy_emit_zone_value(TracyCZoneCtx ctx, uint64_t value) {
    kymo_zone_value(ctx.zone, value);
}

#if __STDC_HOSTED__
#define KYMO_TRACY_FORMATTED_(call, fmt)                                                           \
    char text[KYMO_TRACY_FORMAT_BYTES];                                                            \
    va_list args;                                                                                  \
    va_start(args, fmt);                                                                           \
    const int length = __builtin_vsnprintf(text, sizeof text, fmt, args);                          \
    va_end(args);                                                                                  \
    if (length > 0) {                                                                              \
        call(ctx.zone, text, KYMO_CAST_(size_t, length));                                          \
    }
#else
#define KYMO_TRACY_FORMATTED_(call, fmt) (void)ctx, (void)fmt
#endif
static __attribute__((unused, format(printf, 2, 3))) void ___tracy_emit_zone_text_fmt(
    TracyCZoneCtx ctx, const char *fmt, ...) {
    KYMO_TRACY_FORMATTED_(kymo_tracy_zone_text, fmt);
}
static __attribute__((unused, format(printf, 2, 3))) void ___tracy_emit_zone_name_fmt(
    TracyCZoneCtx ctx, const char *fmt, ...) {
    KYMO_TRACY_FORMATTED_(kymo_tracy_zone_name, fmt);
}

/* Source locations of run time. They are kept for ever, equal ones once. */
KYMO_INLINE_ uint64_t kymo_tracy_alloc_srcloc(const struct kymo_tracy_strings *strings,
                                              uint32_t line, uint32_t color) {
    return kymo_number_of(kymo_tracy_transient(strings, line, color));
}
KYMO_INLINE_ uint64_t ___tracy_alloc_srcloc(uint32_t line, const char *source, size_t sourceSz,
                                            const char *function, size_t functionSz,
                                            uint32_t color) {
    const struct kymo_tracy_strings strings = {KYMO_NULL_, function,   source,
                                               0u,         functionSz, sourceSz};
    return kymo_tracy_alloc_srcloc(&strings, line, color);
}
KYMO_INLINE_ uint64_t ___tracy_alloc_srcloc_name(uint32_t line, const char *source, size_t sourceSz,
                                                 const char *function, size_t functionSz,
                                                 const char *name, size_t nameSz, uint32_t color) {
    const struct kymo_tracy_strings strings = {name,   function,   source,
                                               nameSz, functionSz, sourceSz};
    return kymo_tracy_alloc_srcloc(&strings, line, color);
}

/* ---- memory ---- */

KYMO_INLINE_ const struct kymo_site *kymo_tracy_pool(const char *name) {
    return name != KYMO_NULL_ ? kymo_tracy_named(KYMO_SITE_POOL, name) : kymo_tracy_memory();
}
KYMO_INLINE_ void ___tracy_emit_memory_alloc(const void *ptr, size_t size) {
    kymo_tracy_alloc(kymo_tracy_memory(), ptr, size, 0);
}
KYMO_INLINE_ void ___tracy_emit_memory_alloc_callstack(const void *ptr, size_t size,
                                                       int32_t depth) {
    kymo_tracy_alloc(kymo_tracy_memory(), ptr, size, depth);
}
KYMO_INLINE_ void ___tracy_emit_memory_free(const void *ptr) {
    kymo_tracy_free(kymo_tracy_memory(), ptr, 0);
}
KYMO_INLINE_ void ___tracy_emit_memory_free_callstack(const void *ptr, int32_t depth) {
    kymo_tracy_free(kymo_tracy_memory(), ptr, depth);
}
KYMO_INLINE_ void ___tracy_emit_memory_alloc_named(const void *ptr, size_t size, const char *name) {
    kymo_tracy_alloc(kymo_tracy_pool(name), ptr, size, 0);
}
KYMO_INLINE_ void ___tracy_emit_memory_alloc_callstack_named(const void *ptr, size_t size,
                                                             int32_t depth, const char *name) {
    kymo_tracy_alloc(kymo_tracy_pool(name), ptr, size, depth);
}
KYMO_INLINE_ void ___tracy_emit_memory_free_named(const void *ptr, const char *name) {
    kymo_tracy_free(kymo_tracy_pool(name), ptr, 0);
}
KYMO_INLINE_ void ___tracy_emit_memory_free_callstack_named(const void *ptr, int32_t depth,
                                                            const char *name) {
    kymo_tracy_free(kymo_tracy_pool(name), ptr, depth);
}
KYMO_INLINE_ void ___tracy_emit_memory_discard(const char *name) {
    kymo_memory_discard(kymo_tracy_pool(name));
}
KYMO_INLINE_ void ___tracy_emit_memory_discard_callstack(const char *name, int32_t depth) {
    kymo_tracy_discard(kymo_tracy_pool(name), depth);
}

/* ---- messages ---- */

KYMO_INLINE_ void ___tracy_emit_logString(int8_t severity, int32_t color, int32_t callstack_depth,
                                          size_t size, const char *txt) {
    kymo_tracy_message(severity, KYMO_CAST_(uint32_t, color), callstack_depth, txt, size);
}
KYMO_INLINE_ void ___tracy_emit_logStringL(int8_t severity, int32_t color, int32_t callstack_depth,
                                           const char *txt) {
    kymo_tracy_message_all(severity, KYMO_CAST_(uint32_t, color), callstack_depth, txt);
}
KYMO_INLINE_ void ___tracy_emit_message_appinfo(const char *txt, size_t size) {
    kymo_tracy_app_info(txt, size);
}

/* ---- frames and plots ---- */

KYMO_INLINE_ void ___tracy_emit_frame_mark(const char *name) {
    if (name != KYMO_NULL_) {
        kymo_frame(kymo_tracy_named(KYMO_SITE_FRAME, name));
    } else {
        kymo_tracy_frame();
    }
}
KYMO_INLINE_ void ___tracy_emit_frame_mark_start(const char *name) {
    kymo_frame_start(kymo_tracy_named(KYMO_SITE_FRAME, name));
}
KYMO_INLINE_ void ___tracy_emit_frame_mark_end(const char *name) {
    kymo_frame_end(kymo_tracy_named(KYMO_SITE_FRAME, name));
}
KYMO_INLINE_ void ___tracy_emit_frame_image(const void *image, uint16_t w, uint16_t h,
                                            uint8_t offset, int32_t flip) {
    kymo_tracy_image(image, w, h, offset, flip != 0);
}
KYMO_INLINE_ void ___tracy_emit_plot(const char *name, double val) {
    kymo_tracy_plot_double(kymo_tracy_named(KYMO_SITE_PLOT, name), val);
}
KYMO_INLINE_ void ___tracy_emit_plot_float(const char *name, float val) {
    kymo_tracy_plot_float(kymo_tracy_named(KYMO_SITE_PLOT, name), val);
}
KYMO_INLINE_ void ___tracy_emit_plot_int(const char *name, int64_t val) {
    kymo_plot_int(kymo_tracy_named(KYMO_SITE_PLOT, name), val);
}
KYMO_INLINE_ void ___tracy_emit_plot_config(const char *name, int32_t type, int32_t step,
                                            int32_t fill, uint32_t color) {
    kymo_tracy_plot_config(kymo_tracy_named(KYMO_SITE_PLOT, name), type, step, fill, color);
}

/* ---- locks ---- */

KYMO_INLINE_ const struct kymo_site *kymo_tracy_lock_place(
    const struct ___tracy_source_location_data *srcloc) {
    return srcloc != KYMO_NULL_ ? kymo_tracy_srcloc(srcloc) : KYMO_NULL_;
}
KYMO_INLINE_ TracyCLockCtx
___tracy_announce_lockable_ctx(const struct ___tracy_source_location_data *srcloc) {
    return (TracyCLockCtx)(uintptr_t)kymo_tracy_lock(kymo_tracy_lock_place(srcloc), KYMO_NULL_);
}
KYMO_INLINE_ TracyCSharedLockCtx
___tracy_announce_shared_lockable_ctx(const struct ___tracy_source_location_data *srcloc) {
    return (TracyCSharedLockCtx)(uintptr_t)kymo_tracy_lock(kymo_tracy_lock_place(srcloc),
                                                           KYMO_NULL_);
}
#define KYMO_TRACY_LOCK_(lock) KYMO_CAST_(uint32_t, kymo_number_of(lock))

/* Calls that both kinds of lock have. */
#define KYMO_TRACY_LOCK_CALLS_(kind, type)                                                         \
    KYMO_INLINE_ void ___tracy_terminate_##kind(type lockdata) {                                   \
        kymo_tracy_lock_event(KYMO_KIND_OBJECT_END, KYMO_TRACY_LOCK_(lockdata));                   \
    }                                                                                              \
    KYMO_INLINE_ int32_t ___tracy_before_lock_##kind(type lockdata) {                              \
        kymo_tracy_lock_event(KYMO_KIND_LOCK_WAIT, KYMO_TRACY_LOCK_(lockdata));                    \
        return 1;                                                                                  \
    }                                                                                              \
    KYMO_INLINE_ void ___tracy_after_lock_##kind(type lockdata) {                                  \
        kymo_tracy_lock_event(KYMO_KIND_LOCK_OBTAIN, KYMO_TRACY_LOCK_(lockdata));                  \
    }                                                                                              \
    KYMO_INLINE_ void ___tracy_after_unlock_##kind(type lockdata) {                                \
        kymo_tracy_lock_event(KYMO_KIND_LOCK_RELEASE, KYMO_TRACY_LOCK_(lockdata));                 \
    }                                                                                              \
    KYMO_INLINE_ void ___tracy_after_try_lock_##kind(type lockdata, int32_t acquired) {            \
        if (acquired != 0) {                                                                       \
            kymo_tracy_lock_event(KYMO_KIND_LOCK_OBTAIN, KYMO_TRACY_LOCK_(lockdata));              \
        }                                                                                          \
    }                                                                                              \
    KYMO_INLINE_ void ___tracy_mark_##kind(type lockdata,                                          \
                                           const struct ___tracy_source_location_data *srcloc) {   \
        kymo_tracy_lock_mark(KYMO_TRACY_LOCK_(lockdata), kymo_tracy_lock_place(srcloc));           \
    }                                                                                              \
    KYMO_INLINE_ void ___tracy_custom_name_##kind(type lockdata, const char *name,                 \
                                                  size_t nameSz) {                                 \
        kymo_tracy_lock_name(KYMO_TRACY_LOCK_(lockdata), name, nameSz);                            \
    }
KYMO_TRACY_LOCK_CALLS_(lockable_ctx, TracyCLockCtx)
KYMO_TRACY_LOCK_CALLS_(shared_lockable_ctx, TracyCSharedLockCtx)

KYMO_INLINE_ int32_t ___tracy_before_lock_shared_shared_lockable_ctx(TracyCSharedLockCtx lockdata) {
    kymo_tracy_lock_event(KYMO_KIND_LOCK_WAIT_SHARED, KYMO_TRACY_LOCK_(lockdata));
    return 1;
}
KYMO_INLINE_ void ___tracy_after_lock_shared_shared_lockable_ctx(TracyCSharedLockCtx lockdata) {
    kymo_tracy_lock_event(KYMO_KIND_LOCK_OBTAIN_SHARED, KYMO_TRACY_LOCK_(lockdata));
}
KYMO_INLINE_ void ___tracy_after_unlock_shared_shared_lockable_ctx(TracyCSharedLockCtx lockdata) {
    kymo_tracy_lock_event(KYMO_KIND_LOCK_RELEASE_SHARED, KYMO_TRACY_LOCK_(lockdata));
}
KYMO_INLINE_ void ___tracy_after_try_lock_shared_shared_lockable_ctx(TracyCSharedLockCtx lockdata,
                                                                     int32_t acquired) {
    if (acquired != 0) {
        kymo_tracy_lock_event(KYMO_KIND_LOCK_OBTAIN_SHARED, KYMO_TRACY_LOCK_(lockdata));
    }
}

/* ---- the rest ---- */

KYMO_INLINE_ void ___tracy_set_thread_name(const char *name) { kymo_tracy_thread_name(name); }
KYMO_INLINE_ int32_t ___tracy_connected(void) { return kymo_connected(); }
KYMO_INLINE_ int64_t ___tracy_get_time(void) { return KYMO_CAST_(int64_t, kymo_clock_now()); }
/* Start and stop by hand: nothing is recorded before the start. */
KYMO_INLINE_ void ___tracy_startup_profiler(void) { kymo_client_start(); }
KYMO_INLINE_ void ___tracy_shutdown_profiler(void) { kymo_client_stop(); }
KYMO_INLINE_ int32_t ___tracy_profiler_started(void) { return kymo_is_recording(); }
KYMO_INLINE_ int32_t ___tracy_begin_sampling_profiling(void) { return 0; }
KYMO_INLINE_ void ___tracy_end_sampling_profiling(void) {}
KYMO_INLINE_ int32_t ___tracy_begin_sampling_profiler(void) { return 0; }
KYMO_INLINE_ void ___tracy_end_sampling_profiler(void) {}
KYMO_INLINE_ void ___tracy_fiber_enter(const char *fiber) { kymo_tracy_fiber_enter(fiber); }
KYMO_INLINE_ void ___tracy_fiber_leave(void) { kymo_tracy_fiber_leave(); }

KYMO_C_END

#define TracyCSetThreadName(name) ___tracy_set_thread_name(name);
#ifdef TRACY_MANUAL_LIFETIME
#define TracyCIsStarted ___tracy_profiler_started()
#else
#define TracyCIsStarted 1
#endif

#define KYMO_TRACY_IDENT_ TracyConcat(__tracy_source_location, TracyLine)
#define KYMO_TRACY_CZONE_(ctx, rgb, depth, active)                                                 \
    KYMO_TRACY_SITE_(KYMO_TRACY_IDENT_, KYMO_SITE_ZONE, rgb);                                      \
    TracyCZoneCtx ctx = kymo_tracy_zone(&KYMO_TRACY_IDENT_, depth, active);
#define KYMO_TRACY_CZONE_NAMED_(ctx, name, rgb, depth, active)                                     \
    KYMO_TRACY_SITE_NAMED_(KYMO_TRACY_IDENT_, KYMO_SITE_ZONE, name, rgb);                          \
    TracyCZoneCtx ctx = kymo_tracy_zone(&KYMO_TRACY_IDENT_, depth, active);

/* These have a semicolon of their own, as Tracy's: the user's source may have none. */
#define TracyCZone(ctx, active) KYMO_TRACY_CZONE_(ctx, 0u, TRACY_CALLSTACK, active)
#define TracyCZoneN(ctx, name, active)                                                             \
    KYMO_TRACY_CZONE_NAMED_(ctx, name, 0u, TRACY_CALLSTACK, active)
#define TracyCZoneC(ctx, color, active) KYMO_TRACY_CZONE_(ctx, color, TRACY_CALLSTACK, active)
#define TracyCZoneNC(ctx, name, color, active)                                                     \
    KYMO_TRACY_CZONE_NAMED_(ctx, name, color, TRACY_CALLSTACK, active)
#define TracyCZoneS(ctx, depth, active) KYMO_TRACY_CZONE_(ctx, 0u, depth, active)
#define TracyCZoneNS(ctx, name, depth, active) KYMO_TRACY_CZONE_NAMED_(ctx, name, 0u, depth, active)
#define TracyCZoneCS(ctx, color, depth, active) KYMO_TRACY_CZONE_(ctx, color, depth, active)
#define TracyCZoneNCS(ctx, name, color, depth, active)                                             \
    KYMO_TRACY_CZONE_NAMED_(ctx, name, color, depth, active)
#define TracyCZoneEnd(ctx) ___tracy_emit_zone_end(ctx);
#define TracyCZoneText(ctx, txt, size) ___tracy_emit_zone_text(ctx, txt, size);
#define TracyCZoneTextF(ctx, ...) ___tracy_emit_zone_text_fmt(ctx, __VA_ARGS__);
#define TracyCZoneName(ctx, txt, size) ___tracy_emit_zone_name(ctx, txt, size);
#define TracyCZoneNameF(ctx, ...) ___tracy_emit_zone_name_fmt(ctx, __VA_ARGS__);
#define TracyCZoneColor(ctx, color) ___tracy_emit_zone_color(ctx, color);
#define TracyCZoneValue(ctx, value) ___tracy_emit_zone_value(ctx, value);

/* These are expressions. */
#define TracyCAllocS(ptr, size, depth)                                                             \
    kymo_tracy_alloc(kymo_tracy_memory(), KYMO_ADDRESS_(ptr), size, depth)
#define TracyCFreeS(ptr, depth) kymo_tracy_free(kymo_tracy_memory(), KYMO_ADDRESS_(ptr), depth)
#define TracyCAllocNS(ptr, size, depth, name)                                                      \
    kymo_tracy_alloc(KYMO_TRACY_NAMED_(KYMO_SITE_POOL, name), KYMO_ADDRESS_(ptr), size, depth)
#define TracyCFreeNS(ptr, depth, name)                                                             \
    kymo_tracy_free(KYMO_TRACY_NAMED_(KYMO_SITE_POOL, name), KYMO_ADDRESS_(ptr), depth)
#define TracyCAlloc(ptr, size) TracyCAllocS(ptr, size, TRACY_CALLSTACK)
#define TracyCFree(ptr) TracyCFreeS(ptr, TRACY_CALLSTACK)
#define TracyCAllocN(ptr, size, name) TracyCAllocNS(ptr, size, TRACY_CALLSTACK, name)
#define TracyCFreeN(ptr, name) TracyCFreeNS(ptr, TRACY_CALLSTACK, name)
#define TracyCSecureAlloc(ptr, size) TracyCAlloc(ptr, size)
#define TracyCSecureFree(ptr) TracyCFree(ptr)
#define TracyCSecureAllocN(ptr, size, name) TracyCAllocN(ptr, size, name)
#define TracyCSecureFreeN(ptr, name) TracyCFreeN(ptr, name)
#define TracyCSecureAllocS(ptr, size, depth) TracyCAllocS(ptr, size, depth)
#define TracyCSecureFreeS(ptr, depth) TracyCFreeS(ptr, depth)
#define TracyCSecureAllocNS(ptr, size, depth, name) TracyCAllocNS(ptr, size, depth, name)
#define TracyCSecureFreeNS(ptr, depth, name) TracyCFreeNS(ptr, depth, name)
#define TracyCMemoryDiscardS(name, depth)                                                          \
    kymo_tracy_discard(KYMO_TRACY_NAMED_(KYMO_SITE_POOL, name), depth)
#define TracyCMemoryDiscard(name) TracyCMemoryDiscardS(name, TRACY_CALLSTACK);
#define TracyCSecureMemoryDiscardS(name, depth) TracyCMemoryDiscardS(name, depth)
#define TracyCSecureMemoryDiscard(name) TracyCMemoryDiscardS(name, TRACY_CALLSTACK);

#define TracyCMessageCS(txt, size, color, depth)                                                   \
    kymo_tracy_message(KYMO_LEVEL_INFO, color, depth, txt, size)
#define TracyCMessageLCS(txt, color, depth) KYMO_TRACY_MESSAGE_(txt, color, depth)
#define TracyCMessage(txt, size) TracyCMessageCS(txt, size, 0u, TRACY_CALLSTACK)
#define TracyCMessageL(txt) TracyCMessageLCS(txt, 0u, TRACY_CALLSTACK)
#define TracyCMessageC(txt, size, color) TracyCMessageCS(txt, size, color, TRACY_CALLSTACK)
#define TracyCMessageLC(txt, color) TracyCMessageLCS(txt, color, TRACY_CALLSTACK)
#define TracyCMessageS(txt, size, depth) TracyCMessageCS(txt, size, 0u, depth)
#define TracyCMessageLS(txt, depth) TracyCMessageLCS(txt, 0u, depth)
#define TracyCAppInfo(txt, size) kymo_tracy_app_info(txt, size);

#define TracyCFrameMark kymo_tracy_frame();
#define TracyCFrameMarkNamed(name) kymo_frame(KYMO_TRACY_NAMED_(KYMO_SITE_FRAME, name));
#define TracyCFrameMarkStart(name) kymo_frame_start(KYMO_TRACY_NAMED_(KYMO_SITE_FRAME, name));
#define TracyCFrameMarkEnd(name) kymo_frame_end(KYMO_TRACY_NAMED_(KYMO_SITE_FRAME, name));
#define TracyCFrameImage(image, width, height, offset, flip)                                       \
    ___tracy_emit_frame_image(image, width, height, offset, flip);

#define TracyCPlot(name, val) kymo_tracy_plot_double(KYMO_TRACY_NAMED_(KYMO_SITE_PLOT, name), val);
#define TracyCPlotF(name, val) kymo_tracy_plot_float(KYMO_TRACY_NAMED_(KYMO_SITE_PLOT, name), val);
#define TracyCPlotI(name, val) kymo_plot_int(KYMO_TRACY_NAMED_(KYMO_SITE_PLOT, name), val);
#define TracyCPlotConfig(name, type, step, fill, color)                                            \
    kymo_tracy_plot_config(KYMO_TRACY_NAMED_(KYMO_SITE_PLOT, name), type, step, fill, color);

#define TracyCLockAnnounce(lock)                                                                   \
    KYMO_TRACY_SITE_(KYMO_TRACY_IDENT_, KYMO_SITE_ZONE, 0u);                                       \
    lock = (TracyCLockCtx)(uintptr_t)kymo_tracy_lock(&KYMO_TRACY_IDENT_, KYMO_NULL_);
#define TracyCLockTerminate(lock) ___tracy_terminate_lockable_ctx(lock);
#define TracyCLockBeforeLock(lock) (void)___tracy_before_lock_lockable_ctx(lock);
#define TracyCLockAfterLock(lock) ___tracy_after_lock_lockable_ctx(lock);
#define TracyCLockAfterUnlock(lock) ___tracy_after_unlock_lockable_ctx(lock);
#define TracyCLockAfterTryLock(lock, acquired) ___tracy_after_try_lock_lockable_ctx(lock, acquired);
#define TracyCLockMark(lock)                                                                       \
    KYMO_TRACY_SITE_(KYMO_TRACY_IDENT_, KYMO_SITE_ZONE, 0u);                                       \
    kymo_tracy_lock_mark(KYMO_TRACY_LOCK_(lock), &KYMO_TRACY_IDENT_);
#define TracyCLockCustomName(lock, name, nameSz)                                                   \
    ___tracy_custom_name_lockable_ctx(lock, name, nameSz);

#define TracyCSharedLockAnnounce(lock)                                                             \
    KYMO_TRACY_SITE_(KYMO_TRACY_IDENT_, KYMO_SITE_ZONE, 0u);                                       \
    lock = (TracyCSharedLockCtx)(uintptr_t)kymo_tracy_lock(&KYMO_TRACY_IDENT_, KYMO_NULL_);
#define TracyCSharedLockAnnonce(lock) TracyCSharedLockAnnounce(lock)
#define TracyCSharedLockTerminate(lock) ___tracy_terminate_shared_lockable_ctx(lock);
#define TracyCSharedLockBeforeLock(lock) (void)___tracy_before_lock_shared_lockable_ctx(lock);
#define TracyCSharedLockAfterLock(lock) ___tracy_after_lock_shared_lockable_ctx(lock);
#define TracyCSharedLockAfterUnlock(lock) ___tracy_after_unlock_shared_lockable_ctx(lock);
#define TracyCSharedLockAfterTryLock(lock, acquired)                                               \
    ___tracy_after_try_lock_shared_lockable_ctx(lock, acquired);
#define TracyCSharedLockBeforeSharedLock(lock)                                                     \
    (void)___tracy_before_lock_shared_shared_lockable_ctx(lock);
#define TracyCSharedLockAfterSharedLock(lock) ___tracy_after_lock_shared_shared_lockable_ctx(lock);
#define TracyCSharedLockAfterSharedUnlock(lock)                                                    \
    ___tracy_after_unlock_shared_shared_lockable_ctx(lock);
#define TracyCSharedLockAfterTrySharedLock(lock, acquired)                                         \
    ___tracy_after_try_lock_shared_shared_lockable_ctx(lock, acquired);
#define TracyCSharedLockMark(lock)                                                                 \
    KYMO_TRACY_SITE_(KYMO_TRACY_IDENT_, KYMO_SITE_ZONE, 0u);                                       \
    kymo_tracy_lock_mark(KYMO_TRACY_LOCK_(lock), &KYMO_TRACY_IDENT_);
#define TracyCSharedLockCustomName(lock, name, nameSz)                                             \
    ___tracy_custom_name_shared_lockable_ctx(lock, name, nameSz);

#define TracyCIsConnected ___tracy_connected()
#define TracyCBeginSamplingProfiling() ___tracy_begin_sampling_profiling()
#define TracyCEndSamplingProfiling() ___tracy_end_sampling_profiling()
#define TracyCFiberEnter(fiber) ___tracy_fiber_enter(fiber);
#define TracyCFiberLeave ___tracy_fiber_leave();

#endif
