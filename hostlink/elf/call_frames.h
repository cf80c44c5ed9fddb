/* SPDX-License-Identifier: MIT */
/* Finds a function's return address at each of its instructions, by the frame information that compilers write for
 * debuggers and exceptions (.eh_frame, .debug_frame). */
#ifndef HOSTLINK_CALL_FRAMES_H
#define HOSTLINK_CALL_FRAMES_H

#include "elf/elf.h"

/* The call frame instructions for the code from "start" on, below "end". */
struct call_frame {
    uint64_t start, end;
    const uint8_t *common,
        *own; /* instructions of the machine of the table: of its kind, and its own */
    uint32_t common_bytes, own_bytes;
    uint32_t code_unit; /* by which distances in the code are given */
    int32_t data_unit;
    uint32_t return_column;
};

struct call_frames {
    const struct elf *elf;
    struct call_frame *list; /* by their starts */
    size_t count;
};

/* 0 or -ENOMEM. The ELF file must outlive it. */
int call_frames_open(struct call_frames *frames, const struct elf *elf);
/* True: the code that was interrupted at "address" had not put its frame into the chain of frame pointers, or had
 * taken it out, and its return address ("held") was in the link register; on x86, at the stack pointer. False also if
 * the table does not cover the address. */
bool call_frames_is_frameless(const struct call_frames *frames, uint64_t address);
void call_frames_free(struct call_frames *frames);

#endif
