/* SPDX-License-Identifier: MIT */
/* The kernel's hooks of interrupts. Apart from its headers: older releases call them with a number, newer ones
 * without. */
#include "interrupts.h"

void sys_trace_isr_enter_user(void);
void sys_trace_isr_exit_user(void);

void sys_trace_isr_enter_user(void) { kymo_zephyr_interrupt_enter(); }
void sys_trace_isr_exit_user(void) { kymo_zephyr_interrupt_leave(); }
