/* SPDX-License-Identifier: MIT */
/* ports/nolibc/mem.c against what ISO C says of its functions. Ends with 0 where all is right. */
#include <stdint.h>
#include <string.h>

#define BYTES 67

static unsigned char place[BYTES];

static void number_places(void) {
    for (int i = 0; i < BYTES; i++) {
        place[i] = (unsigned char)(i + 1);
    }
}

/* "count" bytes of "from" on are at "to" on; all others are as they were. */
static int moved(int to, int from, int count) {
    int wrong = 0;
    for (int i = 0; i < BYTES; i++) {
        const int was = i >= to && i < to + count ? i - to + from : i;
        wrong += place[i] != (unsigned char)(was + 1);
    }
    return wrong;
}

int main(void) {
    int wrong = 0;
    for (int count = 0; count < 30; count++) {
        number_places();
        wrong += memcpy(place + 1, place + 31, (size_t)count) != place + 1 || moved(1, 31, count);
        number_places();
        wrong += memmove(place + 7, place + 3, (size_t)count) != place + 7 || moved(7, 3, count);
        number_places();
        wrong += memmove(place + 3, place + 7, (size_t)count) != place + 3 || moved(3, 7, count);
        number_places();
        wrong += memset(place + 2, 0x1a5, (size_t)count) != place + 2;
        for (int i = 0; i < BYTES; i++) {
            wrong += place[i] != (i >= 2 && i < 2 + count ? 0xa5 : i + 1);
        }
        number_places();
        place[40 + count] = 0xff;
        wrong += memcmp(place, place, (size_t)count) != 0;
        memcpy(place, place + 40, (size_t)count + 1u < 27u ? (size_t)count + 1u : 27u);
        wrong += count < 26 && memcmp(place, place + 40, (size_t)count + 1u) != 0;
        place[count] = 0x10;
        wrong += count < 26 && (memcmp(place, place + 40, (size_t)count + 1u) >= 0 ||
                                memcmp(place + 40, place, (size_t)count + 1u) <= 0);
    }
    return wrong != 0;
}
