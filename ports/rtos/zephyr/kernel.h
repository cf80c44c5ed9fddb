/* What the kernel runs, as contexts. Private to the module. */
#ifndef KYMO_ZEPHYR_KERNEL_H
#define KYMO_ZEPHYR_KERNEL_H

#ifdef CONFIG_KYMO_NAMES_MS

/* Records the names of all threads. From a thread; costs a record for each, with interrupts masked meanwhile. */
void kymo_zephyr_name_threads(void);

#endif

#endif
