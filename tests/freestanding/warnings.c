/* SPDX-License-Identifier: MIT */
/* Every macro and every function of kymo.h, used in every way that its comment allows, by a firmware whose own
 * warnings are errors. Only compiled. */
#ifdef WITHOUT_LIBRARY
#include <stddef.h>
void *malloc(size_t bytes);
void *realloc(void *old, size_t bytes);
void free(void *old);
#else
#include <stdlib.h>
#endif

#include "kymo/kymo.h"

KYMO_POOL(heap, "heap");
KYMO_CONTEXT(timer, "timer", KYMO_CONTEXT_INTERRUPT);
KYMO_PARAM(gain, "gain", 1, 0, 10);

enum mode { OFF, ON };
struct task {
    uint64_t words[4];
};

void zones(uint32_t number, const char *text, size_t length);
void *memory(size_t bytes);
void memory_moved(void *old, size_t bytes);
void messages(float real, const float *reals, double wide, enum mode mode, const char *text,
              char *buffer, const struct task *task, volatile int *place);
void numbers(int8_t a, uint8_t b, int16_t c, uint16_t d, int32_t e, uint32_t f, int64_t g,
             uint64_t h, bool i, char j, size_t k, long l, unsigned long m);
void plots(float real, double wide, int64_t g, uint64_t h, size_t k, bool i, uint8_t b,
           enum mode mode);
void tasks(const struct task *task, kymo_context number, int unused_value);
void handler(void);
void handler_by_hand(void);
int life(const struct kymo_transport *transport, const char *name, size_t budget);

#ifdef KYMO_COMMAND_KEY
uint64_t kymo_command_nonce(void) { return 1u; }
#endif

void zones(uint32_t number, const char *text, size_t length) {
    KYMO_FUNCTION();
    KYMO_ZONE("zone");
    KYMO_ZONE_COLORED("coloured", 0xff0000u);
    KYMO_ZONE_NAMED(never_used, "named");
    if (number > 1u) {
        KYMO_ZONE_NAMED(zone, "named");
        KYMO_ZONE_TEXT(zone, text, length);
        KYMO_ZONE_RENAME(zone, text, length);
        KYMO_ZONE_VALUE(zone, number);
        KYMO_ZONE_VALUE(zone, -1);
        KYMO_ZONE_RECOLOR(zone, 0x00ff00u + number);
        kymo_zone_text(zone, text, length);
        kymo_zone_name(zone, text, length);
        kymo_zone_value(zone, number);
        kymo_zone_color(zone, number);
    } else
        KYMO_MESSAGE("without braces");
    for (uint32_t i = 0u; i < number; i++) {
        KYMO_ZONE("in a loop");
        KYMO_FRAME();
    }
    switch (number) {
    case 0: {
        KYMO_BEGIN(by_hand, "by hand");
        KYMO_END(by_hand);
        break;
    }
    default:
        KYMO_FRAME_NAMED("frame");
        KYMO_FRAME_START("piece");
        KYMO_FRAME_END("piece");
        KYMO_FLOW_SEND(1u);
        KYMO_FLOW_STEP_NAMED("flow", UINT64_MAX);
        KYMO_ASYNC_BEGIN("async", 'a');
        KYMO_ASYNC_END("async", 1ll);
        break;
    }
    if (number > 2u) {
        KYMO_ZONE_STACK("stack", 8);
        KYMO_FUNCTION_STACK(number);
        KYMO_ZONE_NAMED_STACK(stacked, "named", 8u);
        KYMO_ZONE_VALUE(stacked, number);
        KYMO_BEGIN_STACK(by_hand_stack, "by hand", number);
        KYMO_END(by_hand_stack);
        KYMO_LOCK_WAIT_STACK(text, 4);
        KYMO_LOCK_OBTAIN_STACK(text, number);
    } else
        KYMO_MESSAGE_STACK(4, "without braces");
    KYMO_BEGIN(kept, "kept");
    kymo_zone_end(kept);
}

void *memory(size_t bytes) {
    void *fresh = malloc(bytes);
    KYMO_ALLOC(heap, fresh, bytes);
    char *other = malloc(bytes);
    if (other != NULL) {
        KYMO_ALLOC(heap, other, bytes);
    }
    free(other);
    KYMO_FREE(heap, other);
    return fresh;
}

