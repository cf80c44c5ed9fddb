/* SPDX-License-Identifier: MIT */
/* Prints what hostlink's symbols say of each address that comes on standard input, as "ADDRESS FUNCTION FILE:LINE ..."
 * with tabs between; of a return address, as in a call stack.
 * Usage: symbolize ELF [PROGRAM]
 * With "frames" as PROGRAM: of an instruction, whether it has no frame of its own, as "ADDRESS 1", and else 0. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/whole_file.h"
#include "symbol/symbolizer.h"

static void warn(void *context, const char *text) {
    (void)context;
    fprintf(stderr, "%s\n", text);
}

int main(int argc, char **argv) {
    static struct symbolizer symbolizer;
    struct elf elf;
    uint8_t *bytes = NULL;
    size_t length = 0;
    uint64_t address;
    if (argc < 2 || whole_file_read(argv[1], &bytes, &length) != 0 ||
        elf_open(&elf, bytes, length) != 0) {
        fprintf(stderr, "usage: symbolize ELF [PROGRAM]\n");
        return 2;
    }
    symbolizer = (struct symbolizer){.elf = &elf,
                                     .elf_path = argv[1],
                                     .program = argc > 2 ? argv[2] : NULL,
                                     .host = &tool_child,
                                     .choice = "argument 2",
                                     .warn = warn};
    const bool frames = argc > 2 && strcmp(argv[2], "frames") == 0;
    while (frames && scanf("%" SCNx64, &address) == 1) {
        printf("0x%" PRIx64 " %d\n", address, symbolizer_is_frameless(&symbolizer, address));
    }
    while (scanf("%" SCNx64, &address) == 1) {
        const struct code_place *place = symbolizer_find(&symbolizer, address);
        printf("0x%" PRIx64, address);
        for (uint32_t i = 0; place != NULL && i < place->count; i++) {
            const struct code_line *line = &place->lines[i];
            printf("\t%s\t%s:%" PRIu32, line->function, line->file, line->line);
        }
        printf("\n");
    }
    symbolizer_close(&symbolizer);
    free(bytes);
    return 0;
}
