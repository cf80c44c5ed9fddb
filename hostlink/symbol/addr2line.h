/* SPDX-License-Identifier: MIT */
/* The language of addr2line with -a -f -i, which llvm-symbolizer speaks too. The question is an address as a line of
 * hexadecimal digits. The answer is the address as "0x...", then two lines for each function there, the innermost
 * first: its name, and FILE:LINE. */
#ifndef HOSTLINK_ADDR2LINE_H
#define HOSTLINK_ADDR2LINE_H

#include "model/code_table.h"
#include "symbol/tool.h"

enum addr2line_line { ADDR2LINE_ADDRESS, ADDR2LINE_FUNCTION, ADDR2LINE_PLACE };
enum addr2line_state { ADDR2LINE_FAILS, ADDR2LINE_COMES, ADDR2LINE_IS_THERE };

struct addr2line_answer {
    uint64_t address;
    enum addr2line_line next; /* what its next line is */
    uint32_t taken;           /* lines so far */
    uint32_t count;           /* 0: nothing is known of the address */
    struct code_line lines[CODE_LINES_MAX];
    char text[CODE_LINES_MAX * 2][CODE_TEXT_BYTES_MAX];
};

/* Asks, and leaves an answer alone that has not come yet. False: the tool is not well. */
bool addr2line_begin(struct tool *tool, uint64_t address, struct addr2line_answer *answer);
/* Takes what has come, and waits for nothing. FAILS: the tool is not well. */
enum addr2line_state addr2line_go_on(struct tool *tool, struct addr2line_answer *answer);
/* Waits for the answer. False: the tool is not well. */
bool addr2line_ask(struct tool *tool, uint64_t address, struct addr2line_answer *answer);

#endif
