/* SPDX-License-Identifier: MIT */
/* Every function of TracyC.h, as bindings of other languages call them, in the form of Tracy 0.14. */
#include "bindings.h"

extern struct zone ___tracy_emit_zone_begin(const struct place *, int32_t);
extern struct zone ___tracy_emit_zone_begin_callstack(const struct place *, int32_t, int32_t);
extern struct zone ___tracy_emit_zone_begin_alloc(uint64_t, int32_t);
extern struct zone ___tracy_emit_zone_begin_alloc_callstack(uint64_t, int32_t, int32_t);
extern void ___tracy_emit_zone_end(struct zone);
extern void ___tracy_emit_zone_text(struct zone, const char *, size_t);
extern void ___tracy_emit_zone_text_fmt(struct zone, const char *, ...);
extern void ___tracy_emit_zone_name(struct zone, const char *, size_t);
extern void ___tracy_emit_zone_name_fmt(struct zone, const char *, ...);
extern void ___tracy_emit_zone_color(struct zone, uint32_t);
extern void ___tracy_emit_zone_value(struct zone, uint64_t);
extern uint64_t ___tracy_alloc_srcloc(uint32_t, const char *, size_t, const char *, size_t,
                                      uint32_t);
extern uint64_t ___tracy_alloc_srcloc_name(uint32_t, const char *, size_t, const char *, size_t,
                                           const char *, size_t, uint32_t);

static void zones(void) {
    static const struct place here = {"linked", "zones", "main.rs", 7, 0x112233};
    static const struct place deep = {NULL, "linked_deep", "main.rs", 8, 0};
    struct zone outer = ___tracy_emit_zone_begin(&here, 1);
    struct zone inner = ___tracy_emit_zone_begin_callstack(&deep, 4, 1);
    ___tracy_emit_zone_text(inner, "text, cut", 4);
    ___tracy_emit_zone_text_fmt(inner, "%d of %s", 2, "two");
    ___tracy_emit_zone_name(inner, "name, cut", 4);
    ___tracy_emit_zone_name_fmt(inner, "name %d", 2);
    ___tracy_emit_zone_color(inner, 0x445566);
    ___tracy_emit_zone_value(inner, 42);
    ___tracy_emit_zone_end(inner);
    ___tracy_emit_zone_end(outer);
    outer = ___tracy_emit_zone_begin_alloc(
        ___tracy_alloc_srcloc(9, "main.rs, cut", 7, "linked_made, cut", 11, 0), 1);
    inner = ___tracy_emit_zone_begin_alloc_callstack(
        ___tracy_alloc_srcloc_name(10, "main.rs", 7, "zones", 5, "linked_named, cut", 12, 0), 4, 1);
    ___tracy_emit_zone_end(inner);
    ___tracy_emit_zone_end(outer);
    outer = ___tracy_emit_zone_begin(&here, 0);
    ___tracy_emit_zone_text(outer, "not active", 10);
    ___tracy_emit_zone_end(outer);
}

extern void ___tracy_emit_memory_alloc(const void *, size_t);
extern void ___tracy_emit_memory_alloc_callstack(const void *, size_t, int32_t);
extern void ___tracy_emit_memory_alloc_named(const void *, size_t, const char *);
extern void ___tracy_emit_memory_alloc_callstack_named(const void *, size_t, int32_t, const char *);
extern void ___tracy_emit_memory_free(const void *);
extern void ___tracy_emit_memory_free_callstack(const void *, int32_t);
extern void ___tracy_emit_memory_free_named(const void *, const char *);
extern void ___tracy_emit_memory_free_callstack_named(const void *, int32_t, const char *);
extern void ___tracy_emit_memory_discard(const char *);
extern void ___tracy_emit_memory_discard_callstack(const char *, int32_t);

