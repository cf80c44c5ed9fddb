/* SPDX-License-Identifier: MIT */
/* The C++ version of every.c: every macro once, in the kinds of function that C does not have. All names hold the word
 * "marker". */
#include "every_life.h"
#include "kymo/kymo.h"

KYMO_POOL(pool, "marker pool");
KYMO_CONTEXT(timer, "marker timer", KYMO_CONTEXT_INTERRUPT);
KYMO_PARAM(gain, "marker gain", 1, 0, 10);
namespace {
KYMO_POOL(hidden, "marker hidden");
KYMO_CONTEXT(radio, "marker radio", KYMO_CONTEXT_INTERRUPT);
KYMO_PARAM(limit, "marker limit", 1, 0, 10);
} // namespace

extern "C" {
extern volatile int sink;
volatile int sink;
/* Nothing but what vanishes: with KYMO_ENABLE 0 as long as own_nothing(). */
void own_zones(uint32_t number, void *memory);
void own_nothing(uint32_t number, void *memory);
void own_events(int number, void *memory);
void own_contexts();
void own_functions(const kymo_transport *transport, const uint64_t *values);
}

enum class Mode : uint8_t { off, on };

/* A type of its own for each function, so that there is an instance of the templates for each. */
template <class T> inline __attribute__((always_inline)) void own_inline(T value) {
    KYMO_FUNCTION();
    KYMO_ZONE("marker template");
    KYMO_PLOT("marker template plot", value);
    KYMO_MESSAGE("marker %d %s", value, KYMO_STRING("marker template constant"));
}

void own_nothing(uint32_t, void *) {}

void own_zones(uint32_t number, void *memory) {
    TWO_ZONES();
    KYMO_ZONE("marker zone");
    KYMO_ZONE_COLORED("marker coloured", 0xff0000u);
    KYMO_ZONE_NAMED(zone, "marker named");
    KYMO_ZONE_TEXT(zone, "marker text", 11u);
    KYMO_ZONE_RENAME(zone, "marker rename", 13u);
    KYMO_ZONE_VALUE(zone, number);
    KYMO_ZONE_RECOLOR(zone, 0x00ff00u);
    KYMO_BEGIN(by_hand, "marker by hand");
    KYMO_END(by_hand);
    KYMO_FUNCTION_STACK(4u);
    KYMO_ZONE_STACK("marker stack", number);
    KYMO_ZONE_NAMED_STACK(stacked, "marker named stack", 4u);
    KYMO_ZONE_VALUE(stacked, number);
    KYMO_BEGIN_STACK(by_hand_stack, "marker by hand stack", 4u);
    KYMO_END(by_hand_stack);
    KYMO_PLOT("marker plot", number);
    KYMO_PLOT_CONFIG("marker bytes", number, KYMO_PLOT_BYTES, 0u);
    KYMO_FRAME();
    KYMO_FRAME_NAMED("marker frame");
    KYMO_FRAME_START("marker piece");
    KYMO_FRAME_END("marker piece");
    KYMO_FLOW_SEND(number);
    KYMO_FLOW_STEP(number);
    KYMO_FLOW_RECEIVE(number);
    KYMO_FLOW_SEND_NAMED("marker flow", number);
    KYMO_FLOW_STEP_NAMED("marker flow", number);
    KYMO_FLOW_RECEIVE_NAMED("marker flow", number);
    KYMO_ASYNC_BEGIN("marker async", number);
    KYMO_ASYNC_END("marker async", number);
    KYMO_ASYNC_ZONE("marker async zone", number);
    KYMO_ALLOC(pool, memory, 16u);
    KYMO_FREE(hidden, memory);
    KYMO_ALLOC_STACK(hidden, memory, 16u, 4u);
    KYMO_FREE_STACK(hidden, memory, 4u);
    KYMO_OBJECT(memory, KYMO_OBJECT_TIMER, "marker timer object");
    KYMO_OBJECT_END(memory);
    KYMO_LOCK(number, "marker lock");
    KYMO_LOCK_WAIT(memory);
    KYMO_LOCK_OBTAIN(number);
    KYMO_LOCK_RELEASE(memory);
    KYMO_LOCK_WAIT_SHARED(memory);
    KYMO_LOCK_OBTAIN_SHARED(memory);
    KYMO_LOCK_RELEASE_SHARED(memory);
    KYMO_LOCK_WAIT_STACK(memory, 4u);
    KYMO_LOCK_OBTAIN_STACK(memory, 4u);
    KYMO_LOCK_END(memory);
    KYMO_APP_INFO("marker info", 11u);
    KYMO_LANE_NAME("marker lane");
    KYMO_INTERRUPT(timer);
    KYMO_INTERRUPT(radio);
}

