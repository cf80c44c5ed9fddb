/* SPDX-License-Identifier: MIT */
/* A smallest image with chosen features of the recorder, for its size: FEATURES is a sum of these. */
#include "kymo/kymo.h"

#define ZONES 1
#define MESSAGES 2
#define PLOTS 4
#define FRAMES 8
#define MEMORY 16
#define CONTEXTS 32
#define PARAMETERS 64
#define DRAIN 128

#if FEATURES & MEMORY
KYMO_POOL(pool, "pool");
#endif
#if FEATURES & CONTEXTS
KYMO_CONTEXT(timer, "timer", KYMO_CONTEXT_INTERRUPT);
#endif
#if FEATURES & PARAMETERS
KYMO_PARAM(gain, "gain", 1, 0, 10);
#endif

void _start(void);
void use(int value);

static size_t give(void *context, const uint8_t *bytes, size_t length) {
    (void)context;
    for (size_t i = 0; i < length; i++) {
        *(volatile uint8_t *)0x10000000u = bytes[i];
    }
    return length;
}

static size_t take(void *context, uint8_t *bytes, size_t length) {
    (void)context;
    (void)length;
    bytes[0] = *(volatile uint8_t *)0x10000000u;
    return 1u;
}

void use(int value) {
    (void)value;
#if FEATURES & ZONES
    KYMO_ZONE("zone");
#endif
#if FEATURES & MESSAGES
    KYMO_MESSAGE("value %d", value);
#endif
#if FEATURES & PLOTS
    KYMO_PLOT("plot", value);
#endif
#if FEATURES & FRAMES
    KYMO_FRAME();
#endif
#if FEATURES & MEMORY
    KYMO_ALLOC(pool, &value, 4u);
    KYMO_FREE(pool, &value);
#endif
#if FEATURES & CONTEXTS
    KYMO_INTERRUPT(timer);
#endif
#if FEATURES & PARAMETERS
    *(volatile int32_t *)0x10000004u = KYMO_PARAM_GET(gain);
#endif
}

#ifdef KYMO_COMMAND_KEY
uint64_t kymo_command_nonce(void) { return *(volatile uint32_t *)0x10000008u; }
#endif

void _start(void) {
    static const struct kymo_transport transport = {.write = give, .read = take};
    (void)transport;
    for (;;) {
        use(1);
#if FEATURES & DRAIN
        kymo_init(&transport, "size");
        (void)kymo_drain(0u);
#endif
    }
}
