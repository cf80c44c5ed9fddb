/* What clang calls for 32-bit Arm in place of memcpy and its like, in an image without a C library: "Run-time ABI for
 * the Arm Architecture" (IHI 0043), "Memory copying, clearing, and setting". The suffix is the alignment. */
#include <stddef.h>

void *memcpy(void *restrict to, const void *restrict from, size_t count);
void *memmove(void *to, const void *from, size_t count);
void *memset(void *to, int value, size_t count);

#define FAMILY(suffix)                                                                             \
    void __aeabi_memcpy##suffix(void *to, const void *from, size_t count);                         \
    void __aeabi_memmove##suffix(void *to, const void *from, size_t count);                        \
    void __aeabi_memset##suffix(void *to, size_t count, int value);                                \
    void __aeabi_memclr##suffix(void *to, size_t count);                                           \
    void __aeabi_memcpy##suffix(void *to, const void *from, size_t count) {                        \
        memcpy(to, from, count);                                                                   \
    }                                                                                              \
    void __aeabi_memmove##suffix(void *to, const void *from, size_t count) {                       \
        memmove(to, from, count);                                                                  \
    }                                                                                              \
    void __aeabi_memset##suffix(void *to, size_t count, int value) { memset(to, value, count); }   \
    void __aeabi_memclr##suffix(void *to, size_t count) { memset(to, 0, count); }

FAMILY()
FAMILY(4)
FAMILY(8)
