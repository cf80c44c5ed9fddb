/* SPDX-License-Identifier: MIT */
/* The ring and the promises of the recording functions, on the fake port. Built for each way to
 * reserve and each width of the clock, with rings of 256 bytes, where everything rare happens
 * often. */
#include <string.h>

#include "cases.h"
#include "kymo_arch.h"
#include "player.h"
#include "ring/ring.h"

#define MAIN 1u /* the main context as it travels */

KYMO_CONTEXT(timer, "timer", KYMO_CONTEXT_INTERRUPT);
KYMO_CONTEXT(radio, "radio", KYMO_CONTEXT_INTERRUPT);
KYMO_SITE_DEFINE_GLOBAL(zone, KYMO_SITE_ZONE, "zone", 0u, 0u, NULL);
KYMO_SITE_DEFINE_GLOBAL(plot, KYMO_SITE_PLOT, "plot", 0u, 0u, NULL);

static struct trace trace;
static struct witness witness;

static uint32_t wire(const struct kymo_site *site) {
    return (uint32_t)(site - __start_kymo_sites) * 2u;
}

static void to_witness(void *user, uint32_t lane, uint32_t context,
                       const struct wire_event *event) {
    (void)user;
    witness_arrive(&witness, lane, context, event);
}

FIXTURE(set_up) {
    fake_reset();
    trace_power_up();
    trace_init(&trace);
    witness_init(&witness);
    trace.event = to_witness;
    return 0;
}

static void attach(void) { kymo_init(&trace.transport, "test"); }

/* Gives one record back to the producer. */
static bool consume_one(void) {
    uint32_t header = 0u;
    uint32_t words = kymo_ring_peek(&kymo_lanes[fake.lane], &header);
    kymo_ring_consume(&kymo_lanes[fake.lane], words);
    return words != 0u;
}

/* Opens zones until one is refused; returns how many are open. */
static uint32_t fill_with_zones(kymo_zone *open, uint32_t limit) {
    uint32_t count = 0u;
    while (count < limit && (open[count] = kymo_zone_begin(&zone)) != NULL) {
        count++;
    }
    return count;
}

CASE(events_before_init_are_kept, set_up) {
    struct player player;
    player_init(&player, &witness, 0u, MAIN);
    assert_true(player_begin(&player));
    player_plot(&player);
    player_end(&player);
    attach();
    assert_int_equal(trace_finish(&trace), 0u);
    assert_int_equal(trace_events(&trace), 3u);
    assert_int_equal(witness_finish(&witness), 0u);
}

CASE(a_begin_needs_the_room_of_its_end, set_up) {
    kymo_zone open[64];
    uint32_t count = fill_with_zones(open, 64u);
    /* 256 bytes: a clock record, then 16 a zone; at most one cell may stay unused. */
    assert_in_range(count, 14u, 15u);
    for (uint32_t i = 0u; i < count; i++) {
        kymo_zone_end(open[i]);
    }
    trace.event = NULL;
    attach();
    assert_int_equal(trace_finish(&trace), 2u);
    assert_int_equal(trace_events(&trace), 2u * count);
}

CASE(a_refused_zone_ends_silently, set_up) {
    kymo_zone open[64];
    uint32_t count = fill_with_zones(open, 64u);
    uint32_t used = kymo_ring_used_bytes(&kymo_lanes[0]);
    kymo_zone_end(NULL);
    kymo_zone_text(NULL, "text", 4u);
    kymo_zone_value(NULL, 1u);
    assert_int_equal(kymo_ring_used_bytes(&kymo_lanes[0]), used);
    for (uint32_t i = 0u; i < count; i++) {
        kymo_zone_end(open[i]);
    }
    assert_int_equal(kymo_ring_used_bytes(&kymo_lanes[0]), used + 8u * count);
}

