/* SPDX-License-Identifier: MIT */
/* The runtime on a 16550 with a real baud rate: the recorded events come out at the far end,
 * polled, or drained by the transmit interrupt, through floods, silence and single events. */
#include <string.h>

#include "cases.h"
#include "kymo/kymo.h"
#include "kymo_arch.h"
#include "model_16550.h"
#include "ns16550.h"
#include "trace.h"
#include "trace/pipeline.h"

#define BASE 0x1000u
#define CLOCK_HZ 1843200u /* of the UART, and of the board's clock */
#define BAUD 115200u
#define STEP_CYCLES 40u /* a quarter of a character */
/* The main loop calls kymo_drain() as often: 10 ms. */
#define LOOP_CYCLES (CLOCK_HZ / 100u)
/* Budget of kymo_drain() in the handler: the FIFO. */
#define BUDGET 16u
/* In one interrupt; a cause that stays after so many stays for ever. */
#define CAUSES_MAX 100u

static struct kymo_ns16550 uart;
static struct pipeline *pipeline;
static struct uart_line *const line = &model_16550.line;
static bool by_interrupt;
static bool masks; /* the main loop masks the interrupt around kymo_drain() */
static bool masked, in_handler;
static bool hung;              /* a cause stayed, whatever the handler did */
static bool receives_in_calls; /* bytes arrive while the main loop's call looks at the UART */
static uint64_t next_loop, stands_since, longest_stand;

/* Repeats until it has nothing more to do: the transmit interrupt comes again only after bytes
 * were written. */
static void handler(void) {
    unsigned causes = 0;
    in_handler = true;
    while (causes < CAUSES_MAX && kymo_ns16550_cause(&uart) != 0u) {
        while (kymo_drain(BUDGET)) {}
        causes++;
    }
    hung = hung || causes == CAUSES_MAX;
    in_handler = false;
}

static void interrupt(void) {
    if (by_interrupt && !masked && !in_handler && model_16550_interrupts()) {
        handler();
    }
}

/* Receives as many bytes as raise the interrupt. */
static uint8_t get(uintptr_t address) {
    const uint8_t value = model_16550_get(address);
    if (receives_in_calls && !in_handler && model_16550.fifo_count == 0) {
        for (unsigned i = 0; i < 8u; i++) {
            model_16550_receives(0u);
        }
        interrupt();
    }
    return value;
}

static const struct kymo_ns16550_config wiring = {
    .base = BASE,
    .clock_hz = CLOCK_HZ,
    .baud = BAUD,
    .get = get,
    .put = model_16550_put,
};

static void begin(bool interrupts) {
    static const struct pipeline_callbacks nothing = {0};
    fake_reset();
    trace_power_up();
    fake.clock_hz = CLOCK_HZ;
    model_16550_power_on(BASE, 1u, MODEL_16550_FIFO);
    assert_true(kymo_ns16550_init(&uart, &wiring));
    line->transport = kymo_ns16550_transport(&uart);
    pipeline = pipeline_new(&nothing, NULL);
    assert_non_null(pipeline);
    by_interrupt = interrupts;
    masks = true;
    masked = hung = receives_in_calls = false;
    next_loop = stands_since = longest_stand = 0;
    kymo_init(kymo_ns16550_transport(&uart), "uart");
    if (by_interrupt) {
        kymo_ns16550_interrupts(&uart, KYMO_NS16550_ON_TRANSMIT | KYMO_NS16550_ON_RECEIVE);
    }
}

/* How long the line stands still although there is something to send. */
static void watch_line(void) {
    if (!uart_line_idle(line) || !kymo_pending()) {
        stands_since = model_16550.now;
    } else if (model_16550.now - stands_since > longest_stand) {
        longest_stand = model_16550.now - stands_since;
    }
}

static void call_in_loop(void) {
    masked = masks;
    while (kymo_drain(BUDGET)) {}
    masked = false;
    interrupt();
}

