/* SPDX-License-Identifier: MIT */
/* kymo/unwind.h by frame pointers: each frame keeps a record of two words, the frame pointer of its caller and its
 * return address. Sources: "RISC-V ABIs Specification" 1.0, "Frame pointer convention": the record ends just below
 * the address in the frame pointer. "Procedure Call Standard for the Arm 64-bit Architecture" (IHI 0055), "The frame
 * pointer", and the System V ABIs of i386 and x86-64, "The stack frame": the pointer points to it. */
#include <stdbool.h>
#include <stddef.h>

#include "kymo/sample.h"
#include "kymo/unwind.h"
#include "kymo/wire.h"

#if KYMO_ENABLE && KYMO_ARCH_UNWIND == KYMO_UNWIND_FRAMES

/* Volatile, as the compiler does not see the writes. */
struct record {
    volatile uintptr_t next;
    volatile uintptr_t address;
};

#ifdef __riscv
#define RECORD_BELOW sizeof(struct record)
#else
#define RECORD_BELOW ((size_t)0u)
#endif

static bool is_inside(uintptr_t place, uintptr_t low, uintptr_t end) {
    return place % sizeof(uintptr_t) == 0u && place >= low && end >= sizeof(struct record) &&
           place <= end - sizeof(struct record);
}

/* The record of an interrupt is marked by a bit 0 that is set, on RISC-V in its address, elsewhere in its frame
 * pointer, where others have a 0. The word below is then the interrupted return address. */
static bool is_interrupt(uintptr_t next, uintptr_t address) {
#ifdef __riscv
    (void)next;
    return (address & 1u) != 0u;
#else
    (void)address;
    return (next & 1u) != 0u;
#endif
}

static uintptr_t without_mark(uintptr_t next) {
#ifdef __riscv
    return next;
#else
    return next & ~(uintptr_t)1u;
#endif
}

/* A frame of which only the caller's frame pointer was saved, in the upper place: so gcc does on RISC-V in a
 * function that calls none, and an interrupt may preempt there. A stack holds no code. Its return address is then still
 * in its register. */
static bool has_no_address(uintptr_t address, uintptr_t place, uintptr_t end) {
#ifdef __riscv
    return address > place && address <= end;
#else
    (void)address;
    (void)place;
    (void)end;
    return false;
#endif
}

/* AArch64: functions compiled with -mbranch-protection sign their return addresses in the upper bits. XPACLRI takes the
 * signature out of x30; it is a hint, which cores without signatures ignore. */
static inline uintptr_t without_signature(uintptr_t address) {
#ifdef __aarch64__
    register uintptr_t x30 __asm__("x30") = address;
    __asm__("hint #7" : "+r"(x30));
    return x30;
#else
    return address;
#endif
}

/* AddressSanitizer puts guards around variables on the stack, where a wrong frame pointer may lead. */
#define ANY_WORD_OF_THE_STACK __attribute__((noinline, no_sanitize_address))

/* Code that was interrupted may have no frame of its own, as in its first and last instructions. The word that may be
 * its return address then follows, after a mark. hostlink finds in the ELF file whether it is one. */
static uint32_t put_held(uintptr_t *addresses, uint32_t found, uint32_t count, uintptr_t held) {
    if (held <= KYMO_STACK_HELD || count - found < 2u) {
        return found;
    }
    addresses[found] = KYMO_STACK_HELD;
    addresses[found + 1u] = held;
    return found + 2u;
}

/* "held": the interrupted return address, if the frame before was an interrupt's; the same as the address where the
 * code had a frame. */
static uint32_t put_frame(uintptr_t *addresses, uint32_t found, uint32_t count, uintptr_t held,
                          uintptr_t address) {
    found = held != address ? put_held(addresses, found, count, held) : found;
    if (found < count) {
        addresses[found++] = address;
    }
    return found;
}

/* Apart, so that the function below calls one and therefore has a whole record. "link": the return address of the
 * interrupted function, if the frame before was an interrupt's, else 0. */
static ANY_WORD_OF_THE_STACK uint32_t walk(uintptr_t frame, uintptr_t end, uintptr_t *addresses,
                                           uint32_t count, uint32_t skip, uintptr_t link) {
    uintptr_t place = frame - RECORD_BELOW;
    uintptr_t low = place;
    uintptr_t held = link;
    uint32_t found = 0u;
    while (found < count && is_inside(place, low, end)) {
        const struct record *record = (const struct record *)place;
        uintptr_t address = without_signature(record->address);
        uintptr_t next = record->next;
        if (has_no_address(address, place, end)) {
            next = address;
            address = link;
        } else if (address <= KYMO_STACK_HELD) { /* as the first word of a program's stack */
            break;
        }
        link = is_interrupt(next, address) && place - sizeof(uintptr_t) >= low
                   ? without_signature(*(const volatile uintptr_t *)(place - sizeof(uintptr_t)))
                   : 0u;
        if (address != 0u && skip > 0u) {
            skip--;
            held = 0u;
        } else if (address != 0u) {
            found = put_frame(addresses, found, count, held, address);
            held = link;
        }
        low = place + sizeof(struct record);
        place = without_mark(next) - RECORD_BELOW;
    }
    return put_held(addresses, found, count, held);
}

__attribute__((noinline)) uint32_t kymo_arch_unwind(uintptr_t *addresses, uint32_t count,
                                                    uint32_t skip, uintptr_t stack_end) {
    const uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
    const uint32_t found =
        walk(frame, kymo_unwind_end(frame, stack_end), addresses, count, skip, 0u);
    /* Keeps the call from becoming a jump, after which this frame would be gone. */
    __asm__ volatile("" ::: "memory");
    return found;
}

#if KYMO_SAMPLE_HZ_MAX

uint32_t kymo_unwind_interrupted(const struct kymo_interrupted *at, uintptr_t *addresses,
                                 uint32_t count) {
    const uintptr_t low = at->stack != 0u ? at->stack : (uintptr_t)__builtin_frame_address(0);
    const uintptr_t end = kymo_unwind_end(low, 0u);
    const uintptr_t frame = at->frame - RECORD_BELOW >= low ? at->frame : end + RECORD_BELOW;
    return walk(frame, end, addresses, count, 0u, without_signature(at->link));
}

#endif

#endif
