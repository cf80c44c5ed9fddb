/* SPDX-License-Identifier: MIT */
/* An interrupt begins or ends on this CPU. Private to the module; from the kernel's hooks. */
#ifndef KYMO_ZEPHYR_INTERRUPTS_H
#define KYMO_ZEPHYR_INTERRUPTS_H

void kymo_zephyr_interrupt_enter(void);
void kymo_zephyr_interrupt_leave(void);

#endif
