/* SPDX-License-Identifier: MIT */
/* Counts the instructions of each call of kymo_drain(), on the emulator's serial port, over floods of every kind of
 * packet and event: prints a line "WHAT CALLS LONGEST" for each, instructions an event, those of a call beyond its
 * charge, and thousandths of a byte an event. The transport's instructions are not counted. */
#include "../print.h"
#include "kymo/arch.h"
#include "kymo/devices.h"
#include "kymo/kymo.h"
#include "ring/callstack.h"
#include "ring/lane.h"
#include "send/link.h"

#define UART ((volatile uint8_t *)0x10000000u)

uint64_t measure(uintptr_t *result, void (*function)(void), uintptr_t a, uintptr_t b, uintptr_t c);
void nothing(void);
int main(void);

static uint64_t instructions(void) {
    uint64_t count;
    __asm__ volatile("rdinstret %0" : "=r"(count));
    return count;
}

static void put_char(char character) { *UART = (uint8_t)character; }

/* ---- the transport ---- */

static uint64_t outside; /* instructions in it, in this call */
static size_t takes;     /* bytes in a call */
static uint64_t sent;
static uint32_t pings; /* that come yet */

static size_t line_write(void *context, const uint8_t *bytes, size_t length) {
    const uint64_t from = instructions();
    const size_t taken = length < takes ? length : takes;
    (void)context;
    (void)bytes;
    sent += taken;
    outside += instructions() - from;
    return taken;
}

/* The example of WIRE.md, section 9.12, so many times. */
static size_t line_read(void *context, uint8_t *bytes, size_t length) {
    static const uint8_t ping[] = {0x02, 0x95, 0x0d, 0x88, 0x77, 0x66, 0x55, 0x44,
                                   0x33, 0x22, 0x11, 0x9c, 0x05, 0x1e, 0xbc, 0x00};
    static size_t at;
    const uint64_t from = instructions();
    size_t count = 0u;
    (void)context;
    while (count < length && pings != 0u) {
        bytes[count++] = ping[at++];
        if (at == sizeof ping) {
            at = 0u;
            pings--;
        }
    }
    outside += instructions() - from;
    return count;
}

/* ---- measurement ---- */

static uint64_t overhead; /* of the measurement itself */
static uint64_t all_calls, all_longest;

static struct {
    uint64_t calls, longest, total;
    int64_t excess; /* counted minus charged instructions */
} counted;

static bool drain(void) {
    uintptr_t result = 0u;
    outside = 0u;
    const uint64_t count =
        measure(&result, (void (*)(void))kymo_drain, 0u, 0u, 0u) - overhead - outside;
    const int64_t charged = KYMO_DRAIN_INSTRUCTIONS - kymo_link.out.work;
    counted.excess =
        (int64_t)count - charged > counted.excess ? (int64_t)count - charged : counted.excess;
    counted.calls++;
    counted.total += count;
    counted.longest = count > counted.longest ? count : counted.longest;
    return (uint8_t)result != 0u;
}

static void begin(void) {
    counted.calls = counted.longest = counted.total = 0u;
    counted.excess = -1000000;
    sent = 0u;
}

static void end(const char *what, uint64_t units) {
    all_calls += counted.calls;
    all_longest = counted.longest > all_longest ? counted.longest : all_longest;
    print_text(what);
    print_number(counted.calls);
    print_number(counted.longest);
    print_number(units != 0u ? counted.total / units : 0u);
    print_number((uint64_t)(counted.excess > 0 ? counted.excess : 0));
    print_number(units != 0u ? sent * 1000u / units : 0u);
    print_text("\n");
}

/* ---- floods ---- */

