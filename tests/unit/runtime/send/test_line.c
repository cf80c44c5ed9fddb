/* SPDX-License-Identifier: MIT */
/* A flooded UART: a line of 921 600 baud with a FIFO of 16 bytes, on a core of 100 MHz that takes one tick an
 * instruction. A call of kymo_drain() takes the ticks that it charges itself, which bench.drain compares with
 * the cost on a core. The line must not idle while events wait, from any caller, and no event may wait for ever. */
#include "cases.h"
#include "kymo_arch.h"
#include "ring/ring.h"
#include "send/link.h"
#include "trace.h"

#define HZ 100000000u
#define BYTE_TICKS (10u * HZ / 921600u)
#define FIFO_BYTES 16u
#define SECOND ((uint64_t)HZ)
#define TICK (HZ / 1000u)

static struct trace trace;
static struct kymo_transport transport;

static struct {
    uint64_t empty_at; /* when the last byte in the FIFO is out */
    uint64_t bytes;
    size_t fifo_bytes;
    bool raises; /* interrupts when it runs empty, once after each written byte */
    bool armed;
    uint32_t instruction_ticks; /* of the core */
    bool runs_empty_meanwhile;  /* while the firmware's own call looks for received bytes */
    uint64_t calls;
    uint64_t longest;      /* stay in the handler */
    size_t received;       /* which the UART holds */
    int32_t work_at_write; /* which a call had left at its first one */
} line;

static size_t line_write(void *context, const uint8_t *bytes, size_t length) {
    line.work_at_write = line.work_at_write != 0 ? line.work_at_write : kymo_link.out.work;
    const uint64_t left = line.empty_at > fake.clock ? line.empty_at - fake.clock : 0u;
    const size_t used = (size_t)((left + BYTE_TICKS - 1u) / BYTE_TICKS);
    const size_t room = used < line.fifo_bytes ? line.fifo_bytes - used : 0u;
    const size_t taken = trace.transport.write(context, bytes, length < room ? length : room);
    line.empty_at = fake.clock + left + taken * BYTE_TICKS;
    line.bytes += taken;
    line.armed = line.armed || taken != 0u;
    return taken;
}

/* Like a 16550: switched on again, the interrupt is raised if the FIFO is empty. */
static void line_again(void *context) {
    (void)context;
    line.armed = line.armed || line.empty_at <= fake.clock;
}

static void serve(void);

static size_t line_read(void *context, uint8_t *bytes, size_t length) {
    const size_t taken = length < line.received ? length : line.received;
    (void)context;
    for (size_t i = 0u; i < taken; i++) {
        bytes[i] = 0u;
    }
    line.received -= taken;
    if (line.runs_empty_meanwhile) {
        line.runs_empty_meanwhile = false;
        fake.clock = line.empty_at > fake.clock ? line.empty_at : fake.clock;
        serve();
    }
    return taken;
}

static bool drain(void) {
    kymo_link.out.work = KYMO_DRAIN_INSTRUCTIONS; /* where it did nothing at all */
    const bool moved = kymo_drain(0u);
    fake.clock += (uint64_t)(KYMO_DRAIN_INSTRUCTIONS - kymo_link.out.work) * line.instruction_ticks;
    line.calls++;
    return moved;
}

/* The transmit interrupt, as doc/your-own-board.md has it: a call. */
static void serve(void) {
    while (line.raises && line.armed && line.empty_at <= fake.clock) {
        const uint64_t from = fake.clock;
        line.armed = false;
        (void)drain();
        line.longest = fake.clock - from > line.longest ? fake.clock - from : line.longest;
    }
}

/* The firmware works, and is interrupted. */
static void work(uint64_t ticks) {
    const uint64_t end = fake.clock + ticks;
    while (line.raises && line.armed && line.empty_at < end) {
        fake.clock = line.empty_at > fake.clock ? line.empty_at : fake.clock;
        serve();
    }
    fake.clock = end > fake.clock ? end : fake.clock;
    serve();
}

static uint32_t random_state = 1u;

/* Two zones and a value, at times that differ: about 1.4 bytes an event. */
static void record(uint32_t times) {
    for (uint32_t i = 0u; i < times; i++) {
        random_state = random_state * 1664525u + 1013904223u;
        KYMO_ZONE("outer");
        fake.clock += random_state >> 25;
        {
            KYMO_ZONE("inner");
            fake.clock += random_state >> 26;
            KYMO_PLOT("value", (int32_t)(random_state >> 20));
        }
    }
}

FIXTURE(set_up) {
    fake_reset();
    fake.clock_hz = HZ;
    fake.clock = SECOND;
    trace_power_up();
    trace_init(&trace);
    line.empty_at = line.bytes = line.calls = line.longest = 0u;
    line.raises = line.armed = false;
    line.runs_empty_meanwhile = false;
    line.instruction_ticks = 1u;
    line.fifo_bytes = FIFO_BYTES;
    transport = trace.transport;
    transport.write = line_write;
    transport.read = NULL;
    kymo_init(&transport, "line");
    return 0;
}

