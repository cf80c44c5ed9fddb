/* Strikes an interrupt (fake_interrupt()) at a chosen instruction, on Linux on x86-64.
 *
 * The places to strike are found by single-stepping through a call once: each instruction that is
 * executed is one, each time that it is executed. There a breakpoint makes the strike, since
 * stepping up to it each time would take hours. */
#ifndef TESTS_STRIKE_H
#define TESTS_STRIKE_H

#include <stdbool.h>
#include <stdint.h>

#define STRIKE_LEVELS 3u /* main, the interrupt, an interrupt in that */
#define STRIKE_NEVER 0xffffffffu
#define STRIKE_PLACES 65536u

/* Where to strike, one for each level of nesting. */
struct strike {
    uint32_t call;           /* the target: this call, counted from 0 ... */
    uint32_t step;           /* ... and so many instructions in it; 0: at the chosen place */
    volatile uint32_t calls; /* so far */
    volatile uint32_t steps;
    volatile bool armed, struck;
};
extern struct strike strikes[STRIKE_LEVELS];
/* Of the code that runs: the interrupt raises it, and lowers it at its end. */
extern volatile uint32_t strike_level;

/* What a strike does: fake_interrupt(), if it is not set to something else. It may set a later "step" of the same call,
 * to strike there again. */
extern void (*strike_hits)(void);

/* Makes the program's code writable, for the breakpoints, and takes SIGTRAP. 0, or -errno. */
int strike_set_up(void);
/* Right before and right after each call that may be struck: for player_around. */
void strike_around(bool before);

/* Between on and off the target call is stepped through, and not struck. */
void strike_find(bool on);
uint32_t strike_place_count(void);
/* Chooses the place for strikes without "step"; the how many-th time the call comes by there. */
uint32_t strike_choose(uint32_t index);

#endif
