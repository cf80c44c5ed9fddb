/* An "interrupt" at every single instruction of the runtime.
 *
 * A run is a path over all kinds of calls, with one strike in it: an interrupt, which records zones,
 * messages and plots in a context of its own. Where the runtime has masked interrupts it is held back
 * until the unmask, as by a core. The places to strike are found by single-stepping through a call once (trap flag,
 * bit 8 of RFLAGS; AMD64 manual, volume 2, 13.1.4): each instruction that is executed is one, each time
 * that it is executed. There a breakpoint makes the strike, since stepping up to it each time would take hours.
 *
 * All places of all calls are taken, in every state of the ring that matters: fresh, nearly full by each
 * amount of free room, lossy and drained by more or less, with a clock record due. After each run all
 * that was recorded is drained, decoded, and compared with what was emitted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "kymo_arch.h"
#include "player.h"
#include "ring.h"

#if !defined(__x86_64__) || !defined(__linux__)
#error "single-stepping by the trap flag is written for Linux on x86-64"
#endif

#define MAIN 1u
#define TRAP_FLAG 0x100
#define NEVER 0xffffffffu
#define PLACES 65536u
#define LEVELS 3u /* main, the interrupt, an interrupt in that */

KYMO_CONTEXT(timer, "timer", KYMO_CONTEXT_INTERRUPT);
KYMO_CONTEXT(radio, "radio", KYMO_CONTEXT_INTERRUPT);
KYMO_CONTEXT(call, "call", KYMO_CONTEXT_INTERRUPT);

static struct trace trace;
static struct witness witness;
static struct player players[LEVELS], called;

/* Where to strike, one for each level of nesting. */
static struct strike {
    uint32_t call;           /* the target: this call of the path, counted from 0 ... */
    uint32_t step;           /* ... and so many instructions in it; 0: at the planted breakpoint */
    volatile uint32_t calls; /* so far */
    volatile uint32_t steps;
    volatile bool armed, struck;
} strikes[LEVELS];
static volatile uint32_t level;
static volatile uint64_t switches; /* emitted */
static uint64_t held_back;

/* Places that a call comes by, in order. */
static struct place {
    uint8_t *instruction;
    uint32_t pass; /* executed for the so-manieth time, from 1 */
} places[PLACES];
static volatile uint32_t place_count;
static volatile bool finding;

/* The breakpoint instruction in the place of another one. */
static struct {
    uint8_t *instruction; /* NULL = none */
    uint8_t byte;         /* what was there */
    uint32_t pass, passes;
    bool stepping_over;
} planted;

/* ---- the processor's part ---- */

#define INT3 0xccu

static void plant(const struct place *place) {
    planted.instruction = place->instruction;
    planted.pass = place->pass;
    planted.passes = 0u;
    planted.byte = *place->instruction;
    *place->instruction = INT3;
}

static void unplant(void) {
    *planted.instruction = planted.byte;
    planted.instruction = NULL;
}

static void set_stepping(ucontext_t *context, bool on) {
    greg_t flags = context->uc_mcontext.gregs[REG_EFL];
    context->uc_mcontext.gregs[REG_EFL] = on ? flags | TRAP_FLAG : flags & ~(greg_t)TRAP_FLAG;
}

/* The planted breakpoint: strikes when the place has been passed often enough, and goes on with the
 * instruction that belongs there. */
static void on_planted(ucontext_t *context) {
    context->uc_mcontext.gregs[REG_RIP]--;
    *planted.instruction = planted.byte;
    if (++planted.passes == planted.pass) {
        planted.instruction = NULL;
        strikes[level].struck = true;
        fake_interrupt();
    } else {
        planted.stepping_over = true;
        set_stepping(context, true);
    }
}

static void on_step(ucontext_t *context) {
    struct strike *strike = &strikes[level];
    if (planted.stepping_over) {
        planted.stepping_over = false;
        *planted.instruction = INT3;
        set_stepping(context, false);
        return;
    }
    if (finding && place_count < PLACES) {
        places[place_count++].instruction = (uint8_t *)context->uc_mcontext.gregs[REG_RIP];
    }
    if (++strike->steps == strike->step) {
        strike->struck = true;
        set_stepping(context, false);
        fake_interrupt();
    }
}