void own_events(int number, void *memory) {
    const char *copied = static_cast<const char *>(memory);
    KYMO_MESSAGE("marker none");
    KYMO_MESSAGE("marker %d", number);
    KYMO_MESSAGE("marker %s %s", KYMO_STRING("marker constant"), copied);
    KYMO_MESSAGE("marker %d %u %ld %lu %lld %llu %c %p", number, 2u, 3l, 4ul, 5ll, 6ull, 'x',
                 memory);
    KYMO_MESSAGE_LEVEL(KYMO_LEVEL_ERROR, "marker %d", Mode::on);
    KYMO_MESSAGE_STACK(4u, "marker stack");
    KYMO_MESSAGE_STACK(4u, "marker stack %p", nullptr);
    KYMO_MESSAGE_COLORED(0x0000ffu, "marker %p", nullptr);
    KYMO_PLOT("marker mode", Mode::on);
    own_inline(number);
    const auto lambda = [number]() {
        KYMO_ZONE("marker lambda");
        sink = number;
    };
    lambda();
}

void own_contexts() {
    KYMO_TASK_PERIOD(1000u, 500u);
    (void)KYMO_CONTEXT_SWITCH(8u);
    (void)KYMO_CONTEXT_SWITCH(&timer);
    (void)KYMO_CONTEXT_SWITCH(&radio);
    kymo_interrupt_leave(kymo_interrupt_enter(reinterpret_cast<kymo_context>(&timer)));
    kymo_context_end(8u);
    sink = KYMO_PARAM_GET(gain) + KYMO_PARAM_GET(limit);
}

void own_functions(const kymo_transport *transport, const uint64_t *values) {
    const kymo_zone zone = kymo_zone_begin(&timer);
    kymo_zone_text(zone, "marker text", 11u);
    kymo_zone_name(zone, "marker rename", 13u);
    kymo_zone_value(zone, values[0]);
    kymo_zone_color(zone, 1u);
    kymo_zone_end(zone);
    kymo_frame(&timer);
    kymo_frame_start(&timer);
    kymo_frame_end(&timer);
    kymo_flow(KYMO_KIND_FLOW_SEND, &timer, 1u);
    kymo_task_period(1000u, 500u);
    kymo_plot_int(&timer, 1);
    kymo_plot_float(&timer, 1u);
    kymo_plot_double(&timer, values[0]);
#if KYMO_NAMES || !KYMO_ENABLE
    kymo_message(&timer, values);
#endif
#if !KYMO_NAMES || !KYMO_ENABLE
    kymo_message_of(&timer, 0u, values);
#endif
    kymo_alloc(&pool, values, 8u);
    kymo_free(&pool, values);
    kymo_alloc_stack(&pool, values, 16u, 4u);
    kymo_free_stack(&pool, values, 4u);
    kymo_message_stack(&timer, 0u, values, 4u);
    kymo_object_event_stack(KYMO_KIND_LOCK_WAIT, 1u, 4u);
    kymo_message_text(&timer, NULL, 1u, 4u);
    kymo_plot_config(&timer, 1u, 1u);
    kymo_memory_discard(&pool);
    kymo_memory_discard_stack(&pool, 4u);
    kymo_object_name(1u, NULL);
    kymo_lock_mark(1u, &timer);
    if (kymo_connected() && kymo_is_recording()) {
        sink = static_cast<int32_t>(kymo_clock_now());
    }
    kymo_zone_end(kymo_zone_begin_stack(&timer, 4u));
    kymo_app_info("marker info", 11u);
    kymo_object(1u, KYMO_OBJECT_TASK, "marker object", NULL);
    kymo_object_event(KYMO_KIND_OBJECT_END, 1u);
    (void)kymo_context_switch(8u);
    life_of(transport);
}
