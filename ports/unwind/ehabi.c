/* SPDX-License-Identifier: MIT */
/* kymo/unwind.h on 32-bit Arm, by the tables that a compiler makes with -funwind-tables. Source: "Exception Handling
 * ABI for the Arm Architecture" (IHI 0038), to which section numbers refer. Compile this file with -funwind-tables
 * too, since the walk begins in it.
 *
 * Exceptions of Cortex-M are walked through: "ARMv7-M Architecture Reference Manual" (DDI 0403E), B1.5.6 to
 * B1.5.8. Not through one that preempted in the other security state. */
#include <stdbool.h>
#include <stddef.h>

#include "kymo/bytes.h"
#include "kymo/sample.h"
#include "kymo/unwind.h"

#if KYMO_ENABLE && KYMO_ARCH_UNWIND == KYMO_UNWIND_EHABI

#define SP 13u
#define LR 14u
#define PC 15u
#define WORD 4u

struct entry;
struct walk {
    uintptr_t r[16];
    uintptr_t low, last;          /* the first and the last word of the stack that may be read */
    const struct entry *function; /* of r[PC] */
    bool exact;         /* r[PC] is an instruction that was interrupted, not one after a call */
    uint32_t exception; /* number of the exception whose handler r[PC] runs in; 0: none */
};

/* ---- the table, section 5: functions in order of their addresses ---- */

struct entry {
    uint32_t start; /* a place relative to this word, in 31 bits */
    uint32_t what;  /* CANT_UNWIND, or with the top bit the instructions, or their place */
};
#define CANT_UNWIND 1u
#define INLINE 0x80000000u

#ifndef TABLE_START /* a test on another machine has its own */
extern const struct entry __exidx_start[] __attribute__((weak));
extern const struct entry __exidx_end[] __attribute__((weak));
#define TABLE_START __exidx_start
#define TABLE_END __exidx_end
#endif

/* Signed 31 bits, relative to the word itself. */
static uintptr_t place_of(const uint32_t *word) {
    return (uintptr_t)word + ((*word & 0x7fffffffu) ^ (uintptr_t)0x40000000u) - 0x40000000u;
}

static const struct entry *search(uintptr_t address) {
    const struct entry *first = TABLE_START;
    size_t count = (size_t)(TABLE_END - TABLE_START);
    if (count == 0u || address < place_of(&first->start)) {
        return NULL;
    }
    while (count > 1u) {
        const size_t half = count / 2u;
        if (address < place_of(&first[half].start)) {
            count = half;
        } else {
            first += half;
            count -= half;
        }
    }
    return first;
}

/* Entries that were found last, as walks meet the same functions again and again. Each is one word, which is checked
 * before use: so an interrupting context, or another core, cannot make it wrong. */
#define FOUND_LAST 32u
static const struct entry *found_last[FOUND_LAST];

static const struct entry *find(uintptr_t address) {
    const uint32_t hash = (uint32_t)(address >> 4) * 2654435761u;
    const struct entry **const at = &found_last[hash / (UINT32_MAX / FOUND_LAST + 1u)];
    const struct entry *entry = __atomic_load_n(at, __ATOMIC_RELAXED);
    if (entry != NULL && address >= place_of(&entry->start) &&
        (entry + 1 == TABLE_END || address < place_of(&entry[1].start))) {
        return entry;
    }
    entry = search(address);
    __atomic_store_n(at, entry, __ATOMIC_RELAXED);
    return entry;
}

/* ---- a function's unwinding instructions, sections 6.3 and 9 ---- */

struct code {
    const uint32_t *word; /* the next one */
    uint32_t words;       /* so many are left */
    uint32_t held, bytes; /* of the one before, so many bytes are left, at the top */
};
#define FINISH 0xb0u

/* False where a language's own routine would have to be asked. */
static bool open_code(const struct entry *entry, struct code *code) {
    const uint32_t *word = &entry->what;
    if (*word == CANT_UNWIND) {
        return false;
    }
    if ((*word & INLINE) == 0u) {
        word = (const uint32_t *)place_of(word);
    }
    const uint32_t index = *word >> 24 & 15u;
    if ((*word & 0xf0000000u) != INLINE || index > 2u) {
        return false;
    }
    code->words = index == 0u ? 0u : *word >> 16 & 0xffu;
    code->bytes = index == 0u ? 3u : 2u;
    code->held = *word << (8u * (4u - code->bytes));
    code->word = word + 1;
    return true;
}

