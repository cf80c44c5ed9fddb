/* SPDX-License-Identifier: MIT */
/* Writes the ELF file of a small program and the memory of its board. Usage: dump_pair INDEX ELF MEMORY */
#include <stdio.h>
#include <stdlib.h>

#include "fuzz/dump_pair.h"
#include "fuzz/fuzz.h"

_Noreturn void fuzz_wrong(const char *what) {
    (void)fprintf(stderr, "%s\n", what);
    exit(1);
}

static void write_file(const char *path, const uint8_t *bytes, size_t length) {
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(bytes, 1, length, file) != length || fclose(file) != 0) {
        fuzz_wrong(path);
    }
}

int main(int argc, char **argv) {
    static uint8_t bytes[65536];
    size_t elf_length = 0;
    if (argc != 4) {
        fuzz_wrong("usage: dump_pair INDEX ELF MEMORY");
    }
    size_t length =
        dump_pair_make((uint32_t)strtoul(argv[1], NULL, 10), bytes, sizeof bytes, &elf_length);
    write_file(argv[2], bytes, elf_length);
    write_file(argv[3], bytes + elf_length, length - elf_length);
    return 0;
}