/* However the promises lie when the ring wraps, the ends find their room. */
CASE(promises_survive_the_wrap, set_up) {
    uint64_t emitted = 0u;
    trace.event = NULL;
    attach();
    for (uint32_t turn = 0u; turn < 400u; turn++) {
        kymo_zone open[16];
        uint32_t zones = turn % 17u;
        uint32_t count = fill_with_zones(open, zones < 16u ? zones : 16u);
        emitted += 2u * (count < zones ? count + 1u : count);
        trace_drain(&trace);
        kymo_plot_int(&plot, (int64_t)turn);
        emitted++;
        for (uint32_t i = 0u; i < count; i++) {
            kymo_zone_end(open[i]);
        }
    }
    uint64_t lost = trace_finish(&trace);
    assert_int_equal(trace_events(&trace) + lost, emitted);
    assert_true(trace_events(&trace) > emitted * 9u / 10u);
}

static struct wire_event loss;
static uint64_t before_loss, after_loss;

static void find_loss(void *user, uint32_t lane, uint32_t context, const struct wire_event *event) {
    (void)user;
    (void)lane;
    (void)context;
    if (event->kind == KYMO_KIND_LOSS) {
        loss = *event;
    } else if (!KYMO_KIND_IS_COUNTED(event->kind)) {
        return;
    } else if (loss.kind == 0u) {
        before_loss++;
    } else {
        after_loss++;
    }
}

CASE(a_loss_is_told_where_it_happened, set_up) {
    loss.kind = 0u;
    before_loss = after_loss = 0u;
    trace.event = find_loss;
    attach();
    uint32_t fit = 0u;
    while (kymo_lanes[0].lost == 0u) {
        kymo_plot_int(&plot, 1);
        fit++;
    }
    uint64_t first = fake.clock;
    fake.clock += 5000u;
    kymo_plot_int(&plot, 1);
    trace_drain(&trace);
    kymo_plot_int(&plot, 1);
    assert_int_equal(trace_finish(&trace), 2u);
    assert_int_equal(before_loss, fit - 1u);
    assert_int_equal(after_loss, 1u);
    assert_int_equal(loss.word[0], 2u);
    /* A refusal looks at the clock a few times: the first loss is known to that. */
    assert_in_range(loss.ticks - loss.word[1], first - 5u, first);
    assert_int_equal(trace.lane[0].losses, 1u);
}

/* After a refusal the ring must drain by an eighth first, or each gap would be its own loss
 * record. */
CASE(a_full_ring_opens_with_hysteresis, set_up) {
    kymo_zone open[64];
    uint32_t count = fill_with_zones(open, 64u);
    for (uint32_t i = 0u; i < count; i++) {
        kymo_zone_end(open[i]);
    }
    uint32_t freed = 0u;
    while (kymo_zone_begin(&zone) == NULL) {
        assert_true(consume_one());
        freed += 8u;
    }
    /* An eighth of the ring; the records of clock and loss. Room for the zone and for the context may come on top. At
     * most two cells of the ring may have been free before, or stay unused. */
    uint32_t least = KYMO_RING_BYTES / 8u + 32u;
    assert_in_range(freed, least - 16u, least + 32u);
}

CASE(stopped_counts_nothing_and_ends_what_is_open, set_up) {
    struct player player;
    attach();
    player_init(&player, &witness, 0u, MAIN);
    assert_true(player_begin(&player));
    kymo_stop();
    assert_false(player_begin(&player));
    player_plot(&player);
    player_message(&player);
    player_end(&player);
    kymo_start();
    player_plot(&player);
    assert_int_equal(trace_finish(&trace), 0u);
    assert_int_equal(trace_events(&trace), 3u);
    assert_int_equal(witness_finish(&witness), 0u);
}

/* The record holds 32 bits of the clock; whatever passes between two events, the times are whole. A
 * 32-bit clock needs the keepalive within half of its wrap. */