static void memory(void) {
    static const char blocks[6];
    ___tracy_emit_memory_alloc(&blocks[0], 1);
    ___tracy_emit_memory_alloc_callstack(&blocks[1], 1, 4);
    ___tracy_emit_memory_alloc_named(&blocks[2], 1, "pool");
    ___tracy_emit_memory_alloc_callstack_named(&blocks[3], 1, 4, "pool");
    ___tracy_emit_memory_free(&blocks[0]);
    ___tracy_emit_memory_free_callstack(&blocks[1], 4);
    ___tracy_emit_memory_free_named(&blocks[2], "pool");
    ___tracy_emit_memory_free_callstack_named(&blocks[3], 4, "pool");
    ___tracy_emit_memory_alloc_named(&blocks[4], 1, "pool");
    ___tracy_emit_memory_discard("pool");
    ___tracy_emit_memory_alloc_named(&blocks[5], 1, "pool");
    ___tracy_emit_memory_discard_callstack("pool", 4);
}

extern void ___tracy_emit_logString(int8_t, int32_t, int32_t, size_t, const char *);
extern void ___tracy_emit_logStringL(int8_t, int32_t, int32_t, const char *);
extern void ___tracy_emit_message_appinfo(const char *, size_t);
extern void ___tracy_emit_frame_mark(const char *);
extern void ___tracy_emit_frame_mark_start(const char *);
extern void ___tracy_emit_frame_mark_end(const char *);
extern void ___tracy_emit_frame_image(const void *, uint16_t, uint16_t, uint8_t, int32_t);
extern void ___tracy_emit_plot(const char *, double);
extern void ___tracy_emit_plot_float(const char *, float);
extern void ___tracy_emit_plot_int(const char *, int64_t);
extern void ___tracy_emit_plot_config(const char *, int32_t, int32_t, int32_t, uint32_t);

static void values(void) {
    static const uint32_t picture[16];
    ___tracy_emit_logString(2, 0, 4, 7, "message, cut");
    ___tracy_emit_logStringL(4, 0x112233, 0, "message L");
    ___tracy_emit_message_appinfo("information", 11);
    ___tracy_emit_frame_image(picture, 4, 4, 0, 0);
    ___tracy_emit_frame_mark(NULL);
    ___tracy_emit_frame_mark("named");
    ___tracy_emit_frame_mark_start("set");
    ___tracy_emit_frame_mark_end("set");
    ___tracy_emit_plot("plot", 1.5);
    ___tracy_emit_plot_float("plot", 2.5f);
    ___tracy_emit_plot_int("plot", 3);
    ___tracy_emit_plot_config("plot", 1, 1, 1, 0);
}

#define DECLARE_LOCK(kind)                                                                         \
    extern void *___tracy_announce_##kind(const struct place *);                                   \
    extern void ___tracy_terminate_##kind(void *);                                                 \
    extern int32_t ___tracy_before_lock_##kind(void *);                                            \
    extern void ___tracy_after_lock_##kind(void *);                                                \
    extern void ___tracy_after_unlock_##kind(void *);                                              \
    extern void ___tracy_after_try_lock_##kind(void *, int32_t);                                   \
    extern void ___tracy_mark_##kind(void *, const struct place *);                                \
    extern void ___tracy_custom_name_##kind(void *, const char *, size_t);
DECLARE_LOCK(lockable_ctx)
DECLARE_LOCK(shared_lockable_ctx)
extern int32_t ___tracy_before_lock_shared_shared_lockable_ctx(void *);
extern void ___tracy_after_lock_shared_shared_lockable_ctx(void *);
extern void ___tracy_after_unlock_shared_shared_lockable_ctx(void *);
extern void ___tracy_after_try_lock_shared_shared_lockable_ctx(void *, int32_t);

static const struct place lock_place = {NULL, "locks", "main.rs", 11, 0};

