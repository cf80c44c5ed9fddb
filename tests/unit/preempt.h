/* SPDX-License-Identifier: MIT */
/* Preempts an interrupt (fake_interrupt()) at a chosen instruction, on Linux on x86-64.
 *
 * The places to preempt are found by single-stepping through a call once: each instruction that is
 * executed is one, each time that it is executed. There a breakpoint makes the preempt, since
 * stepping up to it each time would take hours. */
#ifndef TESTS_PREEMPT_H
#define TESTS_PREEMPT_H

#include <stdbool.h>
#include <stdint.h>

#define PREEMPT_LEVELS 3u /* main, the interrupt, an interrupt in that */
#define PREEMPT_NEVER 0xffffffffu
#define PREEMPT_PLACES 65536u

/* Where to preempt, one for each level of nesting. */
struct preempt {
    uint32_t call;           /* the target: this call, counted from 0 ... */
    uint32_t step;           /* ... and so many instructions in it; 0: at the chosen place */
    volatile uint32_t calls; /* so far */
    volatile uint32_t steps;
    volatile bool armed, preempted;
};
extern struct preempt preempts[PREEMPT_LEVELS];
/* The level of the running code: the interrupt raises it, and lowers it at its end. */
extern volatile uint32_t preempt_level;

/* Runs at a preemption: fake_interrupt(), if it is not set to something else. It may set a later
 * "step" of the same call, to preempt there again; at a chosen place steps are counted from there. */
extern void (*preempt_hits)(void);

/* Makes the program's code writable, for the breakpoints, and takes SIGTRAP. 0, or -errno. */
int preempt_set_up(void **state);
/* Right before and right after each call that may be preempted: for player_around. */
void preempt_around(bool before);

/* Between on and off the target call is stepped through, and not preempted. */
void preempt_find(bool on);
uint32_t preempt_place_count(void);
/* The most instructions that a call found so ran in one go while this said true, if it is set. */
extern bool (*preempt_is_masked)(void);
extern volatile uint32_t preempt_masked_most;
/* Chooses the place for preempts without "step"; the how many-th time the call comes by there. */
uint32_t preempt_choose(uint32_t index);

#endif
