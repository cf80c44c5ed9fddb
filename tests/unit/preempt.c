/* SPDX-License-Identifier: MIT */
#include "preempt.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "kymo_arch.h"

#if !defined(__x86_64__) || !defined(__linux__)
#error "single-stepping by the trap flag is written for Linux on x86-64"
#endif

/* Bit 8 of RFLAGS (AMD64 Architecture Programmer's Manual, volume 2, 13.1.4). */
#define TRAP_FLAG 0x100

struct preempt preempts[PREEMPT_LEVELS];
volatile uint32_t preempt_level;
volatile uint32_t preempt_masked_most;
bool (*preempt_is_masked)(void);
void (*preempt_hits)(void) = fake_interrupt;

/* Places that a call comes by, in order. */
static struct place {
    uint8_t *instruction;
    uint32_t pass; /* executed for the so-manieth time, from 1 */
} places[PREEMPT_PLACES];
static volatile uint32_t place_count;
static volatile bool finding;
static volatile uint32_t masked; /* instructions so far */

/* The breakpoint instruction in the place of another one. */
static struct {
    uint8_t *instruction; /* NULL = none */
    uint8_t byte;         /* the original byte */
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

/* The planted breakpoint: preempts when the place has been passed often enough, and goes on with the
 * instruction that belongs there. */
static void on_planted(ucontext_t *context) {
    struct preempt *preempt = &preempts[preempt_level];
    context->uc_mcontext.gregs[REG_RIP]--;
    *planted.instruction = planted.byte;
    if (++planted.passes == planted.pass) {
        planted.instruction = NULL;
        preempt->preempted = true;
        preempt_hits();
        preempt->armed = preempt->step != 0u; /* it may have chosen a step from here on */
        set_stepping(context, preempt->armed);
    } else {
        planted.stepping_over = true;
        set_stepping(context, true);
    }
}

static void on_step(ucontext_t *context) {
    struct preempt *preempt = &preempts[preempt_level];
    if (planted.stepping_over) {
        planted.stepping_over = false;
        *planted.instruction = INT3;
        set_stepping(context, false);
        return;
    }
    if (finding) {
        masked = preempt_is_masked != NULL && preempt_is_masked() ? masked + 1u : 0u;
        preempt_masked_most = masked > preempt_masked_most ? masked : preempt_masked_most;
    }
    if (finding && place_count < PREEMPT_PLACES) {
        places[place_count++].instruction = (uint8_t *)context->uc_mcontext.gregs[REG_RIP];
    }
    if (++preempt->steps == preempt->step) {
        preempt->preempted = true;
        preempt_hits();
        set_stepping(context, preempt->step > preempt->steps); /* it may have chosen a later one */
    }
}

/* A breakpoint of preempt_around() turns the stepping on and off. */
static void on_trap(int signal, siginfo_t *info, void *interrupted) {
    ucontext_t *context = interrupted;
    (void)signal;
    if (info->si_code == TRAP_TRACE) {
        on_step(context);
    } else if (planted.instruction != NULL &&
               (greg_t)planted.instruction == context->uc_mcontext.gregs[REG_RIP] - 1) {
        on_planted(context);
    } else {
        preempts[preempt_level].armed = !preempts[preempt_level].armed;
        set_stepping(context, preempts[preempt_level].armed);
    }
}

/* These two differ between finding and preempting: they are put apart, to be told from the rest. */
#define APART __attribute__((section("stepper"), noinline))

APART static void breakpoint(void) { __asm__ volatile("int3" ::: "memory"); }

static const struct place *next_place;

APART void preempt_around(bool before) {
    struct preempt *preempt = &preempts[preempt_level];
    if (before && preempt->calls++ == preempt->call) {
        preempt->steps = 0u;
        if (preempt->step != 0u || finding) {
            breakpoint();
        } else {
            plant(next_place);
        }
    } else if (!before && preempt->armed) {
        breakpoint();
    } else if (!before && planted.instruction != NULL && preempt_level == 0u) {
        unplant();
    }
}

/* The program's own code, which alone is preempted; the C library's code is not the runtime's. */
extern uint8_t __executable_start[], etext[], __start_stepper[], __stop_stepper[];

static bool is_to_be_preempted(const uint8_t *instruction) {
    return instruction >= __executable_start && instruction < etext &&
           (instruction < __start_stepper || instruction >= __stop_stepper);
}

/* Leaves only the instructions to preempt, each with its pass. */
static void count_passes(void) {
    uint32_t kept = 0u;
    for (uint32_t i = 0u; i < place_count; i++) {
        uint8_t *instruction = places[i].instruction;
        if (!is_to_be_preempted(instruction)) {
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

void preempt_find(bool on) {
    masked = 0u;
    preempt_masked_most = on ? 0u : preempt_masked_most;
    if (on) {
        place_count = 0u;
    }
    finding = on;
    if (!on) {
        count_passes();
    }
}

uint32_t preempt_place_count(void) { return place_count; }

uint32_t preempt_choose(uint32_t index) {
    next_place = &places[index];
    return next_place->pass;
}

int preempt_set_up(void **state) {
    (void)state;
    struct sigaction action = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO | SA_NODEFER};
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t start = (uintptr_t)__executable_start & ~(page - 1u);
    size_t length = (uintptr_t)etext - start;
    if (mprotect((void *)start, length, PROT_READ | PROT_WRITE | PROT_EXEC) != 0 ||
        sigaction(SIGTRAP, &action, NULL) != 0) {
        return -errno;
    }
    return 0;
}