/* A breakpoint of around() turns the stepping on and off. */
static void on_trap(int signal, siginfo_t *info, void *interrupted) {
    ucontext_t *context = interrupted;
    (void)signal;
    if (info->si_code == TRAP_TRACE) {
        on_step(context);
    } else if (planted.instruction != NULL &&
               (greg_t)planted.instruction == context->uc_mcontext.gregs[REG_RIP] - 1) {
        on_planted(context);
    } else {
        strikes[level].armed = !strikes[level].armed;
        set_stepping(context, strikes[level].armed);
    }
}

/* These two differ between finding and striking: they are put apart, to be told from the rest. */
#define APART __attribute__((section("stepper"), noinline))

APART static void breakpoint(void) { __asm__ volatile("int3" ::: "memory"); }

static const struct place *next_place;

APART static void around(bool before) {
    struct strike *strike = &strikes[level];
    if (before && strike->calls++ == strike->call) {
        strike->steps = 0u;
        if (strike->step != 0u || finding) {
            breakpoint();
        } else {
            plant(next_place);
        }
    } else if (!before && strike->armed) {
        breakpoint();
    } else if (!before && planted.instruction != NULL && level == 0u) {
        unplant();
    }
}

/* The program's own code, which alone is struck; the C library's is none of the runtime's. */
extern uint8_t __executable_start[], etext[], __start_stepper[], __stop_stepper[];

static bool is_to_be_struck(const uint8_t *instruction) {
    return instruction >= __executable_start && instruction < etext &&
           (instruction < __start_stepper || instruction >= __stop_stepper);
}

static void count_passes(void) {
    uint32_t kept = 0u;
    for (uint32_t i = 0u; i < place_count; i++) {
        uint8_t *instruction = places[i].instruction;
        if (!is_to_be_struck(instruction)) {
            continue;
        }
        uint32_t pass = 1u;
        for (uint32_t j = 0u; j < kept; j++) {
            pass += places[j].instruction == instruction ? 1u : 0u;
        }
        places[kept++] = (struct place){instruction, pass};
    }
    place_count = kept;
}

/* ---- what is recorded ---- */

static void serve(struct player *player, const struct kymo_site *context, bool many) {
    player_around(true);
    kymo_context before = kymo_interrupt_enter((kymo_context)context);
    player_around(false);
    if (player_begin(player)) {
        player_message(player);
    }
    if (many) {
        player_plot(player);
        (void)player_begin(player);
    }
    player_close(player);
    player_around(true);
    kymo_interrupt_leave(before);
    player_around(false);
    switches += 2u;
}

static bool interrupt_drains;

static void interrupt(void) {
    static const struct kymo_site *const contexts[LEVELS] = {NULL, &timer, &radio};
    level++;
    serve(&players[level], contexts[level], true);
    if (interrupt_drains) {
        (void)kymo_drain(0u); /* what is half written must not be seen */
        (void)kymo_drain(0u);
    }
    level--;
}

static struct {
    uint8_t bytes[65536];
    size_t length;
} held;

static size_t hold(void *context, const uint8_t *bytes, size_t length) {
    (void)context;
    if (length > sizeof held.bytes - held.length) {
        fake_broken("more bytes than can be held");
    }
    memcpy(held.bytes + held.length, bytes, length);
    held.length += length;
    return length;
}

/* The decoder is not to be stepped through: it sees the bytes afterwards. */
static void drain_one(void) {
    player_around(true);
    (void)kymo_drain(0u);
    player_around(false);
    (void)trace.transport.write(&trace, held.bytes, held.length);
    held.length = 0u;
}

/* Each kind of call once or more, zones nested, another context. */
static void path(bool drain) {
    struct player *player = &players[0];
    if (drain) {
        drain_one();
        return;
    }
    (void)player_begin(player);
    player_plot(player);
    (void)player_begin(player);
    player_message(player);
    player_alloc(player);
    if (player->depth != 0u) {
        player_end(player);
    }
    serve(&called, &call, false);
    player_frame(player);
    player_close(player);
}