static uint32_t next_byte(struct code *code) {
    if (code->bytes == 0u) {
        if (code->words == 0u) {
            return FINISH;
        }
        code->held = *code->word++;
        code->words--;
        code->bytes = 4u;
    }
    const uint32_t byte = code->held >> 24;
    code->held <<= 8;
    code->bytes--;
    return byte;
}

/* ---- the registers ---- */

/* Registers from "first" on, by the bits of the mask. */
static bool pop(struct walk *walk, uint32_t first, uint32_t mask) {
    const uintptr_t low = walk->low, last = walk->last;
    uintptr_t *to = &walk->r[first];
    uintptr_t from = walk->r[SP];
    if (from % WORD != 0u) {
        return false;
    }
#if KYMO_ARCH_COUNTS_ZEROS
    for (; mask != 0u; mask &= mask - 1u) {
        if (from < low || from > last) {
            return false;
        }
        to[__builtin_ctz(mask)] = *(const volatile uint32_t *)from;
        from += WORD;
    }
#else
    for (; mask != 0u; to++, mask >>= 1) {
        while ((mask & 0xfu) == 0u) { /* as before lr alone */
            to += 4;
            mask >>= 4;
        }
        if ((mask & 1u) != 0u) {
            if (from < low || from > last) {
                return false;
            }
            *to = *(const volatile uint32_t *)from;
            from += WORD;
        }
    }
#endif
    walk->r[SP] = from;
    return true;
}

/* "first" and the next ones, so many of them, and the link register if there is one word more. */
static bool pop_run(struct walk *walk, uint32_t first, uint32_t count, uint32_t words) {
    const uintptr_t from = walk->r[SP];
    const volatile uint32_t *word = (const volatile uint32_t *)from;
    if (from % WORD != 0u || from < walk->low || from > walk->last ||
        walk->last - from < (words - 1u) * WORD) {
        return false;
    }
    for (uint32_t i = 0u; i < count; i++) {
        walk->r[first + i] = word[i];
    }
    if (words > count) {
        walk->r[LR] = word[count];
    }
    walk->r[SP] = from + words * WORD;
    return true;
}

static bool move_sp(struct walk *walk, uintptr_t bytes) {
    walk->r[SP] += bytes;
    return true;
}

/* Registers of the floating-point unit are stepped over. */
static bool skip_doubles(struct walk *walk, uint32_t count, uint32_t more) {
    return move_sp(walk, 8u * count + more);
}

static bool add_long(struct walk *walk, struct code *code) {
    uintptr_t value = 0u;
    for (uint32_t shift = 0u; shift < 28u; shift += 7u) {
        const uint32_t byte = next_byte(code);
        value |= (uintptr_t)(byte & 0x7fu) << shift;
        if ((byte & 0x80u) == 0u) {
            return move_sp(walk, 0x204u + (value << 2));
        }
    }
    return false;
}

/* Opcodes 0xb1 to 0xcf except FINISH. Armv8.1-M keeps the signature of a return address in a word of its own, and the
 * address as it is: 0xb4 pops that word, 0xb5 says what it was made with. */
static bool obey_rare(struct walk *walk, struct code *code, uint32_t byte) {
    if (byte == 0xb1u) {
        const uint32_t mask = next_byte(code);
        return mask != 0u && mask < 16u && pop(walk, 0u, mask);
    }
    if (byte == 0xb2u) {
        return add_long(walk, code);
    }
    if (byte == 0xb3u) {
        return skip_doubles(walk, (next_byte(code) & 15u) + 1u, WORD);
    }
    if (byte == 0xb4u || byte == 0xb5u) {
        return move_sp(walk, byte == 0xb4u ? WORD : 0u);
    }
    if (byte >= 0xb8u && byte <= 0xbfu) {
        return skip_doubles(walk, (byte & 7u) + 1u, WORD);
    }
    if (byte == 0xc8u || byte == 0xc9u) {
        return skip_doubles(walk, (next_byte(code) & 15u) + 1u, 0u);
    }
    return false;
}

/* One instruction; false if it refuses, is unknown, or leads out of the stack. The stack pointer itself is never
 * popped: compilers move it. */
