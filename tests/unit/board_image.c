/* SPDX-License-Identifier: MIT */
#include "board_image.h"

#include <stdlib.h>
#include <string.h>

#include "base/whole_file.h"
#include "kymo_arch.h"

/* From the linker: all variables. Those that start as zero do not suffice, as .noinit may stand before them. */
extern uint8_t __data_start[], _end[];

/* Includes the gaps that a sanitizer puts between the variables. Both begin at a whole word. */
__attribute__((no_sanitize("address", "undefined"))) static void copy(volatile uint8_t *to,
                                                                      const volatile uint8_t *from,
                                                                      size_t length) {
    size_t i = 0;
    for (; i + sizeof(uint64_t) <= length; i += sizeof(uint64_t)) {
        *(volatile uint64_t *)(to + i) = *(const volatile uint64_t *)(from + i);
    }
    for (; i < length; i++) {
        to[i] = from[i];
    }
}

static void hide(struct board_image *image, const char *name) {
    const size_t length = strlen(name) + 1;
    for (size_t i = 0; i + length <= image->elf_length; i++) {
        if (memcmp(image->elf_bytes + i, name, length) == 0) {
            image->elf_bytes[i] = '?';
        }
    }
}

void board_image_make(struct board_image *image) {
    const char *why = NULL;
    image->memory_length = (size_t)(_end - __data_start);
    image->memory_bytes = malloc(image->memory_length);
    if (whole_file_read("/proc/self/exe", &image->elf_bytes, &image->elf_length) != 0 ||
        image->memory_bytes == NULL) {
        fake_broken("the test cannot read itself");
    }
    copy(image->memory_bytes, __data_start, image->memory_length);
    if (image->hidden != NULL) {
        hide(image, image->hidden);
    }
    if (memory_open(&image->memory, image->memory_bytes, image->memory_length, &why) != 0) {
        fake_broken(why);
    }
}

uint64_t board_image_address(void) { return (uintptr_t)__data_start; }

void board_image_free(struct board_image *image) {
    free(image->elf_bytes);
    free(image->memory_bytes);
    *image = (struct board_image){.hidden = image->hidden};
}
