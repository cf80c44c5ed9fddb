/* SPDX-License-Identifier: MIT */
/* The stacks of the kernel's threads, for the thread that sends. Private to the module. */
#ifndef KYMO_ZEPHYR_KERNEL_H
#define KYMO_ZEPHYR_KERNEL_H

#if defined(CONFIG_KYMO_KERNEL) && defined(CONFIG_INIT_STACKS) &&                                  \
    defined(CONFIG_THREAD_STACK_INFO) && defined(CONFIG_THREAD_NAME)
#define KYMO_ZEPHYR_STACKS

/* Records how much of its stack one thread never used; of another one with each call. From a thread, whose calls look
 * at all those bytes with the scheduler locked. */
void kymo_zephyr_look_at_a_stack(void);

#endif

#endif