static bool obey(struct walk *walk, struct code *code, uint32_t byte) {
    if (byte < 0x40u) {
        return move_sp(walk, (byte << 2) + WORD);
    }
    if (byte < 0x80u) {
        return move_sp(walk, 0u - (uintptr_t)(((byte & 0x3fu) << 2) + WORD));
    }
    if (byte < 0x90u) {
        const uint32_t mask = (byte & 15u) << 8 | next_byte(code);
        return mask != 0u && (mask & 1u << (SP - 4u)) == 0u && pop(walk, 4u, mask);
    }
    if (byte < 0xa0u) {
        const uint32_t number = byte & 15u;
        walk->r[SP] = walk->r[number];
        return number != SP && number != PC;
    }
    if (byte < 0xb0u) {
        const uint32_t count = (byte & 7u) + 1u;
        return pop_run(walk, 4u, count, count + (byte >> 3 & 1u));
    }
    if (byte >= 0xd0u && byte < 0xd8u) {
        return skip_doubles(walk, (byte & 7u) + 1u, 0u);
    }
    return obey_rare(walk, code, byte);
}

/* One less is in the function, also if a call that does not return is its last instruction. */
static uintptr_t address_of(const struct walk *walk) {
    return (walk->r[PC] & ~(uintptr_t)1u) + (walk->exact ? 1u : 0u);
}

/* False: the address is not code. The last entry of the table that cannot be unwound comes after all code. */
static bool enter_function(struct walk *walk) {
    const struct entry *entry = find(address_of(walk) - 1u);
    walk->function = entry;
    return entry != NULL && (entry + 1 != TABLE_END || entry->what != CANT_UNWIND);
}

/* pop {r3}, pop {lr}: the most frequent one in Thumb-2 code, where r3 keeps the stack a multiple of 8. */
static inline bool is_r3_and_lr(const struct code *code) {
    return code->held == 0xb1080000u && code->words == 1u && *code->word == 0x8400b0b0u;
}

static inline bool obey_all(struct walk *walk, struct code *code) {
    if (is_r3_and_lr(code)) {
        return pop_run(walk, 3u, 1u, 2u);
    }
    for (uint32_t byte = next_byte(code); byte != FINISH; byte = next_byte(code)) {
        if (!obey(walk, code, byte)) {
            return false;
        }
    }
    return true;
}

/* ---- a function that was interrupted in its first instructions ---- */

#if defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M'

/* Its table holds once it has all its registers on the stack. Before its first jump or call, the frame is only the
 * bytes pushed and then reserved so far: "Armv7-M Architecture Reference Manual" (DDI 0403E), A5.2, A5.3 and A7.7. */
#define PROLOGUE_BYTES 24u
struct prologue {
    uint32_t pushed, bytes;
};

/* A jump, or another change of the stack pointer than those that are known. */
static bool is_other(uint32_t first, uint32_t second) {
    if (first >= 0xe800u) {
        const bool computes = (first & 0xf800u) == 0xf000u; /* or jumps */
        return (computes && ((second & 0x8000u) != 0u || (second & 0xf00u) == 0xd00u)) ||
               (first & 0xffefu) == 0xe8adu || (first & 0xfe6fu) == 0xe86du ||
               ((first & 0xff0fu) == 0xf80du && (second & 0x900u) == 0x900u);
    }
    return (first >= 0xd000u && (first & 0xff00u) != 0xdf00u) || (first & 0xff00u) == 0x4700u ||
           (first & 0xf500u) == 0xb100u || (first & 0xfe00u) == 0xbc00u ||
           (first & 0xff80u) == 0xb000u || (first & 0xfd87u) == 0x4485u;
}

/* 0: it is no such instruction. */
static uint32_t pushed_by(uint32_t first, uint32_t second) {
    return (first & 0xfe00u) == 0xb400u ? (first & 0xffu) | (first & 0x100u) << 6
           : first == 0xe92du           ? second
           : first == 0xf84du && (second & 0xfffu) == 0xd04u ? 1u << (second >> 12)
                                                             : 0u;
}

static uint32_t reserved_by(uint32_t first, uint32_t second) {
    return (first & 0xff80u) == 0xb080u   ? (first & 0x7fu) << 2
           : (first & 0xffbfu) == 0xed2du ? (second & 0xffu) << 2
                                          : 0u;
}

static inline bool look_at_prologue(uintptr_t start, uintptr_t pc, struct prologue *prologue) {
    while (start < pc) {
        const volatile uint16_t *at = (const volatile uint16_t *)start;
        const uint32_t first = at[0], second = first >= 0xe800u ? at[1] : 0u;
        const uint32_t pushed = pushed_by(first, second), bytes = reserved_by(first, second);
        if ((pushed != 0u && (prologue->pushed | prologue->bytes) != 0u) ||
            ((pushed | bytes) == 0u && is_other(first, second))) {
            return false;
        }
        prologue->pushed |= pushed;
        prologue->bytes += bytes;
        start += first >= 0xe800u ? 4u : 2u;
    }
    return start == pc;
}

