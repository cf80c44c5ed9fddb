/* SPDX-License-Identifier: MIT */
/* The ends of the kernel's stacks, so that a walk reads nothing beyond them. */
#include <zephyr/kernel.h>

#include "kymo/arch.h"

#ifdef CONFIG_OMIT_FRAME_POINTER
#error "CONFIG_KYMO_CALLSTACKS needs frame pointers: set CONFIG_OMIT_FRAME_POINTER to n"
#endif

/* A thread begins in the kernel's z_thread_entry(), which has no caller. It still saves a frame pointer and a return
 * address, in the two uppermost words of the stack: these are garbage, and a walk must not read them. */
#define ENTRY_BYTES (2u * sizeof(uintptr_t))

/* The stack of another thread is not read: a walk there ends with the caller. */
uintptr_t kymo_zephyr_stack_end(uintptr_t stack) {
    const struct k_thread *thread = _current;
    if (thread != NULL && stack - thread->stack_info.start <= thread->stack_info.size) {
        const uintptr_t top =
            thread->stack_info.start + thread->stack_info.size - thread->stack_info.delta;
        return top / ARCH_STACK_PTR_ALIGN * ARCH_STACK_PTR_ALIGN - ENTRY_BYTES;
    }
    const uintptr_t end = (uintptr_t)_kernel.cpus[kymo_arch_lane()].irq_stack;
    return end - stack <= (uintptr_t)CONFIG_ISR_STACK_SIZE ? end : stack;
}
