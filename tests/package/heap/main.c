/* SPDX-License-Identifier: MIT */
/* A program with a C library, whose heap is recorded: blocks of its own, of the library, and resized ones; three are
 * left. */
#include <stdlib.h>
#include <string.h>

#include "kymo.h"

#define KEPT 3

int main(void) {
    static struct kymo_ns16550 uart;
    char *texts[10];
    kymo_ns16550_init(&uart, &(struct kymo_ns16550_config){.base = 0x10000000u});
    kymo_init(kymo_ns16550_transport(&uart), "heap");
    for (int i = 0; i < 10; i++) {
        texts[i] = strdup("a text");
    }
    void *zeros = calloc(10u, 10u);
    void *block = malloc(40u);
    block = realloc(block, 400u);
    block = realloc(block, 30u);
    zeros = realloc(zeros, 5000u);
    free(zeros);
    free(block);
    free(NULL);
    for (int i = KEPT; i < 10; i++) {
        free(texts[i]);
    }
    kymo_finish();
    while (kymo_pending()) {
        (void)kymo_drain(0u);
    }
    exit(0);
}