static void pass(uint64_t cycles) {
    const uint64_t end = model_16550.now + cycles;
    while (model_16550.now < end) {
        model_16550_run(STEP_CYCLES);
        fake.clock = model_16550.now > fake.clock ? model_16550.now : fake.clock;
        interrupt();
        /* The main loop, which starts an idle line. */
        if (model_16550.now >= next_loop) {
            next_loop = model_16550.now + (by_interrupt ? LOOP_CYCLES : STEP_CYCLES);
            call_in_loop();
        }
        watch_line();
        assert_int_equal(pipeline_feed(pipeline, line->sent, line->sent_count), 0);
        line->sent_count = 0;
    }
}

static void record(uint32_t zones) {
    for (uint32_t i = 0; i < zones; i++) {
        KYMO_ZONE("work");
        KYMO_PLOT("level", (int32_t)i);
    }
}

static void until_sent(void) {
    for (unsigned turn = 0; kymo_pending() || !uart_line_idle(line); turn++) {
        assert_true(turn < 3000u); /* else it stalled */
        pass(LOOP_CYCLES / 10u);
    }
}

/* More than the ring and the line take, then nothing for 300 ms, single events with pauses, and
 * again. */
static uint64_t floods_and_silence(void) {
    uint64_t emitted = 0;
    for (unsigned round = 0; round < 5; round++) {
        for (unsigned i = 0; i < 200; i++) {
            record(10);
            emitted += 30;
            pass(2000u);
        }
        pass(CLOCK_HZ * 3u / 10u);
        for (unsigned i = 0; i < 20; i++) {
            record(1);
            emitted += 3;
            pass(7000u * (i + 1u));
        }
    }
    return emitted;
}

static void check_all_arrived(uint64_t emitted) {
    struct pipeline_totals totals;
    kymo_finish();
    until_sent();
    assert_int_equal(pipeline_end(pipeline), 0);
    pipeline_totals(pipeline, &totals);
    assert_true(totals.final);
    assert_int_equal(totals.emitted, emitted);
    assert_int_equal(totals.delivered + totals.lost, emitted);
    assert_int_equal(totals.lost_link, 0);
    assert_true(totals.delivered > emitted / 5u);
    assert_int_equal(totals.junk_bytes, 0);
    assert_int_equal(line->overruns, 0);
    pipeline_free(pipeline);
}

CASE(polled) {
    begin(false);
    check_all_arrived(floods_and_silence());
}

/* The line never stands still longer than events may wait for more of them, and one round of the
 * main loop. */
CASE(by_the_transmit_interrupt) {
    begin(true);
    check_all_arrived(floods_and_silence());
    assert_in_range(longest_stand, 0,
                    CLOCK_HZ / 1000u * KYMO_LATENCY_MS + 2u * LOOP_CYCLES + STEP_CYCLES);
}

/* Without the main loop's calls, events recorded in silence would stay in the ring for ever: the
 * calls are needed. */
CASE(recording_alone_does_not_start_it) {
    begin(true);
    record(1);
    pass(CLOCK_HZ * 2u);
    next_loop = UINT64_MAX;
    pass(CLOCK_HZ * 3u); /* until the transmitter has run empty */
    record(1);
    pass(CLOCK_HZ * 3u);
    assert_true(kymo_pending());
    next_loop = 0;
    pass(CLOCK_HZ);
    check_all_arrived(6);
}

/* A call that interrupts another does not read, so bytes received meanwhile wait for the outer call's end. */
CASE(what_is_received_in_a_call_waits_for_its_end) {
    for (unsigned turn = 0; turn < 2; turn++) {
        begin(true);
        masks = turn == 0;
        record(1);
        for (unsigned call = 0; call < 20; call++) {
            receives_in_calls = true;
            masked = masks;
            (void)kymo_drain(BUDGET);
            receives_in_calls = masked = false;
            interrupt();
            assert_int_equal(model_16550.overruns, 0);
        }
        assert_int_equal(hung, !masks);
        check_all_arrived(3);
    }
}