#define USE_LOCK(kind)                                                                             \
    (void)___tracy_before_lock_##kind(lock);                                                       \
    ___tracy_after_lock_##kind(lock);                                                              \
    ___tracy_mark_##kind(lock, &lock_place);                                                       \
    ___tracy_after_unlock_##kind(lock);                                                            \
    ___tracy_after_try_lock_##kind(lock, 0);                                                       \
    ___tracy_custom_name_##kind(lock, "lock, cut", 4);
static void locks(void) {
    void *lock = ___tracy_announce_lockable_ctx(&lock_place);
    USE_LOCK(lockable_ctx)
    ___tracy_terminate_lockable_ctx(lock);
    lock = ___tracy_announce_shared_lockable_ctx(&lock_place);
    USE_LOCK(shared_lockable_ctx)
    (void)___tracy_before_lock_shared_shared_lockable_ctx(lock);
    ___tracy_after_lock_shared_shared_lockable_ctx(lock);
    ___tracy_after_unlock_shared_shared_lockable_ctx(lock);
    ___tracy_after_try_lock_shared_shared_lockable_ctx(lock, 0);
    ___tracy_terminate_shared_lockable_ctx(lock);
}

/* Their structures go by value. */
#define CALL_GPU(name, ...)                                                                        \
    do {                                                                                           \
        struct argument {                                                                          \
            __VA_ARGS__;                                                                           \
        };                                                                                         \
        extern void ___tracy_emit_gpu_##name(struct argument);                                     \
        extern void ___tracy_emit_gpu_##name##_serial(struct argument);                            \
        const struct argument argument = {0};                                                      \
        ___tracy_emit_gpu_##name(argument);                                                        \
        ___tracy_emit_gpu_##name##_serial(argument);                                               \
    } while (0)
static void gpu(void) {
    CALL_GPU(new_context, int64_t time; float period; uint8_t context, flags, type);
    CALL_GPU(context_name, uint8_t context; const char *name; uint16_t length);
    CALL_GPU(zone_begin, uint64_t place; uint16_t query; uint8_t context);
    CALL_GPU(zone_begin_callstack, uint64_t place; int32_t depth; uint16_t query; uint8_t context);
    CALL_GPU(zone_begin_alloc, uint64_t place; uint16_t query; uint8_t context);
    CALL_GPU(zone_begin_alloc_callstack, uint64_t place; int32_t depth; uint16_t query;
             uint8_t context);
    CALL_GPU(zone_end, uint16_t query; uint8_t context);
    CALL_GPU(time, int64_t time; uint16_t query; uint8_t context);
    CALL_GPU(time_sync, int64_t time; uint8_t context);
    CALL_GPU(calibration, int64_t time, delta; uint8_t context);
}

extern void ___tracy_set_thread_name(const char *);
extern int32_t ___tracy_connected(void);
extern int64_t ___tracy_get_time(void);
extern void ___tracy_startup_profiler(void);
extern void ___tracy_shutdown_profiler(void);
extern int32_t ___tracy_profiler_started(void);
extern int32_t ___tracy_begin_sampling_profiling(void);
extern void ___tracy_end_sampling_profiling(void);
extern void ___tracy_fiber_enter(const char *);
extern void ___tracy_fiber_leave(void);

int main(void) {
    static const struct place in_fiber = {"in the fiber", "main", "main.rs", 12, 0};
    ___tracy_startup_profiler();
    ___tracy_set_thread_name("linked thread");
    if (___tracy_profiler_started() == 0 || ___tracy_connected() > 1 || ___tracy_get_time() == 0 ||
        ___tracy_begin_sampling_profiling() > 1) {
        return 1;
    }
    ___tracy_end_sampling_profiling();
    zones();
    memory();
    values();
    locks();
    gpu();
    call_0_13();
    ___tracy_fiber_enter("fiber");
    ___tracy_emit_zone_end(___tracy_emit_zone_begin(&in_fiber, 1));
    ___tracy_fiber_leave();
    ___tracy_shutdown_profiler();
    return 0;
}
