#include "strike.h"

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

struct strike strikes[STRIKE_LEVELS];
volatile uint32_t strike_level;
void (*strike_hits)(void) = fake_interrupt;

/* Places that a call comes by, in order. */
static struct place {
    uint8_t *instruction;
    uint32_t pass; /* executed for the so-manieth time, from 1 */
} places[STRIKE_PLACES];
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
        strikes[strike_level].struck = true;
        strike_hits();
    } else {
        planted.stepping_over = true;
        set_stepping(context, true);
    }
}

static void on_step(ucontext_t *context) {
    struct strike *strike = &strikes[strike_level];
    if (planted.stepping_over) {
        planted.stepping_over = false;
        *planted.instruction = INT3;
        set_stepping(context, false);
        return;
    }
    if (finding && place_count < STRIKE_PLACES) {
        places[place_count++].instruction = (uint8_t *)context->uc_mcontext.gregs[REG_RIP];
    }
    if (++strike->steps == strike->step) {
        strike->struck = true;
        strike_hits();
        set_stepping(context, strike->step > strike->steps); /* it may have chosen a later one */
    }
}

/* A breakpoint of strike_around() turns the stepping on and off. */
static void on_trap(int signal, siginfo_t *info, void *interrupted) {
    ucontext_t *context = interrupted;
    (void)signal;
    if (info->si_code == TRAP_TRACE) {
        on_step(context);
    } else if (planted.instruction != NULL &&
               (greg_t)planted.instruction == context->uc_mcontext.gregs[REG_RIP] - 1) {
        on_planted(context);
    } else {
        strikes[strike_level].armed = !strikes[strike_level].armed;
        set_stepping(context, strikes[strike_level].armed);
    }
}

/* These two differ between finding and striking: they are put apart, to be told from the rest. */
#define APART __attribute__((section("stepper"), noinline))

APART static void breakpoint(void) { __asm__ volatile("int3" ::: "memory"); }

static const struct place *next_place;

APART void strike_around(bool before) {
    struct strike *strike = &strikes[strike_level];
    if (before && strike->calls++ == strike->call) {
        strike->steps = 0u;
        if (strike->step != 0u || finding) {
            breakpoint();
        } else {
            plant(next_place);
        }
    } else if (!before && strike->armed) {
        breakpoint();
    } else if (!before && planted.instruction != NULL && strike_level == 0u) {
        unplant();
    }
}

/* The program's own code, which alone is struck; the C library's is none of the runtime's. */
extern uint8_t __executable_start[], etext[], __start_stepper[], __stop_stepper[];

static bool is_to_be_struck(const uint8_t *instruction) {
    return instruction >= __executable_start && instruction < etext &&
           (instruction < __start_stepper || instruction >= __stop_stepper);
}

/* Leaves only what is to be struck, each with its pass. */
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

void strike_find(bool on) {
    if (on) {
        place_count = 0u;
    }
    finding = on;
    if (!on) {
        count_passes();
    }
}

uint32_t strike_place_count(void) { return place_count; }

uint32_t strike_choose(uint32_t index) {
    next_place = &places[index];
    return next_place->pass;
}

int strike_set_up(void) {
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
