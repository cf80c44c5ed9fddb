/* SPDX-License-Identifier: MIT */
/* Vector table and reset: variables, main(). */
#include <stdint.h>

extern uint32_t data_start[], data_end[], data_image[], bss_start[], bss_end[], stack_top[];
int main(void);
void reset(void);

void reset(void) {
    const volatile uint32_t *from = data_image;
    for (volatile uint32_t *to = data_start; to < data_end; to++) {
        *to = *from++;
    }
    for (volatile uint32_t *to = bss_start; to < bss_end; to++) {
        *to = 0;
    }
    (void)main();
    for (;;) {}
}

struct vectors {
    uint32_t *stack;
    void (*reset)(void);
};
extern const struct vectors vectors;
__attribute__((section(".vectors"), used)) const struct vectors vectors = {stack_top, reset};