#define MANY_(number, line)                                                                        \
    KYMO_SITE_DEFINE_GLOBAL(site_##line##_##number, KYMO_SITE_ZONE,                                \
                            "a zone with a name of some length, number " #number, 0u, 0u, NULL)
#define MANY(number) MANY_(number, x)
MANY(0);
MANY(1);
MANY(2);
MANY(3);
MANY(4);
MANY(5);
MANY(6);
MANY(7);
MANY(8);
MANY(9);
MANY(10);
MANY(11);
MANY(12);
MANY(13);
MANY(14);
MANY(15);
MANY(16);
MANY(17);
MANY(18);
MANY(19);
MANY(20);
MANY(21);
MANY(22);
MANY(23);
MANY(24);
MANY(25);
MANY(26);
MANY(27);
MANY(28);
MANY(29);
MANY(30);
MANY(31);
MANY(32);
MANY(33);
MANY(34);
MANY(35);
MANY(36);
MANY(37);
MANY(38);
MANY(39);
static const struct kymo_site *const many[] = {
    &site_x_0,  &site_x_1,  &site_x_2,  &site_x_3,  &site_x_4,  &site_x_5,  &site_x_6,  &site_x_7,
    &site_x_8,  &site_x_9,  &site_x_10, &site_x_11, &site_x_12, &site_x_13, &site_x_14, &site_x_15,
    &site_x_16, &site_x_17, &site_x_18, &site_x_19, &site_x_20, &site_x_21, &site_x_22, &site_x_23,
    &site_x_24, &site_x_25, &site_x_26, &site_x_27, &site_x_28, &site_x_29, &site_x_30, &site_x_31,
    &site_x_32, &site_x_33, &site_x_34, &site_x_35, &site_x_36, &site_x_37, &site_x_38, &site_x_39};
#define MANY_COUNT (sizeof many / sizeof many[0])

/* Two of 200 characters, which are cut. */
#define TEN "0123456789"
#define HUNDRED TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN
KYMO_SITE_DEFINE_GLOBAL(long_one, KYMO_SITE_ZONE, HUNDRED HUNDRED, 0x123456u, 0u, NULL);
KYMO_SITE_DEFINE_GLOBAL(long_two, KYMO_SITE_STRING, HUNDRED HUNDRED, 0xffffffffu, 0xffffffffu,
                        NULL);
KYMO_PARAM(gain, "gain", 5, -10, 10);
KYMO_CONTEXT(timer, "timer", KYMO_CONTEXT_INTERRUPT);
KYMO_POOL(pool, "pool");

/* A program with very many parameters. */
#ifdef PARAMS_384
#define PARAM_(number, more)                                                                       \
    KYMO_PARAM(param_##number##more, "a parameter " #number #more, 5, -10, 10);
#define PARAM(number, more) PARAM_(number, more)
#define PARAMS_8(n)                                                                                \
    PARAM(n, 0) PARAM(n, 1) PARAM(n, 2) PARAM(n, 3) PARAM(n, 4) PARAM(n, 5) PARAM(n, 6) PARAM(n, 7)
#define PARAMS_64(n)                                                                               \
    PARAMS_8(n##0)                                                                                 \
    PARAMS_8(n##1)                                                                                 \
    PARAMS_8(n##2)                                                                                 \
    PARAMS_8(n##3) PARAMS_8(n##4) PARAMS_8(n##5) PARAMS_8(n##6) PARAMS_8(n##7)
PARAMS_64(p)
PARAMS_64(q)
PARAMS_64(r)
PARAMS_64(s)
PARAMS_64(t)
PARAMS_64(u)
#endif

static uint64_t random_state = 0x9e3779b97f4a7c15u;

static uint32_t any(void) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint32_t)random_state;
}

/* A number of any length. */
static uint32_t number(void) { return any() >> any() % 32u; }

static void record_zones(void) {
    const kymo_zone outer = kymo_zone_begin(many[0]);
    const kymo_zone inner = kymo_zone_begin(many[1]);
    kymo_zone_end(inner);
    kymo_zone_end(outer);
}

/* One core writes all lanes in turn. */
static void next_lane(void) {
#if KYMO_LANE_NUMBER == 1
    static uintptr_t lane;
    lane = (lane + 1u) % KYMO_LANES;
    __asm__ volatile("mv tp, %0" ::"r"(kymo_lane_of(lane)));
#endif
}

static uint64_t events_sent(void) {
    uint64_t events = 0u;
    for (uint32_t i = 0u; i < KYMO_LANES; i++) {
        events += kymo_lanes[i].events;
    }
    return events;
}

#if KYMO_DEVICES
/* 64 devices of 5 cores, and what some of them record. */
#define DEVICES 320u
static void record_devices(void) {
    static const char *const names[] = {
        "a site of a device, whose name is as long as one may be, 64 bytes"};
    static struct kymo_device_row rows[DEVICES];
    static uint64_t blocks[DEVICES][64];
    static uint32_t announced;
    for (; announced < DEVICES; announced++) {
        struct kymo_device_row *row = &rows[announced];
        row->block = (struct kymo_device_block *)(void *)blocks[announced];
        row->bytes = sizeof blocks[0];
        row->device = "the longest name of one.";
        row->core = "a core with a long name.";
        row->x = row->y = 0xffffffffu;
        row->clock_hz = 0xffffffffu;
        row->sites = KYMO_DEVICE_NAMES_SENT;
        row->names = names;
        row->name_count = 1u;
        kymo_device_start(row->block, row->bytes);
        kymo_device(row);
    }
    struct kymo_device_row *const row = &rows[any() % DEVICES];
    for (uint32_t i = any() % 64u; i != 0u; i--) {
        (void)kymo_device_record(row->block, 8u, number(), number());
    }
    kymo_device_clock_pair(row, number(), ~UINT64_C(0) - number(), ~UINT64_C(0));
}
#endif

/* Rare things: long stacks, large things, names made at run time, changes of the clock. */
static void record_rare(void) {
#if KYMO_CALLSTACKS
    static struct kymo_callstack stack;
    uintptr_t address[KYMO_CALLSTACKS];
    for (uint32_t i = 0u; i < KYMO_CALLSTACKS; i++) {
        address[i] = (uintptr_t)number() << number() % 32u;
    }
    const uint32_t word = number();
    const struct kymo_long event = {KYMO_KIND_PLOT_INT, (uint32_t)(uintptr_t)many[0], 1u, &word};
    stack.count = kymo_callstack_put(stack.word, address, any() % 2u != 0u ? KYMO_CALLSTACKS : 1u);
    (void)kymo_callstack_record(&stack, &event);
#endif
#if KYMO_LARGE
    static struct kymo_large larges[KYMO_LARGE];
    for (uint32_t i = 0u; i < KYMO_LARGE; i++) {
        if (kymo_large_state(&larges[i]) == KYMO_LARGE_WAITING) {
            continue;
        }
        larges[i].bytes = many;
        larges[i].length = any() % (uint32_t)sizeof many;
        larges[i].name = "a large thing with a name of some length";
        (void)kymo_large_send(&larges[i]);
    }
#endif
#if KYMO_DYNAMIC_SITES
    static char name[] = "a zone that is made at run time, number ....";
    for (uint32_t i = 1u; i <= 4u; i++) {
        name[sizeof name - 1u - i] = (char)('a' + any() % 26u);
    }
    static struct kymo_site_text text = {
        .name = name, .name_bytes = sizeof name - 1u, .kind = KYMO_SITE_ZONE};
    kymo_zone_end(kymo_zone_begin(kymo_site_dynamic(&text)));
#endif
#if KYMO_DEVICES
    record_devices();
#endif
#if KYMO_CLOCK_CHANGES
    kymo_clock_rate(10000000u + any() % 1000u);
#endif
}

/* All places in turn by chance: each is sought among all slots, and defined again. */
static void record_everywhere(void) {
    static char text[200];
    const uint64_t value = number() | (uint64_t)number() << 32;
    const uint32_t what = any() % 11u;
    next_lane();
    for (uint32_t wait = any() % 200u; wait != 0u; wait--) {
        (void)instructions();
    }
    if (what < 5u) {
        kymo_zone_end(kymo_zone_begin(many[any() % MANY_COUNT]));
    } else if (what == 5u) {
        kymo_plot_int(many[any() % MANY_COUNT], (int64_t)value);
    } else if (what == 6u) {
        KYMO_MESSAGE("value %llu, counter %u", (unsigned long long)value, number());
    } else if (what == 7u) {
        kymo_alloc(&pool, (const void *)(uintptr_t)value, number());
    } else if (what == 8u) {
        record_rare();
    } else if (what == 9u) {
        kymo_interrupt_leave(kymo_interrupt_enter((kymo_context)&timer));
    } else {
        for (uint32_t i = 0u; i < sizeof text; i++) {
            text[i] = (char)(any() | 1u);
        }
        kymo_app_info(text, sizeof text);
    }
}

/* Until so many bytes have left. */
static void flood(const char *what, void (*record)(void), uint64_t bytes, uint32_t each) {
    begin();
    const uint64_t before = events_sent();
    while (sent < bytes) {
        for (uint32_t i = 0u; i < each; i++) {
            record();
        }
        (void)drain();
    }
    end(what, events_sent() - before);
}

static void drain_all(void) {
    while (kymo_pending()) {
        (void)drain();
    }
}

uint64_t kymo_command_nonce(void) { return 1u; }

/* Fills the ring and sends everything, again and again: instructions an event. */
static void send_all(const char *what, void (*record)(void), uint32_t each) {
    begin();
    const uint64_t before = events_sent();
    for (uint32_t turn = 0u; turn < 100u; turn++) {
        for (uint32_t i = 0u; i < each && kymo_lanes[0].lost == 0u; i++) {
            record();
        }
        while (drain()) {}
    }
    end(what, events_sent() - before);
}

/* One at a time: from the call that reads it to the one that has nothing more to send. */
static void answer_pings(void) {
    const uint32_t count = 100u;
    while (drain()) {}
    begin();
    for (uint32_t i = 0u; i < count; i++) {
        pings = 1u;
        while (drain() || pings != 0u) {}
    }
    end("pings, each answered", count);
}

int main(void) {
    static const struct kymo_transport transport = {.write = line_write, .read = line_read};
    uintptr_t result = 0u;
    overhead = measure(&result, nothing, 0u, 0u, 0u) - 2u; /* nothing: the jump and the return */

    next_lane();
    takes = 16u;
    begin();
    kymo_init(&transport,
              "a program with a name of some length, of which sixty-four characters go out");
    kymo_lane_name("main loop of the firmware");
    drain_all();
    end("session, sites, params", 0u);
    takes = SIZE_MAX;
    send_all("two zones, without a loss", record_zones, 60u);
    takes = 16u;
    flood("events of two zones", record_zones, 20000u, 4u);
    flood("events of every kind", record_everywhere, 60000u, 2u);
    takes = 1u;
    flood("the same, a slow line", record_everywhere, 10000u, 1u);
    takes = SIZE_MAX;
    flood("the same, a fast line", record_everywhere, 60000u, 2u);
    pings = UINT32_MAX;
    flood("with commands", record_everywhere, 60000u, 2u);
    pings = 0u;
    drain_all();
    answer_pings();
    begin();
    for (uint32_t i = 0u; i < 20u; i++) {
        while (!kymo_print(HUNDRED HUNDRED HUNDRED, 300u)) {
            record_zones();
            (void)drain();
        }
    }
    drain_all();
    end("text", 0u);
    begin();
    kymo_finish();
    drain_all();
    end("final status", 0u);
    begin();
    for (uint32_t i = 0u; i < 100u; i++) {
        (void)drain();
    }
    end("nothing to do", 100u);
    print_text("all");
    print_number(all_calls);
    print_number(all_longest);
    print_text("\n");
    return 0;
}
