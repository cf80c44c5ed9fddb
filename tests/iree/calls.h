/* SPDX-License-Identifier: MIT */
/* Every macro of IREE's tracing interface, in C as in C++: SAY("x") is "c x" there, "cpp x" here. */
#include "tracing.h"

#include "program.h"

static char block_a[32], block_b[32];
/* IREE's pools and plots have names that are strings, but no literals. */
static const char *const pool_name = SAY("pool by a pointer");
static const char *const plot_name = SAY("plot by a pointer");

static int zones(int fails) {
    char name[] = SAY("dynamic zone, and what is not of it");
    static const char file[] = "model.mlir, and more", function[] = "dispatch_0, and more";
    static const char text[] = "a view, and more";
    IREE_TRACE_ZONE_BEGIN(z_function);
    IREE_TRACE_ZONE_BEGIN_NAMED(z_named, SAY("named zone"));
    IREE_TRACE_ZONE_SET_COLOR(z_named, 0x102030);
    IREE_TRACE_ZONE_APPEND_VALUE_I64(z_named, -7);
    IREE_TRACE_ZONE_APPEND_VALUE_I64(z_named, 8);
    IREE_TRACE_ZONE_APPEND_TEXT(z_named, "a string");
    IREE_TRACE_ZONE_APPEND_TEXT(z_named, text, 6);
    IREE_TRACE_ZONE_BEGIN_NAMED(z_null, NULL);
    IREE_TRACE_ZONE_END(z_null);
    IREE_TRACE_ZONE_BEGIN_NAMED_DYNAMIC(z_dynamic, name, SAY_BYTES("dynamic zone"));
    IREE_TRACE_ZONE_END(z_dynamic);
    name[0] = '?'; /* it was copied */
    IREE_TRACE_ZONE_BEGIN_EXTERNAL(z_external, file, 10, 12345u, function, 10, name + 1,
                                   SAY_BYTES("dynamic") - 1u);
    IREE_TRACE_ZONE_END(z_external);
    IREE_TRACE_ZONE_BEGIN_EXTERNAL(z_unnamed, file, 10, 54321u, function, 10, NULL, 0);
    IREE_TRACE_ZONE_END(z_unnamed);
    (void)text;
    (void)file;
    (void)function;
    (void)name;
    IREE_RETURN_AND_END_ZONE_IF_ERROR(z_named, 0);
    IREE_TRACE_ZONE_END(z_named);
    IREE_RETURN_AND_END_ZONE_IF_ERROR(z_function, fails);
    IREE_RETURN_AND_END_ZONE(z_function, fails + 1);
}

static void plots(void) {
    IREE_TRACE_SET_PLOT_TYPE(SAY("plot"), IREE_TRACING_PLOT_TYPE_MEMORY, true, false, 0xff1f883du);
    IREE_TRACE_PLOT_VALUE_I64(SAY("plot"), INT64_C(-3000000000));
    IREE_TRACE_PLOT_VALUE_F32(SAY("plot of floats"), 1.5f);
    IREE_TRACE_PLOT_VALUE_F64(SAY("plot of doubles"), 2.5);
    IREE_TRACE_SET_PLOT_TYPE(plot_name, IREE_TRACING_PLOT_TYPE_PERCENTAGE, false, true, 0u);
    IREE_TRACE_PLOT_VALUE_I64(plot_name, 4);
    IREE_TRACE_PLOT_VALUE_F32(plot_name, 4.5f);
    (void)plot_name;
}

static void frames(void) {
    static const char *const by_pointer = SAY("frames by a pointer");
    IREE_TRACE_FRAME_MARK();
    IREE_TRACE_FRAME_MARK_NAMED(SAY("frames"));
    IREE_TRACE_FRAME_MARK_NAMED(by_pointer);
    IREE_TRACE_FRAME_MARK_BEGIN_NAMED(SAY("spans"));
    IREE_TRACE_FRAME_MARK_END_NAMED(SAY("spans"));
    (void)by_pointer;
}