CASE(long_silences_keep_the_time, set_up) {
    static const uint64_t silences[] = {1u,           0x7ffffffeu,  0x7fffffffu,
                                        0x80000000u,  0x80000001u,  0xffffffffu,
                                        0x100000000u, 0x17fffffffu, 0x3123456789u};
    struct player player;
    attach();
    player_init(&player, &witness, 0u, MAIN);
    for (uint32_t i = 0u; i < sizeof silences / sizeof silences[0]; i++) {
        for (uint32_t what = 0u; what < 3u; what++) {
            bool open = what == 0u && player_begin(&player);
            for (uint64_t left = silences[i]; left != 0u;) {
                uint64_t part =
                    left < 0x40000000u || KYMO_ARCH_CLOCK_BITS == 64 ? left : 0x40000000u;
                fake.clock += part;
                left -= part;
                if (KYMO_ARCH_CLOCK_BITS == 32) {
                    kymo_clock_keepalive();
                }
            }
            if (open) {
                player_end(&player);
            }
            player_plot(&player);
            trace_drain(&trace);
        }
    }
    assert_int_equal(trace_finish(&trace), 0u);
    assert_int_equal(witness_finish(&witness), 0u);
    assert_int_equal(trace_events(&trace), 9u * 5u);
}

/* An interrupt whose return finds the ring full: main's next events are main's all the same. */
CASE(contexts_hold_when_the_ring_is_full, set_up) {
    for (uint32_t fill = 0u; fill < 40u; fill++) {
        struct player player, irq;
        (void)set_up(NULL);
        attach();
        player_init(&player, &witness, 0u, MAIN);
        player_init(&irq, &witness, 0u, wire(&timer));
        (void)player_begin(&player);
        for (uint32_t i = 0u; i < fill; i++) {
            player_frame(&player);
        }
        {
            KYMO_INTERRUPT(timer);
            (void)player_begin(&irq);
            player_frame(&irq);
            player_close(&irq);
        }
        player_close(&player);
        trace_drain(&trace);
        player_plot(&player);
        uint64_t lost = trace_finish(&trace);
        uint64_t skipped = witness_finish(&witness);
        assert_in_range(lost - skipped, 0u, 2u); /* the interrupt's two switches */
        assert_int_equal(trace.lane[0].context, MAIN);
    }
}

CASE(a_lost_switch_is_restated, set_up) {
    struct player player, task;
    attach();
    player_init(&player, &witness, 0u, MAIN);
    player_init(&task, &witness, 0u, 0x1000u / 8u * 2u + 1u);
    while (kymo_lanes[0].lost == 0u) {
        player_plot(&player);
    }
    (void)KYMO_CONTEXT_SWITCH(0x1000u);
    player_plot(&task);
    trace_drain(&trace);
    player_plot(&task);
    player_plot(&task);
    (void)KYMO_CONTEXT_SWITCH(0u);
    player_plot(&player);
    uint64_t lost = trace_finish(&trace);
    assert_int_equal(lost, 3u); /* a plot, the switch, a plot */
    assert_int_equal(witness_finish(&witness), 2u);
    assert_int_equal(witness.context[1].arrived, 2u);
}

/* ---- random play ---- */

struct stage {
    uint64_t random;
    struct player main[KYMO_LANES], timer[KYMO_LANES], radio[KYMO_LANES];
    uint32_t nesting;
    uint64_t preempted, switches;
};

static struct stage stage;

static void play(struct player *player, uint32_t steps);

/* Like KYMO_INTERRUPT, and counts the two switches, which are not a player's events, except
 * switches refused while recording is stopped. */
static void serve(struct player *player, const struct kymo_site *context) {
    bool stopped = kymo_stopped;
    kymo_context before = kymo_interrupt_enter((kymo_context)context);
    bool accepted = (before & KYMO_RETURN_PROMISED) != 0u;
    stage.switches += accepted || !stopped ? 1u : 0u;
    play(player, player_random(&stage.random) % 6u);
    player_close(player);
    kymo_interrupt_leave(before);
    stage.switches += accepted || !kymo_stopped ? 1u : 0u;
}

