/* SPDX-License-Identifier: MIT */
/* Uses every macro and function of kymo.h once. Compiled with KYMO_ENABLE 1 and linked with -nostdlib,
 * and with 0, where nothing of it may be left: no symbol, no section, none of the strings, which all
 * hold the word "marker". */
#include "every_life.h"
#include "kymo/kymo.h"

KYMO_POOL(pool, "marker pool");
KYMO_CONTEXT(timer, "marker timer", KYMO_CONTEXT_INTERRUPT);
KYMO_PARAM(gain, "marker gain", 1, 0, 10);

volatile int sink;

void every_zone(uint32_t number);
void every_event(int number, void *memory);
#ifdef KYMO_COMMAND_KEY
uint64_t kymo_command_nonce(void) { return 1u; }
#endif

void every_life(const struct kymo_transport *transport);
void every_function(const uint64_t *values);
void handler(void);

void every_zone(uint32_t number) {
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
}

void every_event(int number, void *memory) {
    const char *copied = memory;
    KYMO_MESSAGE("marker none");
    KYMO_SIGNPOST("marker", "%d", number);
    KYMO_MESSAGE("marker %d", number);
    KYMO_MESSAGE("marker %s %s", KYMO_STRING("marker constant"), copied);
    KYMO_MESSAGE("marker %d %u %ld %lu %lld %llu %c %p", number, 2u, 3l, 4ul, 5ll, 6ull, 'x',
                 memory);
    KYMO_MESSAGE_LEVEL(KYMO_LEVEL_ERROR, "marker %x", (unsigned)number);
    KYMO_MESSAGE_STACK(4u, "marker stack");
    KYMO_MESSAGE_STACK(4u, "marker stack %d", number);
    KYMO_MESSAGE_COLORED(0x0000ffu, "marker %d %d %d", number, number, number);
    KYMO_PLOT("marker plot", number);
    KYMO_PLOT_CONFIG("marker bytes", (uint64_t)1, KYMO_PLOT_BYTES, 0u);
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
    KYMO_ALLOC(pool, memory, 16u);
    KYMO_FREE(pool, memory);
    KYMO_ALLOC_STACK(pool, memory, 16u, 4u);
    KYMO_FREE_STACK(pool, memory, 4u);
    KYMO_OBJECT(memory, KYMO_OBJECT_QUEUE, "marker queue");
    KYMO_OBJECT_END(memory);
    KYMO_LOCK(memory, "marker lock");
    KYMO_LOCK_WAIT(memory);
    KYMO_LOCK_OBTAIN(memory);
    KYMO_LOCK_RELEASE(memory);
    KYMO_LOCK_WAIT_SHARED(memory);
    KYMO_LOCK_OBTAIN_SHARED(memory);
    KYMO_LOCK_RELEASE_SHARED(memory);
    KYMO_LOCK_WAIT_STACK(memory, 4u);
    KYMO_LOCK_OBTAIN_STACK(memory, 4u);
    KYMO_LOCK_END(memory);
    KYMO_APP_INFO("marker info", 11u);
    KYMO_LANE_NAME("marker lane");
    KYMO_TASK_PERIOD(1000u, 500u);
    (void)KYMO_CONTEXT_SWITCH(8u);
    (void)KYMO_CONTEXT_SWITCH(&timer);
    kymo_context_end(8u);
    sink = KYMO_PARAM_GET(gain);
}

/* Calls the functions that the macros call. Any site does. */
void every_function(const uint64_t *values) {
    kymo_object(1u, KYMO_OBJECT_TASK, "marker object", NULL);
    kymo_object_event(KYMO_KIND_OBJECT_END, 1u);
    const kymo_zone zone = kymo_zone_begin(&timer);
    kymo_zone_text(zone, "marker text", 11u);
    kymo_zone_name(zone, "marker rename", 13u);
    kymo_zone_value(zone, values[0]);
    kymo_zone_color(zone, 1u);
    kymo_zone_end(zone);
    kymo_frame(&timer);
    kymo_frame_start(&timer);
    kymo_frame_end(&timer);
    kymo_flow(KYMO_KIND_FLOW_SEND, &timer, values[0]);
    kymo_task_period(1000u, 500u);
    kymo_plot_int(&timer, 1);
    kymo_plot_float(&timer, 1u);
    kymo_plot_double(&timer, values[0]);
    kymo_message(&timer, values);
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
        sink = (int32_t)kymo_clock_now();
    }
    kymo_zone_end(kymo_zone_begin_stack(&timer, 4u));
    kymo_app_info("marker info", 11u);
    kymo_interrupt_leave(kymo_interrupt_enter((kymo_context)&timer));
    (void)kymo_context_switch((kymo_context)&timer);
}

void handler(void) {
    KYMO_INTERRUPT(timer);
    sink = 1;
}

void every_life(const struct kymo_transport *transport) { life_of(transport); }