static void raise_interrupts(void) {
    line.raises = true;
    transport.again = line_again;
}

/* Percent of the time that the line was busy. */
static uint64_t busy_share(uint64_t from) {
    return line.bytes * BYTE_TICKS * 100u / (fake.clock - from);
}

static void check_flood(uint64_t from, const char *by) {
    const uint64_t share = busy_share(from);
    print_message("%s: %llu bytes in %llu calls, busy for %llu %% of the time\n", by,
                  (unsigned long long)line.bytes, (unsigned long long)line.calls,
                  (unsigned long long)share);
    assert_true(kymo_lanes[0].lost != 0u || trace.lane[0].lost != 0u); /* it is a flood */
    assert_in_range(share, 95u, 100u);
}

/* For a second the transmit interrupt drains, and so does a main loop of that length. */
static void flood_by_interrupt(uint32_t loop_ticks, const char *name) {
    const uint64_t from = fake.clock;
    raise_interrupts();
    while (fake.clock - from < SECOND) {
        record(40u);
        work(loop_ticks);
        (void)drain();
    }
    check_flood(from, name);
    assert_in_range(line.longest, 1u, 10000u);
}

CASE(by_the_transmit_interrupt_and_the_loop, set_up) {
    flood_by_interrupt(24000u, "interrupt and loop");
}

/* A core that makes a byte in half the time that the line takes for it: each call makes less than the FIFO holds, and
 * between two interrupts is one call. */
CASE(by_the_transmit_interrupt_of_a_slow_core, set_up) {
    line.instruction_ticks = 4u;
    flood_by_interrupt(60000u, "interrupt of a slow core");
}

/* The interrupt comes while another call is under way, and not again. */
CASE(an_interrupt_within_a_call_is_made_up_for, set_up) {
    transport.read = line_read;
    record(400u);
    while (kymo_link.out.ready < 4u * FIFO_BYTES) {
        (void)drain();
    }
    raise_interrupts();
    line.runs_empty_meanwhile = true;
    (void)drain();
    assert_false(line.runs_empty_meanwhile);
    assert_true(line.empty_at > fake.clock);
}

/* Events come after a silence: a single call starts the line, although hardly a byte is ready yet. */
CASE(one_call_after_a_silence_is_enough, set_up) {
    raise_interrupts();
    while (drain()) {}
    work(TICK);
    const uint64_t before = line.bytes;
    line.armed = false;
    record(60u);
    (void)drain();
    assert_in_range(line.bytes - before, 0u, FIFO_BYTES);
    work(TICK * 20u);
    assert_true(line.bytes - before > 254u);
}

/* The loop has nothing else to do. */
CASE(by_the_loop_alone, set_up) {
    const uint64_t from = fake.clock;
    while (fake.clock - from < SECOND) {
        record(10u);
        while (drain()) {}
    }
    check_flood(from, "loop");
}

/* A handler that drains until there is nothing to do ends once the FIFO is full, although events go on waiting. */
CASE(a_call_says_that_the_line_is_full, set_up) {
    record(400u);
    while (drain()) {}
    for (uint32_t turn = 0u; turn < 200u; turn++) {
        const uint64_t before = line.calls;
        fake.clock = line.empty_at > fake.clock ? line.empty_at : fake.clock;
        record(10u);
        while (drain()) {}
        assert_in_range(line.calls - before, 1u, 6u);
    }
    assert_in_range(line.calls, 200u, 290u);
}

/* The next bytes are with the line before more are made: it waits for no more than a call's begin. */
CASE(what_is_ready_goes_first, set_up) {
    record(400u);
    while (kymo_link.out.ready < 2u * FIFO_BYTES) {
        (void)drain();
    }
    fake.clock = line.empty_at > fake.clock ? line.empty_at : fake.clock;
    line.work_at_write = 0;
    (void)drain();
    assert_in_range(line.work_at_write,
                    KYMO_DRAIN_INSTRUCTIONS - KYMO_WORK_CALL - KYMO_WORK_GIVE -
                        KYMO_WORK_LANE * KYMO_LANES,
                    KYMO_DRAIN_INSTRUCTIONS);
}

/* Otherwise, bytes that arrive before the next call would find a full FIFO. */
CASE(a_call_reads_all_that_is_received, set_up) {
    transport.read = line_read;
    line.received = FIFO_BYTES;
    (void)drain();
    assert_int_equal(line.received, 0);
}

/* The transmit interrupt drains, and a tick starts it again when there was nothing to send. */
CASE(what_comes_after_a_silence_is_sent, set_up) {
    uint64_t recorded = 0u;
    raise_interrupts();
    for (uint32_t turn = 0u; turn < 1000u; turn++) {
        if (turn % 250u == 0u) {
            record(5u);
            recorded += 25u;
        }
        work(TICK);
        (void)drain();
    }
    assert_int_equal(trace.lane[0].events, recorded);
}