/* Restores the registers of the function's start. False: use its table instead. */
static bool leave_prologue(struct walk *walk, uintptr_t start, uintptr_t pc) {
    struct prologue prologue = {0u, 0u};
    if (!look_at_prologue(start, pc, &prologue)) {
        return false;
    }
    walk->r[SP] += prologue.bytes;
    if (prologue.pushed != 0u && !pop(walk, 0u, prologue.pushed)) {
        walk->r[LR] = 0u;
    }
    return true;
}

#else

#define PROLOGUE_BYTES 0u
static bool leave_prologue(const struct walk *walk, uintptr_t start, uintptr_t pc) {
    return (void)walk, start == pc;
}

#endif

/* From a function to its caller. The stack pointer must rise, except in an interrupted function that keeps nothing on
 * the stack. The link register holds a value left by the function's own calls: one that does not return has no other
 * address. */
static bool step(struct walk *walk) {
    const uintptr_t before = walk->r[SP];
    struct code code;
    const uintptr_t pc = walk->r[PC] & ~(uintptr_t)1u, start = place_of(&walk->function->start);
    if (walk->exact && pc - start <= PROLOGUE_BYTES && leave_prologue(walk, start, pc)) {
        walk->exact = false;
        walk->r[PC] = walk->r[LR];
        walk->low = walk->r[SP];
        return walk->r[PC] != 0u;
    }
    if (!open_code(walk->function, &code)) {
        return false;
    }
    if (!walk->exact) {
        walk->r[LR] = 0u;
    }
    walk->r[PC] = 0u;
    if (!obey_all(walk, &code)) {
        return false;
    }
    const bool rises = walk->r[SP] > before || (walk->exact && walk->r[SP] == before);
    /* Only the entry of an interrupt pops the counter itself; all others pop the link register. */
    walk->exact = walk->r[PC] != 0u;
    if (!walk->exact) {
        walk->r[PC] = walk->r[LR];
    }
    walk->low = walk->r[SP];
    return rises && walk->r[PC] != 0u;
}

/* ---- exceptions ---- */

#define NUMBER_OF_EXCEPTION 0x1ffu /* in IPSR and in xPSR */

#if defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M'
#define HAS_EXCEPTION_FRAMES 1 /* or a test on another machine, which has its own registers */
static inline uintptr_t process_stack(void) {
    uintptr_t stack;
    __asm__ volatile("mrs %0, psp" : "=r"(stack));
    return stack;
}
static inline uint32_t exception_now(void) {
    uint32_t number;
    __asm__ volatile("mrs %0, ipsr" : "=r"(number));
    return number & NUMBER_OF_EXCEPTION;
}
#endif

#if defined(__arm__) || defined(HAS_EXCEPTION_FRAMES)
/* The stack begins at its pointer. Without room for a word nothing may be read. */
static void bound(struct walk *walk, uintptr_t stack_end) {
    const uintptr_t end = kymo_unwind_end(walk->r[SP], stack_end);
    walk->low = end >= WORD ? walk->r[SP] : UINTPTR_MAX;
    walk->last = end >= WORD ? end - WORD : 0u;
}
#endif

#ifdef HAS_EXCEPTION_FRAMES

/* EXC_RETURN, "Armv8-M Architecture Reference Manual" (DDI 0553), which Armv6-M's and Armv7-M's values obey too: bits 7
 * to 31 are ones, bit 1 is 0, and bit 6, the stack's security state, is as bit 0, the handler's. What a link register
 * holds after reset, all ones, is not an address. */
#define IS_EXCEPTION_RETURN(address)                                                               \
    ((address) >= 0xffffff80u && (((address)&0x43u) == 0x41u || ((address)&0x43u) == 0u))
#define RETURN_TO_PROCESS_STACK 0x4u
#define RETURN_TO_THREAD 0x8u
#define RETURN_BASIC_FRAME 0x10u  /* without registers of the floating-point unit */
#define RETURN_NOTHING_MORE 0x20u /* Armv8-M: no registers of the other security state below */
#define FRAME_FLOAT_BYTES 72u
#define XPSR_PADDED 0x200u

static bool load(const struct walk *walk, uintptr_t address, uintptr_t *value) {
    if (address % WORD != 0u || address < walk->low || address > walk->last) {
        return false;
    }
    *value = *(const volatile uint32_t *)address;
    return true;
}

/* The core has put r0 to r3, r12, lr, the interrupted address and xpsr onto the stack that was in use. xpsr says too
 * whether a handler was interrupted. */
