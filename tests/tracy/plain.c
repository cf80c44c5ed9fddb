/* SPDX-License-Identifier: MIT */
/* The functions of Tracy's C API, called as code does that does not use its macros; with a source location of the
 * user's own, and by address. Only compiled. */
#include "tracy/TracyC.h"

void plain_calls(void *block);
void plain_calls(void *block) {
    static const struct ___tracy_source_location_data place = {"name", "function", "file", 1, 2};
    uint64_t location;
    TracyCZoneCtx zone = ___tracy_emit_zone_begin(&place, 1);
    ___tracy_emit_zone_text(zone, "text", 4);
    ___tracy_emit_zone_name(zone, "name", 4);
    ___tracy_emit_zone_color(zone, 1u);
    ___tracy_emit_zone_value(zone, 1u);
    ___tracy_emit_zone_text_fmt(zone, "%d", 1);
    ___tracy_emit_zone_name_fmt(zone, "%d", 1);
    ___tracy_emit_zone_end(zone);
    zone = ___tracy_emit_zone_begin_callstack(&place, 4, 1);
    ___tracy_emit_zone_end(zone);
    location = ___tracy_alloc_srcloc(1u, "file", 4, "function", 8, 0u);
    location = ___tracy_alloc_srcloc_name(1u, "file", 4, "function", 8, "name", 4, 0u);
    zone = ___tracy_emit_zone_begin_alloc(location, 1);
    ___tracy_emit_zone_end(zone);
    zone = ___tracy_emit_zone_begin_alloc_callstack(location, 4, 1);
    ___tracy_emit_zone_end(zone);
    void (*const free_it)(const void *) = &___tracy_emit_memory_free;
    ___tracy_emit_memory_alloc(block, 1);
    free_it(block);
    ___tracy_emit_memory_alloc_callstack(block, 1, 4);
    ___tracy_emit_memory_free_callstack(block, 4);
    ___tracy_emit_memory_alloc_named(block, 1, "pool");
    ___tracy_emit_memory_free_named(block, "pool");
    ___tracy_emit_memory_alloc_callstack_named(block, 1, 4, "pool");
    ___tracy_emit_memory_free_callstack_named(block, 4, "pool");
    ___tracy_emit_memory_discard("pool");
    ___tracy_emit_memory_discard_callstack("pool", 4);
    ___tracy_emit_logString(TracyMessageSeverityInfo, 0, 0, 4, "text");
    ___tracy_emit_logStringL(TracyMessageSeverityInfo, 0, 0, "text");
    ___tracy_emit_message_appinfo("text", 4);
    ___tracy_emit_frame_mark(NULL);
    ___tracy_emit_frame_mark("frames");
    ___tracy_emit_frame_mark_start("spans");
    ___tracy_emit_frame_mark_end("spans");
    ___tracy_emit_frame_image(block, 0, 0, 0, 0);
    ___tracy_emit_plot("plot", 1.0);
    ___tracy_emit_plot_float("plot", 1.0f);
    ___tracy_emit_plot_int("plot", 1);
    ___tracy_emit_plot_config("plot", TracyPlotFormatWatt, 0, 0, 0u);
    ___tracy_set_thread_name("thread");
    ___tracy_startup_profiler();
    if (___tracy_connected() && ___tracy_profiler_started() && ___tracy_get_time() > 0) {
        ___tracy_shutdown_profiler();
    }
    (void)___tracy_begin_sampling_profiling();
    ___tracy_end_sampling_profiling();
    ___tracy_fiber_enter("fiber");
    ___tracy_fiber_leave();
}

void old_locks(void);
void old_locks(void) {
    static const struct ___tracy_source_location_data place = {"name", "function", "file", 1, 2};
    TracyCLockCtx lock = ___tracy_announce_lockable_ctx(&place);
    TracyCSharedLockCtx shared = ___tracy_announce_shared_lockable_ctx(&place);
    if (___tracy_before_lock_lockable_ctx(lock)) {
        ___tracy_after_lock_lockable_ctx(lock);
    }
    ___tracy_mark_lockable_ctx(lock, &place);
    ___tracy_after_unlock_lockable_ctx(lock);
    ___tracy_after_try_lock_lockable_ctx(lock, 0);
    ___tracy_custom_name_lockable_ctx(lock, "name", 4);
    ___tracy_terminate_lockable_ctx(lock);
    if (___tracy_before_lock_shared_shared_lockable_ctx(shared)) {
        ___tracy_after_lock_shared_shared_lockable_ctx(shared);
    }
    ___tracy_after_unlock_shared_shared_lockable_ctx(shared);
    ___tracy_after_try_lock_shared_shared_lockable_ctx(shared, 0);
    ___tracy_terminate_shared_lockable_ctx(shared);
}
