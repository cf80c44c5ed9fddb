/* SPDX-License-Identifier: MIT */
/* A grid: harts 0 and 1 have kymo, the other six write device blocks, each by a clock of its own, which is the
 * machine's at another rate and from another start. Hart 1 gives operations to the six and uses an engine that tells
 * afterwards; hart 0 drains. What happened when, by the machine's clock, is written over semihosting at the end: a
 * second way out, by which expected.py knows it without kymo. */
#include "board.h"
#include "kymo/kymo.h"
#include "kymo_arch.h"
#include "riscv/semihosting.h"

#define FIRST 2u /* hart of the first small core */
#define SMALL (BOARD_CORES - FIRST)
#define OPERATIONS 40u
#define BLOCK_BYTES (64u + 512u)
#define TRUTHS 512u
#define CLINT_MSIP 0x02000000u
#define MIE_MSIE 8u

/* How a small core's clock differs: parts per million, and its ticks at the machine's zero. Two wrap soon. */
static const struct skew {
    int32_t ppm;
    uint32_t start;
} skews[SMALL] = {{90, 0u},           {-120, 0xfffe0000u}, {40, 123456789u},
                  {-15, 0x80000000u}, {150, 0xffff0000u},  {-77, 7u}};

/* A small core's true times: the machine's time and its own. */
struct truth {
    uint64_t time;
    uint32_t ticks, site, operation;
};
static struct small {
    uint64_t block[BLOCK_BYTES / 8u];
    struct truth truths[TRUTHS];
    uint64_t time; /* of the record that is being written */
    uint32_t truth_count, random;
    volatile uint32_t done, started;
} small[SMALL];
static struct { uint64_t submitted, begun, ended; } transfers[OPERATIONS];
static uint64_t engine_block[BLOCK_BYTES / 8u];
static volatile uint32_t operation, finished;

static uint64_t machine_time(void) {
    uint64_t time;
    __asm__ volatile("rdtime %0" : "=r"(time));
    return time;
}

static uint32_t ticks_of(uint32_t number, uint64_t time) {
    const int64_t more = (int64_t)time * skews[number].ppm / 1000000;
    return skews[number].start + (uint32_t)(time + (uint64_t)more);
}

static uint32_t hart(void) {
    uint64_t number;
    __asm__ volatile("csrr %0, mhartid" : "=r"(number));
    return (uint32_t)number;
}

static uint32_t device_clock(void) {
    struct small *own = &small[hart() - FIRST];
    own->time = machine_time();
    return ticks_of(hart() - FIRST, own->time);
}
#define KYMO_DEVICE_CLOCK() (device_clock())
#include "kymo/devices.h"

enum { SITE_KERNEL, SITE_LOAD, SITE_COMPUTE, SITES };
static const char *const names[SITES] = {"kernel", "load", "compute"};
static struct kymo_device_row rows[SMALL + 1u];
KYMO_SITE_DEFINE_GLOBAL(transfer, KYMO_SITE_ZONE, "transfer", 0u, 0u, NULL);

static struct kymo_device_block *block_of(uint64_t *memory) {
    return (struct kymo_device_block *)(void *)memory;
}

/* ---- the small cores ---- */

static void spin(uint32_t ticks) {
    const uint64_t start = machine_time();
    while (machine_time() - start < ticks) {}
}

static void tell(struct small *own, uint32_t site) {
    const uint32_t number = (uint32_t)(own - small);
    struct truth *truth = &own->truths[own->truth_count++];
    truth->time = own->time;
    truth->ticks = ticks_of(number, own->time);
    truth->site = site;
    truth->operation = operation;
}

static bool begin(struct small *own, uint32_t site) {
    const bool begun = kymo_device_begin(block_of(own->block), KYMO_DEVICE_NUMBER(site));
    if (begun) {
        tell(own, site);
    }
    return begun;
}

static void end(struct small *own, bool begun) {
    kymo_device_end(block_of(own->block), begun);
    if (begun) {
        tell(own, SITES);
    }
}

static void work(struct small *own) {
    own->random = own->random * 1664525u + 1013904223u;
    kymo_device_run(block_of(own->block), operation);
    const bool kernel = begin(own, SITE_KERNEL);
    const bool load = begin(own, SITE_LOAD);
    spin(own->random >> 23);
    end(own, load);
    const bool compute = begin(own, SITE_COMPUTE);
    spin(own->random >> 9 & 1023u);
    end(own, compute);
    end(own, kernel);
}

/* Each operation is a software interrupt, which is only waited for. */
static void small_core(void) {
    const uint32_t number = hart() - FIRST;
    volatile uint32_t *const called = (volatile uint32_t *)(uintptr_t)CLINT_MSIP + hart();
    kymo_device_start(block_of(small[number].block), BLOCK_BYTES);
    small[number].random = number + 1u;
    __asm__ volatile("csrw mie, %0" ::"r"((uint64_t)MIE_MSIE));
    small[number].started = 1u;
    for (;;) {
        while (*called == 0u) {
            __asm__ volatile("wfi");
        }
        *called = 0u;
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
        work(&small[number]);
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
        small[number].done = operation;
    }
}

/* ---- the two with kymo ---- */

static void transfer_one(uint32_t number) {
    transfers[number].submitted = machine_time();
    spin(100u);
    transfers[number].begun = machine_time();
    spin(200u);
    transfers[number].ended = machine_time();
    (void)kymo_device_zone_queued(&rows[SMALL], &transfer, (uint32_t)transfers[number].submitted,
                                  (uint32_t)transfers[number].begun,
                                  (uint32_t)transfers[number].ended);
}