/* ---- the states of the ring ---- */

enum state { FRESH, FREE, LOSSY, DUE };

struct scene {
    enum state state;
    uint32_t amount; /* of free bytes, or of frames drained */
    uint32_t shift;  /* lossy: short events before the long ones */
    bool drain;      /* the path is kymo_drain() */
};

static void to_witness(void *user, uint32_t lane, uint32_t context,
                       const struct wire_event *event) {
    (void)user;
    witness_arrive(&witness, lane, context, event);
}

static void fill_to(uint32_t free_bytes) {
    while (kymo_ring_used_bytes(&kymo_lanes[0]) + free_bytes < KYMO_RING_BYTES) {
        player_frame(&players[0]);
    }
}

static void fill(const struct scene *scene) {
    switch (scene->state) {
    case FRESH:
        break;
    case FREE:
        fill_to(scene->amount);
        break;
    case LOSSY:
        for (uint32_t i = 0u; i < scene->shift; i++) {
            player_frame(&players[0]);
        }
        while (kymo_lanes[0].lost == 0u) {
            player_message(&players[0]);
        }
        while (trace.frames[KYMO_FRAME_EVENTS] < scene->amount) {
            drain_one();
        }
        break;
    case DUE:
        fill_to(scene->amount);
        for (uint32_t i = 0u; i < 14u; i++) { /* 14 * 2^29 ticks */
            fake.clock += 0x20000000u;
            kymo_clock_keepalive();
        }
        break;
    }
}

static void prepare(const struct scene *scene) {
    static const struct kymo_transport transport = {.write = hold};
    struct player *player = &players[0];
    level = 0u;
    held.length = 0u;
    fake_reset();
    fake.interrupt = interrupt;
    trace_power_up();
    trace_init(&trace);
    trace.event = to_witness;
    witness_init(&witness);
    switches = 0u;
    player_around = around;
    player_init(player, &witness, 0u, MAIN);
    player_init(&players[1], &witness, 0u, (uint32_t)(&timer - __start_kymo_sites) * 2u);
    player_init(&players[2], &witness, 0u, (uint32_t)(&radio - __start_kymo_sites) * 2u);
    player_init(&called, &witness, 0u, (uint32_t)(&call - __start_kymo_sites) * 2u);
    kymo_init(&transport, "step");
    memset(strikes, 0, sizeof strikes);
    for (uint32_t i = 0u; i < LEVELS; i++) {
        strikes[i].call = NEVER;
    }
    fill(scene);
    strikes[0].calls = 0u;
}

static void check(void) {
    strikes[0].call = strikes[1].call = strikes[2].call = NEVER;
    for (uint32_t i = 0u; i < 8u; i++) {
        drain_one();
    }
    player_plot(&players[0]);
    kymo_finish();
    while (kymo_pending()) {
        drain_one();
    }
    uint64_t lost = 0u;
    uint64_t arrived = trace_events(&trace);
    uint64_t skipped = witness_finish(&witness);
    for (uint32_t i = 0u; i < witness.contexts; i++) {
        arrived -= witness.context[i].arrived;
    }
    lost = trace.lane[0].lost + trace.lane[0].status[1];
    assert_int_equal(trace.lane[0].status[0], trace.lane[0].events + trace.lane[0].lost);
    assert_int_equal(arrived + lost - skipped, switches);
}

/* Finds the places of a call. False: the path has no such call. */
static bool find_places(const struct scene *scene, uint32_t target) {
    prepare(scene);
    place_count = 0u;
    finding = true;
    strikes[0].call = target;
    path(scene->drain);
    finding = false;
    bool reached = strikes[0].calls > target;
    check();
    count_passes();
    assert_true(place_count < PLACES / 2u);
    return reached;
}

/* Strikes everywhere in one scene; returns how often. kymo_drain() has long loops: there each
 * instruction is struck in its first passes only. */
static uint64_t strike_everywhere(const struct scene *scene) {
    uint64_t count = 0u;
    for (uint32_t target = 0u; find_places(scene, target); target++) {
        for (uint32_t i = 0u; i < place_count; i++) {
            if (scene->drain && places[i].pass > 2u) {
                continue;
            }
            next_place = &places[i];
            prepare(scene);
            strikes[0].call = target;
            path(scene->drain);
            assert_true(strikes[0].struck);
            held_back += fake.deferred;
            check();
            count++;
        }
    }
    return count;
}