void memory_moved(void *old, size_t bytes) {
    int local;
    KYMO_ALLOC(heap, &local, sizeof local);
    KYMO_FREE(heap, &local);
    void *moved = realloc(old, bytes);
    if (moved != NULL) {
        KYMO_FREE(heap, old);
        KYMO_ALLOC(heap, moved, bytes);
    }
    KYMO_FREE(heap, moved);
    KYMO_ALLOC_STACK(heap, &local, sizeof local, 4);
    KYMO_FREE_STACK(heap, moved, bytes < 8u ? 4u : 8u);
    free(moved);
}

void messages(float real, const float *reals, double wide, enum mode mode, const char *text,
              char *buffer, const struct task *task, volatile int *place) {
    float last = 1.0f;
    last = reals[1];
    KYMO_MESSAGE("none");
    KYMO_MESSAGE("%f %g %e %f", real, reals[0], wide, last);
    KYMO_MESSAGE("%f", real * 2.0f);
    KYMO_MESSAGE("%s %s %s %s", text, buffer, "literal", KYMO_STRING("constant"));
    KYMO_MESSAGE("%p %p", (const void *)task, (void *)buffer);
    KYMO_MESSAGE("%d %d", mode == ON, *place);
    KYMO_MESSAGE_LEVEL(KYMO_LEVEL_ERROR, "%x %d", (unsigned)mode, 7);
    KYMO_MESSAGE_COLORED(0x0000ffu, "%f", real);
    KYMO_MESSAGE_STACK(8, "%f %s", real, text);
    KYMO_MESSAGE("%d %d %d %d %d %d %d %d", 1, 2, 3, 4, 5, 6, 7, 8);
    KYMO_MESSAGE("%f %f %f %f %f %f %f", real, real, real, real, real, real, real);
}

void numbers(int8_t a, uint8_t b, int16_t c, uint16_t d, int32_t e, uint32_t f, int64_t g,
             uint64_t h, bool i, char j, size_t k, long l, unsigned long m) {
    KYMO_MESSAGE("%d %u %d %u %c", a, b, c, d, j);
    KYMO_MESSAGE("%ld %lu %lld %llu", (long)e, (unsigned long)f, (long long)g,
                 (unsigned long long)h);
    KYMO_MESSAGE("%d %zu %ld %lu", i, k, l, m);
}

void plots(float real, double wide, int64_t g, uint64_t h, size_t k, bool i, uint8_t b,
           enum mode mode) {
    KYMO_PLOT("float", real);
    KYMO_PLOT("double", wide);
    KYMO_PLOT("wide", g);
    KYMO_PLOT("unsigned", h);
    KYMO_PLOT("size", k);
    KYMO_PLOT("bool", i);
    KYMO_PLOT("byte", b);
    KYMO_PLOT("mode", mode);
    KYMO_PLOT("sum", b + 1);
    KYMO_PLOT("literal", 21);
    KYMO_PLOT_CONFIG("bytes", k, KYMO_PLOT_BYTES, 0xff00ffu);
}

void tasks(const struct task *task, kymo_context number, int unused_value) {
    kymo_context before = KYMO_CONTEXT_SWITCH(task);
    KYMO_CONTEXT_SWITCH(number);
    (void)KYMO_CONTEXT_SWITCH(0u);
    (void)KYMO_CONTEXT_SWITCH(&timer);
    kymo_context_end(number);
    kymo_context_switch(before);
    KYMO_LANE_NAME("lane");
    kymo_lane_name("lane");
    kymo_context_name((kymo_context)task, KYMO_CONTEXT_TASK, "task");
    KYMO_APP_INFO("info", 4u);
    kymo_app_info("info", 4u);
    KYMO_PLOT("used only here", unused_value);
}

void handler(void) {
    KYMO_INTERRUPT(timer);
    KYMO_ZONE("in the handler");
}

void handler_by_hand(void) {
    const kymo_context before = kymo_interrupt_enter(8u);
    kymo_clock_keepalive();
    kymo_interrupt_leave(before);
}

int life(const struct kymo_transport *transport, const char *name, size_t budget) {
    kymo_init(transport, name);
    kymo_init(NULL, "image");
    kymo_start();
    kymo_drain(64u);
    (void)kymo_drain(budget);
    kymo_print("text", 4u);
    if (!kymo_print(name, budget)) {
        kymo_stop();
    }
    kymo_finish();
    while (kymo_pending()) {
        kymo_drain(0u);
    }
    kymo_pending();
    const size_t given = kymo_drain(budget);
    return given != 0u && KYMO_PARAM_GET(gain) > 0;
}
