/* The language of addr2line with -a -f -i, which llvm-symbolizer speaks too: an address as a line of hexadecimal digits
 * goes out; it comes back as "0x...", and behind it two lines for each function that is there, the innermost first:
 * its name, and FILE:LINE. */
#ifndef HOSTLINK_ADDR2LINE_H
#define HOSTLINK_ADDR2LINE_H

#include "model/code_table.h"
#include "symbol/tool.h"

struct addr2line_answer {
    uint32_t count; /* 0: nothing is known of the address */
    struct code_line lines[CODE_LINES_MAX];
    char text[CODE_LINES_MAX * 2][CODE_TEXT_BYTES_MAX];
};

/* False: the tool is not well. */
bool addr2line_ask(struct tool *tool, uint64_t address, struct addr2line_answer *answer);

#endif
