/* SPDX-License-Identifier: MIT */
/* The functions that a compiler calls for copies and initialisers of whole objects, for an image without a C library:
 * kymo_add_runtime(... NO_LIBC), or add this file to the image's sources. kymo itself calls none of them.
 *
 * A compiler makes a call of memset() from a loop that clears, or of __aeabi_memclr() from a call of memset(): here
 * these would be calls of themselves. Each access is volatile, which no compiler replaces, whatever its options.
 * Byte by byte, so slow; a C library has faster ones. */
#include <stddef.h>

/* "used": link-time optimisation must keep functions that only a later pass calls. */
#define CALLED_BY_COMPILER __attribute__((used))

void *memcpy(void *restrict to, const void *restrict from, size_t count);
void *memmove(void *to, const void *from, size_t count);
void *memset(void *to, int value, size_t count);
int memcmp(const void *a, const void *b, size_t count);

static inline void copy_up(void *to, const void *from, size_t count) {
    volatile unsigned char *out = to;
    const volatile unsigned char *in = from;
    for (size_t i = 0u; i < count; i++) {
        out[i] = in[i];
    }
}

static inline void copy_overlapping(void *to, const void *from, size_t count) {
    volatile unsigned char *out = to;
    const volatile unsigned char *in = from;
    if (out <= in) {
        copy_up(to, from, count);
        return;
    }
    while (count-- != 0u) {
        out[count] = in[count];
    }
}

static inline void set(void *to, int value, size_t count) {
    volatile unsigned char *out = to;
    for (size_t i = 0u; i < count; i++) {
        out[i] = (unsigned char)value;
    }
}

CALLED_BY_COMPILER void *memcpy(void *restrict to, const void *restrict from, size_t count) {
    copy_up(to, from, count);
    return to;
}

CALLED_BY_COMPILER void *memmove(void *to, const void *from, size_t count) {
    copy_overlapping(to, from, count);
    return to;
}

CALLED_BY_COMPILER void *memset(void *to, int value, size_t count) {
    set(to, value, count);
    return to;
}

CALLED_BY_COMPILER int memcmp(const void *a, const void *b, size_t count) {
    const volatile unsigned char *left = a;
    const volatile unsigned char *right = b;
    for (size_t i = 0u; i < count; i++) {
        const int difference = (int)left[i] - (int)right[i];
        if (difference != 0) {
            return difference;
        }
    }
    return 0;
}

#ifdef __ARM_EABI__
/* Clang calls these instead: "Run-time ABI for the Arm Architecture" (IHI 0043), "Memory copying, clearing, and
 * setting". The suffix is the alignment. */
#define FAMILY(suffix)                                                                             \
    void __aeabi_memcpy##suffix(void *to, const void *from, size_t count);                         \
    void __aeabi_memmove##suffix(void *to, const void *from, size_t count);                        \
    void __aeabi_memset##suffix(void *to, size_t count, int value);                                \
    void __aeabi_memclr##suffix(void *to, size_t count);                                           \
    CALLED_BY_COMPILER void __aeabi_memcpy##suffix(void *to, const void *from, size_t count) {     \
        copy_up(to, from, count);                                                                  \
    }                                                                                              \
    CALLED_BY_COMPILER void __aeabi_memmove##suffix(void *to, const void *from, size_t count) {    \
        copy_overlapping(to, from, count);                                                         \
    }                                                                                              \
    CALLED_BY_COMPILER void __aeabi_memset##suffix(void *to, size_t count, int value) {            \
        set(to, value, count);                                                                     \
    }                                                                                              \
    CALLED_BY_COMPILER void __aeabi_memclr##suffix(void *to, size_t count) { set(to, 0, count); }

FAMILY()
FAMILY(4)
FAMILY(8)
#endif
