/* The four functions that compilers call on their own, also in freestanding code. Weak: an image
 * that has them keeps its own. Byte by byte: nothing on the recording path uses them. Compile with
 * -fno-tree-loop-distribute-patterns, or gcc turns each loop into a call of itself. */
#include <stddef.h>

void *memcpy(void *restrict to, const void *restrict from, size_t count);
void *memmove(void *to, const void *from, size_t count);
void *memset(void *to, int value, size_t count);
int memcmp(const void *a, const void *b, size_t count);

__attribute__((weak)) void *memcpy(void *restrict to, const void *restrict from, size_t count) {
    unsigned char *out = to;
    const unsigned char *in = from;
    while (count-- != 0u) {
        *out++ = *in++;
    }
    return to;
}

__attribute__((weak)) void *memmove(void *to, const void *from, size_t count) {
    unsigned char *out = to;
    const unsigned char *in = from;
    if (out <= in) {
        for (size_t i = 0u; i < count; i++) {
            out[i] = in[i];
        }
        return to;
    }
    while (count-- != 0u) {
        out[count] = in[count];
    }
    return to;
}

__attribute__((weak)) void *memset(void *to, int value, size_t count) {
    unsigned char *out = to;
    while (count-- != 0u) {
        *out++ = (unsigned char)value;
    }
    return to;
}

__attribute__((weak)) int memcmp(const void *a, const void *b, size_t count) {
    const unsigned char *left = a;
    const unsigned char *right = b;
    for (size_t i = 0u; i < count; i++) {
        if (left[i] != right[i]) {
            return left[i] < right[i] ? -1 : 1;
        }
    }
    return 0;
}