static void interrupt(void) {
    if (stage.nesting == 2u) {
        return;
    }
    stage.preempted++;
    if (stage.nesting++ == 0u) {
        serve(&stage.timer[fake.lane], &timer);
    } else {
        serve(&stage.radio[fake.lane], &radio);
    }
    stage.nesting--;
}

/* Between two calls an interrupt may preempt, or be pending and preempt inside the next call. */
static void play(struct player *player, uint32_t steps) {
    for (uint32_t i = 0u; i < steps; i++) {
        uint32_t chance = player_random(&stage.random) % 16u;
        if (chance == 0u) {
            interrupt();
        }
        fake.pending = chance == 1u && !KYMO_ARCH_ATOMIC;
        player_step(player, &stage.random);
        fake.pending = false;
    }
}

static void pass_time(struct stage *s) {
    fake.clock += player_random(&s->random) % 1000u;
    if (player_random(&s->random) % 64u != 0u) {
        return;
    }
    fake.clock += KYMO_ARCH_CLOCK_BITS == 64
                      ? (uint64_t)player_random(&s->random) << player_random(&s->random) % 8u
                      : player_random(&s->random) & 0x3fffffffu;
    uintptr_t lane = fake.lane;
    for (fake.lane = 0u; fake.lane < KYMO_LANES; fake.lane++) {
        kymo_clock_keepalive();
    }
    fake.lane = lane;
}

static void drain_some(struct stage *s) {
    trace.takes = player_random(&s->random) % 300u + 1u;
    for (uint32_t i = player_random(&s->random) % 64u; i != 0u; i--) {
        (void)kymo_drain(player_random(&s->random) % 400u);
    }
    if (player_random(&s->random) % 64u == 0u) {
        trace.takes = SIZE_MAX;
        trace_drain(&trace);
    }
}

CASE(random_play_adds_up, set_up) {
    struct stage *s = &stage;
    *s = (struct stage){.random = 0x9e3779b97f4a7c15u};
    fake.interrupt = interrupt;
    for (uint32_t lane = 0u; lane < KYMO_LANES; lane++) {
        player_init(&s->main[lane], &witness, lane, MAIN);
        player_init(&s->timer[lane], &witness, lane, wire(&timer));
        player_init(&s->radio[lane], &witness, lane, wire(&radio));
    }
    attach();
    for (uint32_t turn = 0u; turn < 300000u; turn++) {
        fake.lane = player_random(&s->random) % KYMO_LANES;
        play(&s->main[fake.lane], player_random(&s->random) % 16u);
        pass_time(s);
        drain_some(s);
        uint32_t chance = player_random(&s->random) % 256u;
        if (chance == 0u) {
            kymo_stop();
        } else if (chance < 32u) {
            kymo_start();
        }
    }
    for (fake.lane = 0u; fake.lane < KYMO_LANES; fake.lane++) {
        player_close(&s->main[fake.lane]);
    }
    fake.lane = 0u;
    trace.takes = SIZE_MAX;
    uint64_t lost = trace_finish(&trace);
    uint64_t skipped = witness_finish(&witness);
    uint64_t matched = 0u;
    for (uint32_t i = 0u; i < witness.contexts; i++) {
        matched += witness.context[i].arrived;
    }
    /* The events that no player emitted are switches: those that arrived, and those that were lost. */
    uint64_t arrived = trace_events(&trace) - matched;
    print_message("%llu events arrived, %llu were lost, %llu interrupts\n",
                  (unsigned long long)trace_events(&trace), (unsigned long long)lost,
                  (unsigned long long)s->preempted);
    assert_int_equal(arrived + (lost - skipped), s->switches);
    assert_true(arrived != 0u && lost > skipped);
    assert_true(matched > 500000u);
    assert_true(skipped > 10000u);
}