static void messages(unsigned color) {
    char text[] = SAY("view, and more");
    const size_t length = SAY_BYTES("view");
    IREE_TRACE_MESSAGE(ERROR, SAY("error"));
    IREE_TRACE_MESSAGE(WARNING, SAY("warn") "ing, 100%s");
    IREE_TRACE_MESSAGE(INFO, SAY("info"));
    IREE_TRACE_MESSAGE(VERBOSE, SAY("verbose"));
    IREE_TRACE_MESSAGE(DEBUG, SAY("debug"));
    IREE_TRACE_MESSAGE_COLORED(0x123456, SAY("coloured"));
    IREE_TRACE_MESSAGE_COLORED(color, SAY("coloured at run time"));
    IREE_TRACE_MESSAGE_DYNAMIC(ERROR, text, length);
    IREE_TRACE_MESSAGE_DYNAMIC(DEBUG, text, length);
    IREE_TRACE_MESSAGE_DYNAMIC_COLORED(color, text, length);
    (void)color;
    (void)text;
    (void)length;
}

static void memory(void) {
    static void *const hidden = block_a;
    IREE_TRACE_ALLOC(block_a, 16);
    IREE_TRACE_FREE(iree_tracing_obscure_ptr(hidden));
    IREE_TRACE_ALLOC_NAMED(SAY("pool"), block_a, 8);
    IREE_TRACE_ALLOC_NAMED(pool_name, block_b, sizeof block_b);
    IREE_TRACE_FREE_NAMED(pool_name, block_b);
    IREE_TRACE_FREE_NAMED(SAY("pool"), block_a);
    (void)iree_tracing_obscure_ptr(hidden);
    (void)pool_name;
    (void)block_b;
}

#if (IREE_TRACING_FEATURES) & IREE_TRACING_FEATURE_FIBERS
/* Like IREE's identifiers of contexts and invocations, which are integers. */
static const char fiber_text[] = SAY("fiber");
static intptr_t fiber_id(void) { return SAY_ADDRESS(fiber_text); }
#else
static intptr_t fiber_id(void) { return 7; }
#endif

static void fibers(void) {
    IREE_TRACE_FIBER_ENTER(fiber_id());
    IREE_TRACE_ZONE_BEGIN_NAMED(z_inside, SAY("in a fiber"));
    IREE_TRACE_ZONE_END(z_inside);
    IREE_TRACE_FIBER_LEAVE();
    (void)fiber_id();
}

static void facts(void) {
    IREE_TRACE_SET_APP_INFO(SAY("app info, and more"), SAY_BYTES("app info"));
    IREE_TRACE_PUBLISH_SOURCE_FILE("/models/" SAY("model.mlir"), SAY_BYTES("/models/model.mlir"),
                                   "module {}\n", 10);
    /* The file of the zones above, from C and from C++ the same. */
    IREE_TRACE_PUBLISH_SOURCE_FILE("/models/model.mlir", 18, "module {}\n", 10);
    IREE_TRACE({
        const int kept = 1;
        IREE_TRACE_MESSAGE(INFO, SAY("traced"));
        (void)kept;
    });
}

/* Clock of the events, where IREE's own platforms have none. */
static int64_t time_now(void) { IREE_TIME_NOW_FN }

static int all_calls(void) {
    struct traced {
        int always;
        IREE_TRACE(iree_zone_id_t zone;)
    } traced;
    traced.always = 0;
    IREE_TRACE(traced.zone = 0;)
    (void)traced;
    IREE_TRACE_APP_ENTER();
    IREE_TRACE_SET_THREAD_NAME("main thread");
    const int64_t before = time_now();
    if (zones(0) != 1 || zones(5) != 5) {
        return 1;
    }
    plots();
    frames();
    messages(0x654321);
    memory();
    fibers();
    facts();
    const int64_t after = time_now();
    return before < 0 || after < before ? 2 : 0;
}