static void every_scene(bool drain) {
    uint64_t count = 0u;
    struct scene scene = {.state = FRESH, .drain = drain};
    /* Room is taken in cells of 8 bytes; with a narrow clock, which differs little here, fewer will do. */
    uint32_t step = drain ? 40u : KYMO_ARCH_CLOCK_BITS == 64 ? 8u : 24u;
    held_back = 0u;
    count += strike_everywhere(&scene);
    for (scene.state = FREE, scene.amount = 0u; scene.amount <= 200u; scene.amount += step) {
        count += strike_everywhere(&scene);
    }
    for (scene.state = LOSSY, scene.shift = 0u; scene.shift < 4u;
         scene.shift += step == 8u ? 1u : 3u) {
        for (scene.amount = 0u; scene.amount < 4u; scene.amount++) {
            count += strike_everywhere(&scene);
        }
    }
    for (scene.state = DUE, scene.amount = 0u; scene.amount <= 64u; scene.amount += step) {
        count += strike_everywhere(&scene);
    }
    print_message("%llu strikes, %llu of them held back by the mask\n", (unsigned long long)count,
                  (unsigned long long)held_back);
    assert_true(count > 10000u);
    /* Draining needs no mask. */
    assert_true(KYMO_ARCH_ATOMIC || drain ? held_back == 0u : held_back > 1000u);
}

static void at_every_instruction_of_recording(void **state) {
    (void)state;
    every_scene(false);
}

/* A transmit interrupt may drain, too. */
static void by_an_interrupt_that_drains(void **state) {
    uint64_t count = 0u;
    struct scene scene = {.state = FRESH};
    (void)state;
    interrupt_drains = true;
    count += strike_everywhere(&scene);
    for (scene.state = FREE, scene.amount = 0u; scene.amount <= 200u; scene.amount += 40u) {
        count += strike_everywhere(&scene);
    }
    scene.amount = 1u;
    for (scene.state = LOSSY; scene.shift < 2u; scene.shift++) {
        count += strike_everywhere(&scene);
    }
    scene.state = DUE;
    scene.amount = 0u;
    count += strike_everywhere(&scene);
    interrupt_drains = false;
    print_message("%llu strikes\n", (unsigned long long)count);
    assert_true(count > 5000u);
}

static void in_the_middle_of_draining(void **state) {
    (void)state;
    every_scene(true);
}

/* Two strikes, the second one into the handler of the first, at places drawn by lot. */
static void interrupts_in_interrupts(void **state) {
    uint64_t random = 0x2545f4914f6cdd1du;
    uint64_t both = 0u;
    (void)state;
    for (uint32_t turn = 0u; turn < 2000u; turn++) {
        struct scene scene = {.state = FREE, .amount = player_random(&random) % 64u * 8u};
        prepare(&scene);
        for (uint32_t i = 0u; i < 2u; i++) {
            strikes[i].call = player_random(&random) % 11u;
            strikes[i].step = player_random(&random) % 120u + 1u;
        }
        path(false);
        both += strikes[1].struck ? 1u : 0u;
        check();
    }
    print_message("%llu runs with two strikes\n", (unsigned long long)both);
    assert_true(both > 100u);
}

static int set_up(void **state) {
    struct sigaction action = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO | SA_NODEFER};
    (void)state;
    /* Breakpoints are written into the code. */
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t start = (uintptr_t)__executable_start & ~(page - 1u);
    size_t length = (uintptr_t)etext - start;
    if (mprotect((void *)start, length, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) {
        print_error("the program's code cannot be made writable: %s\n", strerror(errno));
        return -1;
    }
    return sigaction(SIGTRAP, &action, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(at_every_instruction_of_recording),
        cmocka_unit_test(by_an_interrupt_that_drains),
        cmocka_unit_test(in_the_middle_of_draining),
        cmocka_unit_test(interrupts_in_interrupts),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