/* ---- doc/your-own-board.md, "How large a ring": 20 000 zones a second for 10 ms, four ways to drain ---- */

#define BURST_EVENTS 400u
#define BURST_TICKS (10u * TICK)
#define DMA_BYTES 512u
/* The page's numbers: hundredths of a byte an event, instructions of an event, bytes of the ring for one. */
#define EVENT_CENTIBYTES 170u
#define EVENT_INSTRUCTIONS 350u
#define EVENT_RING_BYTES 8u

struct way {
    const char *by;
    size_t fifo_bytes;
    uint64_t period; /* from one drain to the next */
    uint64_t ticks;  /* which the firmware leaves for it there; 0: until there is nothing to do */
    bool interrupts;
};

static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* The events of the burst that line, FIFO and processor take. */
static uint64_t taken_by(const struct way *way) {
    const uint64_t drains = BURST_TICKS / way->period;
    const uint64_t by_line = (uint64_t)BURST_TICKS * 100u / (BYTE_TICKS * EVENT_CENTIBYTES);
    const uint64_t by_fifo = drains * way->fifo_bytes * 100u / EVENT_CENTIBYTES;
    const uint64_t by_processor =
        (way->ticks != 0u ? drains * way->ticks : BURST_TICKS) / EVENT_INSTRUCTIONS;
    return least(least(by_line, way->interrupts ? by_line : by_fifo), by_processor);
}

static uint64_t ring_bytes_for(const struct way *way) {
    /* The drain waits for the zone under way, and an interrupt until the FIFO has sent its events. */
    const uint64_t late = 2u + (way->interrupts ? way->fifo_bytes * 100u / EVENT_CENTIBYTES : 0u);
    const uint64_t between = BURST_EVENTS * way->period / BURST_TICKS + late;
    return EVENT_RING_BYTES * (between + BURST_EVENTS - least(taken_by(way), BURST_EVENTS));
}

static void drain_as(const struct way *way) {
    const uint64_t end = fake.clock + way->ticks;
    while (drain() && (way->ticks == 0u || fake.clock < end)) {}
}

static void burst_zone(uint64_t ticks) {
    KYMO_ZONE("burst");
    work(ticks);
}

/* Returns the most that the ring held. */
static uint32_t burst_by(const struct way *way) {
    const uint64_t from = fake.clock;
    uint64_t next = from + way->period;
    uint32_t most = 0u;
    if (way->interrupts) {
        raise_interrupts();
    }
    for (uint32_t i = 0u; i < BURST_EVENTS / 2u; i++) {
        random_state = random_state * 1664525u + 1013904223u;
        const uint64_t begin = from + (uint64_t)i * BURST_TICKS / (BURST_EVENTS / 2u);
        work(begin > fake.clock ? begin - fake.clock : 0u);
        burst_zone(500u + (random_state >> 22));
        const uint32_t used = kymo_ring_used_bytes(&kymo_lanes[0]);
        most = used > most ? used : most;
        if (fake.clock >= next) {
            next += way->period;
            drain_as(way);
        }
    }
    return most;
}

static void check_way(const struct way *way, uint32_t phase) {
    line.fifo_bytes = way->fifo_bytes;
    random_state = phase;
    fake.clock += phase * TICK / 8u;
    burst_zone(500u);
    for (uint32_t turn = 0u; turn < 100u; turn++) { /* session and names are out */
        (void)drain();
        work(TICK);
    }
    const uint32_t most = burst_by(way);
    const uint64_t enough = ring_bytes_for(way);
    print_message("%s: the ring held %u bytes of %llu\n", way->by, most,
                  (unsigned long long)enough);
    assert_in_range(most, 1u, enough);
    assert_in_range(enough, 1u, KYMO_RING_BYTES - 8u);
    (void)trace_finish(&trace);
    assert_int_equal(trace.lane[0].lost, 0);
    assert_int_equal(trace.lane[0].events, BURST_EVENTS + 2u);
}

CASE(the_ring_of_the_page) {
    static const struct way ways[] = {
        {"transmit interrupt, and each 2 ms", FIFO_BYTES, 2u * TICK, 0u, true},
        {"DMA, started each 2 ms", DMA_BYTES, 2u * TICK, 0u, false},
        {"FIFO of 16 bytes, filled each 2 ms", FIFO_BYTES, 2u * TICK, 0u, false},
        {"DMA, a twentieth of the processor", DMA_BYTES, TICK, TICK / 20u, false},
    };
    for (uint32_t phase = 0u; phase < 8u; phase++) {
        for (size_t i = 0u; i < sizeof ways / sizeof *ways; i++) {
            (void)set_up(state);
            check_way(&ways[i], phase);
        }
    }
}