/* The events recorded before were sent: however slow the line is, nothing is refused. */
static bool is_taken(uint64_t *memory) {
    const struct kymo_device_block *block = block_of(memory);
    return block->read_of == block->starts && block->read == block->at - block->self;
}

static void launch(uint32_t number) {
    for (uint32_t i = 0u; i < SMALL; i++) {
        while (number > 1u && !is_taken(small[i].block)) {}
    }
    while (number > 1u && !is_taken(engine_block)) {}
    KYMO_ZONE("launch");
    KYMO_FLOW_SEND(number);
    transfer_one(number - 1u);
    operation = number;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    for (uint32_t i = 0u; i < SMALL; i++) {
        ((volatile uint32_t *)(uintptr_t)CLINT_MSIP)[FIRST + i] = 1u;
    }
    for (uint32_t i = 0u; i < SMALL; i++) {
        while (small[i].done != number) {}
    }
}

static void host_core(void) {
    for (uint32_t i = 0u; i < SMALL; i++) {
        while (small[i].started == 0u) {}
    }
    for (uint32_t number = 1u; number <= OPERATIONS; number++) {
        if (number == OPERATIONS / 4u) {
            KYMO_SIGNPOST("warm", "from operation %u", number);
        }
        if (number == OPERATIONS / 2u) {
            KYMO_SIGNPOST("cool", "from operation %u", number);
        }
        launch(number);
    }
    finished = 1u;
}

static void announce(void) {
    static const struct {
        const char *device, *core;
        uint32_t x, y;
    } places[SMALL] = {{"npu 0", "brisc", 1, 2}, {"npu 0", "trisc", 1, 2},
                       {"npu 0", "brisc", 3, 1}, {"npu 1", "brisc", 1, 1},
                       {"npu 1", "trisc", 1, 1}, {"npu 1", "trisc", 9, 9}};
    for (uint32_t i = 0u; i < SMALL; i++) {
        rows[i] = (struct kymo_device_row){.block = block_of(small[i].block),
                                           .bytes = BLOCK_BYTES,
                                           .device = places[i].device,
                                           .core = places[i].core,
                                           .x = places[i].x,
                                           .y = places[i].y,
                                           .clock_hz = BOARD_MTIME_HZ,
                                           .sites = KYMO_DEVICE_NAMES_SENT,
                                           .name_count = SITES,
                                           .names = names};
        kymo_device(&rows[i]);
    }
    rows[SMALL] = (struct kymo_device_row){.block = block_of(engine_block),
                                           .bytes = BLOCK_BYTES,
                                           .device = "dma",
                                           .core = "channel",
                                           .sites = KYMO_DEVICE_NAMES_OWN};
    kymo_device_start(block_of(engine_block), BLOCK_BYTES);
    kymo_device(&rows[SMALL]);
}

/* Each millisecond, as if hart 0 could read the registers of their clocks. */
static void pair_clocks(void) {
    static uint64_t last;
    if (machine_time() - last < BOARD_MTIME_HZ / 1000u) {
        return;
    }
    last = machine_time();
    for (uint32_t i = 0u; i < SMALL; i++) {
        const uint64_t before = kymo_arch_clock64();
        const uint32_t ticks = ticks_of(i, machine_time());
        kymo_device_clock_pair(&rows[i], ticks, before, kymo_arch_clock64());
    }
}

static void receive(void) {
    static uint32_t seen;
    const uint32_t reached = operation;
    while (seen < reached) {
        KYMO_FLOW_RECEIVE(++seen);
    }
}

static void drain(void) {
    while (finished == 0u) {
        receive();
        pair_clocks();
        (void)kymo_drain(0u);
    }
    receive();
    pair_clocks();
    kymo_finish();
    while (kymo_pending()) {
        (void)kymo_drain(0u);
    }
}

/* ---- the truth ---- */

static void write_line(const char *text) { (void)semihosting_call(SYS_WRITE0, text); }

static void tell_numbers(const uint64_t *numbers, uint32_t count) {
    char line[160], *at = line + sizeof line;
    *--at = '\0';
    *--at = '\n';
    while (count-- != 0u) {
        uint64_t number = numbers[count];
        do {
            *--at = (char)('0' + number % 10u);
            number /= 10u;
        } while (number != 0u);
        *--at = ' ';
    }
    write_line(at + 1);
}

/* "CORE TIME TICKS SITE OPERATION", and of the engine "CORE SUBMITTED BEGUN ENDED". */
static void tell_truth(void) {
    for (uint32_t i = 0u; i < SMALL; i++) {
        for (uint32_t k = 0u; k < small[i].truth_count; k++) {
            const struct truth *truth = &small[i].truths[k];
            const uint64_t numbers[] = {i, truth->time, truth->ticks, truth->site,
                                        truth->operation};
            tell_numbers(numbers, 5u);
        }
    }
    for (uint32_t k = 0u; k < OPERATIONS; k++) {
        const uint64_t numbers[] = {SMALL, transfers[k].submitted, transfers[k].begun,
                                    transfers[k].ended};
        tell_numbers(numbers, 4u);
    }
}

int main(void) {
    board_init();
    kymo_init(board_transport(), "grid");
    announce();
    bool ready = true;
    for (unsigned core = 1u; core < BOARD_CORES; core++) {
        ready = board_start_core(core, core == 1u ? host_core : small_core) && ready;
    }
    drain();
    tell_truth();
    return ready ? 0 : 1;
}
