/* Samples: which instruction the program is at, and the calls that led there, at moments that have nothing to do with
 * what it does. So hostlink shows where the time goes in code that nobody instrumented.
 *
 *   void timer_handler(void) {                      a timer that counts as kymo's clock does
 *       timer_fire_in(kymo_sample(NULL));
 *   }
 *
 * Of one timer of each core, which the firmware chooses. KYMO_SAMPLE_HZ_MAX lets the code into the image, without which
 * one that calls kymo_sample() does not link; KYMO_CALLSTACKS is the greatest depth, and 1 records the instruction
 * alone. On POSIX kymo_posix_sample.h does it all. */
#ifndef KYMO_SAMPLE_H
#define KYMO_SAMPLE_H

#include <stddef.h>
#include <stdint.h>

#include "kymo/config.h"
#include "kymo/language.h"

KYMO_C_BEGIN

/* What an interrupt preempted, as far as its handler knows; 0 is what it does not. Without "frame" the stack is walked
 * from kymo_sample() outwards, through the handler; that needs what kymo/unwind.h says of an interrupt's entry. */
struct kymo_interrupted {
    uintptr_t pc; /* the instruction that goes on then. 0: what the port, or the walk, says */
    /* Where the walk begins. Of ports that walk by frame pointers: that of "pc"; with it the stack pointer, above which
     * the walk stays for KYMO_STACK_BYTES; on RISC-V the return address register, for a function that calls none. On
     * Cortex-M kymo_cortexm_sample.h fills them in: where r4 to r11 are kept, where the core put the others, and the
     * word that it had in lr then. */
    uintptr_t frame, stack, link;
};

/* Takes a sample if one is due on this lane, and gives the time to the next one, in ticks of kymo's clock, at least 1.
 * While the rate is 0 that is a hundredth of a second, so that a rate that the host sets is seen. 0 where the port does
 * not know the rate of its clock: then a sample is due at each call, and the firmware's timer makes the rate.
 *
 * The intervals differ by chance, between half and one and a half times the mean, so that what the program does in step
 * with a timer does not hide. A timer of one fixed period can call it too, at least twice as often as samples are
 * wanted: calls between are short.
 *
 * In the timer's handler, before KYMO_INTERRUPT() and before other interrupts are let in, so that the sample belongs to
 * the task or interrupt that was preempted; on any core, also before kymo_init(). "at" NULL: nothing is known, as where
 * the start-up code of the handler leaves what kymo/unwind.h says; on x86 "pc" must be given then.
 *
 * A sample that comes more than half a mean interval late, as interrupts were masked or others went first, is taken,
 * and counts as one that was missed, as does each further one that was due meanwhile; the next sample says how many.
 * One that the ring refuses is a lost event. What the host sets cannot drown the program: a sample comes no earlier
 * than three times what the last one took. On rv64 a sample of 8 frames takes some 800 instructions, 44 of them for
 * each frame; on a Cortex-M4, where stacks are walked by tables, some 3100 and 370 with kymo_cortexm_sample.h, else
 * 1200 more. Recording stopped: none is taken. */
#if KYMO_ENABLE
uint32_t kymo_sample(const struct kymo_interrupted *at) KYMO_NOEXCEPT;
#else
KYMO_INLINE_ uint32_t kymo_off_sample(void) { return 0u; }
#define kymo_sample(at) KYMO_OFF_GIVES_(kymo_off_sample, at)
#endif

/* The mean rate of all lanes, in Hz, up to KYMO_SAMPLE_HZ_MAX; 0, the start, takes none. The same is the parameter
 * "kymo.sample_hz": hostlink --set kymo.sample_hz=1000. Any context. */
#if KYMO_ENABLE
void kymo_sample_rate(uint32_t hz) KYMO_NOEXCEPT;
#else
#define kymo_sample_rate(hz) KYMO_OFF_(hz)
#endif

/* What was not sampled up to now was not missed: the timer of this lane was off, as in deep sleep, and starts now. On
 * the lane. */
#if KYMO_ENABLE
void kymo_sample_restart(void) KYMO_NOEXCEPT;
#else
#define kymo_sample_restart() KYMO_OFF_(0)
#endif

KYMO_C_END

#endif
