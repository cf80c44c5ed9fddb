/* SPDX-License-Identifier: MIT */
/* The contexts that record on one lane: main code and the interrupts (or signal handlers) that preempt it.
 *
 * Context 0 is main code. Contexts 1 and 2 preempt contexts of a lower number, between any two steps and as often as they
 * have operations left, and return before the preempted context goes on. With FREE all three are threads of one lane and
 * interleave in any order. A step that another context or the consumer can see begins with "here". */

#ifndef OPERATIONS_0
#define OPERATIONS_0 2
#define OPERATIONS_1 2
#define OPERATIONS_2 1
#endif

/* The calls of each context: sums of these. */
#define SHORT 1
#define LONG 2
#define BEGIN 4
#define END 8
#define SWITCH 16
#define ENTER 32
#define LEAVE 64
#ifndef CALLS_0
#define CALLS_0 15
#endif
#ifndef CALLS_1
#define CALLS_1 15
#endif
#ifndef CALLS_2
#define CALLS_2 15
#endif

byte level;        /* the context that runs */
bool under_way[3]; /* it was entered and has not returned */
byte left[3] = { OPERATIONS_0, OPERATIONS_1, OPERATIONS_2 }; /* operations that it still does */
byte zones;         /* accepted zones without their end: any context may end them */

#ifdef FREE
#define here true
#define MAY_ENTER true
#else
#define here (level == _pid)
#define MAY_ENTER (level == _pid || (level < _pid && !(MASKED)))
#endif

#define ALL_RETURNED (left[0] + left[1] + left[2] == 0 && !under_way[0] && !under_way[1] && !under_way[2])
