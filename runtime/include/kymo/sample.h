/* SPDX-License-Identifier: MIT */
/* Sampling: a timer interrupt records the program counter and the call stack of the code that it preempted. hostlink
 * shows from this where the time goes in code without any macro.
 *
 *   void timer_handler(void) {                      a timer that counts as kymo's clock does
 *       timer_fire_in(kymo_sample(NULL));
 *   }
 *
 * The firmware chooses one timer for each core. Set KYMO_SAMPLE_HZ_MAX: without it a program that calls kymo_sample()
 * does not link. KYMO_CALLSTACKS is the greatest depth; 1 records the program counter alone. On POSIX,
 * kymo_posix_sample.h does all of this. */
#ifndef KYMO_SAMPLE_H
#define KYMO_SAMPLE_H

#include <stddef.h>
#include <stdint.h>

#include "kymo/config.h"
#include "kymo/language.h"

KYMO_C_BEGIN

/* The preempted code, as far as the handler knows it; 0 means unknown. Without "frame", kymo_sample() walks the stack
 * from itself outwards through the handler; kymo/unwind.h lists the words that the interrupt's entry must save. */
struct kymo_interrupted {
    uintptr_t pc; /* the preempted instruction. 0: the port or the walk finds it */
    /* Where the walk begins. Ports that walk by frame pointers: the preempted frame pointer; the preempted stack
     * pointer, from which the walk reads at most KYMO_STACK_BYTES upwards; as "link" the preempted return address
     * register, on x86 the word that the preempted stack pointer points to, without which code that has no frame lacks
     * its caller. On Cortex-M kymo_cortexm_sample.h fills them in: the address of the saved
     * r4 to r11, the address of the core's exception frame, and EXC_RETURN. */
    uintptr_t frame, stack, link;
};

/* Takes a sample if one is due on this lane. Returns the time until the next one in ticks of kymo's clock, at least 1.
 * While the rate is 0 it returns a hundredth of a second, so that a rate set by the host takes effect. It returns 0 if
 * the port does not know the rate of its clock: then each call takes a sample, and the firmware's timer sets the rate.
 *
 * The intervals vary at random between 0.5 and 1.5 times the mean, so that periodic code does not hide. A timer with a
 * fixed period can call it too, at least twice as often as samples are wanted; a call without a sample is short.
 *
 * Call it in the timer's handler, before KYMO_INTERRUPT() and before other interrupts are enabled, so that the sample
 * belongs to the preempted task or interrupt. Any core, also before kymo_init(). "at" may be NULL if the handler's
 * entry saves what kymo/unwind.h requires; on x86 "pc" must be given.
 *
 * A sample more than half a mean interval late, because interrupts were masked or others had priority, is taken and
 * also counted as missed, as is each further one that was due meanwhile; the next sample carries the count. With the
 * ring full a sample is a lost event. The host cannot overload the board: after each sample the next one waits
 * at least three times as long as the last one took. On rv64 a sample of 8 frames takes some 900 instructions, 58 for
 * each frame. On a Cortex-M4, which walks stacks by tables, it takes some 1500, 120 for each frame, with
 * kymo_cortexm_sample.h, and 700 more without. While recording is stopped no sample is taken. */
uint32_t kymo_sample(const struct kymo_interrupted *at) KYMO_NOEXCEPT;

/* Sets the mean rate of each lane in Hz, up to KYMO_SAMPLE_HZ_MAX; 0, the initial value, takes no samples. The host can
 * set it too: hostlink --set kymo.sample_hz=1000. Any context. */
void kymo_sample_rate(uint32_t hz) KYMO_NOEXCEPT;

/* Call it on the lane when its timer starts again after it was off, as in deep sleep: samples due meanwhile do not
 * count as missed. */
void kymo_sample_restart(void) KYMO_NOEXCEPT;

#if !KYMO_ENABLE
KYMO_INLINE_ uint32_t kymo_off_sample(void) { return 0u; }
#define kymo_sample(at) KYMO_OFF_GIVES_(kymo_off_sample, at)
#define kymo_sample_rate(hz) KYMO_OFF_(hz)
#define kymo_sample_restart() KYMO_OFF_(0)
#endif

KYMO_C_END

#endif