static bool leave_exception(struct walk *walk) {
    const uintptr_t how = walk->r[PC];
    uintptr_t xpsr;
    if (walk->exception == 0u || (how & RETURN_NOTHING_MORE) == 0u) {
        return false;
    }
    if ((how & RETURN_TO_PROCESS_STACK) != 0u) {
        walk->r[SP] = process_stack();
        bound(walk, 0u);
    }
    if (!pop(walk, 0u, 0xfu) || !pop(walk, 12u, 1u) || !pop(walk, LR, 3u) ||
        !load(walk, walk->r[SP], &xpsr)) {
        return false;
    }
    walk->exception = (uint32_t)xpsr & NUMBER_OF_EXCEPTION;
    if ((walk->exception == 0u) != ((how & RETURN_TO_THREAD) != 0u)) {
        return false;
    }
    walk->r[SP] += WORD + ((xpsr & XPSR_PADDED) != 0u ? WORD : 0u) +
                   ((how & RETURN_BASIC_FRAME) != 0u ? 0u : FRAME_FLOAT_BYTES);
    walk->low = walk->r[SP];
    walk->exact = true;
    return true;
}

#else

#define exception_now() 0u
#define IS_EXCEPTION_RETURN(address) false
static bool leave_exception(const struct walk *walk) { return walk == NULL; }

#endif

/* ---- the walk ---- */

/* From the function that r[PC] is in. */
static uint32_t walk_out(struct walk *walk, uintptr_t *addresses, uint32_t count, uint32_t skip) {
    uint32_t found = 0u;
    if (!enter_function(walk)) {
        return 0u;
    }
    while (found < count && step(walk)) {
        if (IS_EXCEPTION_RETURN(walk->r[PC]) && !leave_exception(walk)) {
            break;
        }
        if (!enter_function(walk)) {
            break;
        }
        if (skip > 0u) {
            skip--;
        } else {
            addresses[found++] = address_of(walk);
        }
    }
    return found;
}

#ifdef __arm__

/* The registers as they are somewhere in this function, from which its own table leads to its caller. */
__attribute__((noinline)) uint32_t kymo_arch_unwind(uintptr_t *addresses, uint32_t count,
                                                    uint32_t skip, uintptr_t stack_end) {
    struct walk walk;
    uintptr_t value;
    kymo_put_zeros(walk.r, sizeof walk.r);
    __asm__ volatile("str r4, [%1, #16]\n\tstr r5, [%1, #20]\n\tstr r6, [%1, #24]\n\t"
                     "str r7, [%1, #28]\n\tmov %0, r8\n\tstr %0, [%1, #32]\n\t"
                     "mov %0, r9\n\tstr %0, [%1, #36]\n\tmov %0, r10\n\tstr %0, [%1, #40]\n\t"
                     "mov %0, r11\n\tstr %0, [%1, #44]\n\tmov %0, sp\n\tstr %0, [%1, #52]\n\t"
                     "mov %0, lr\n\tstr %0, [%1, #56]\n\tmov %0, pc\n\tstr %0, [%1, #60]"
                     : "=&l"(value)
                     : "l"(walk.r)
                     : "memory");
    bound(&walk, stack_end);
    walk.exact = true;
    walk.exception = exception_now();
    return walk_out(&walk, addresses, count, skip);
}

#if KYMO_SAMPLE_HZ_MAX && KYMO_ARCH_UNWINDS_INTERRUPTED

uint32_t kymo_unwind_interrupted(const struct kymo_interrupted *at, uintptr_t *addresses,
                                 uint32_t count) {
    const volatile uint32_t *saved = (const volatile uint32_t *)at->frame;
    struct walk walk;
    for (uint32_t i = 0u; i < 8u; i++) {
        walk.r[4u + i] = saved[i];
    }
    walk.r[SP] = at->stack;
    walk.r[PC] = at->link;
    walk.exception = exception_now();
    bound(&walk, 0u);
    return IS_EXCEPTION_RETURN(at->link) && leave_exception(&walk)
               ? walk_out(&walk, addresses, count, 0u)
               : 0u;
}

#endif

/* Each object that has tables names one of these, which a C++ library's own unwinder replaces. Never called. */
void __aeabi_unwind_cpp_pr0(void);
void __aeabi_unwind_cpp_pr1(void);
__attribute__((weak, used)) void __aeabi_unwind_cpp_pr0(void) {}
__attribute__((weak, used)) void __aeabi_unwind_cpp_pr1(void) {}

#endif

#endif
