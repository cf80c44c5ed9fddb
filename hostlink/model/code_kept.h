/* SPDX-License-Identifier: MIT */
/* Symbols as packets of the capture (WIRE.md, section 8). */
#ifndef HOSTLINK_CODE_KEPT_H
#define HOSTLINK_CODE_KEPT_H

#include "model/code_table.h"
#include "wire/compose.h"
#include "wire/decode.h"

#define CODE_PROGRAMS_MAX 16u

/* The symbols that a capture has, of each program those that its sessions find. All zero is empty. */
struct code_kept {
    struct code_table of[CODE_PROGRAMS_MAX];
    uint32_t count;
    struct code_program *sessions; /* that sessions ran, as far as they have said it */
    uint32_t session_count;
};
/* False: no memory. */
bool code_kept_ran(struct code_kept *kept, uint32_t session, const struct code_program *program);
struct code_program code_kept_session(const struct code_kept *kept, uint32_t session);
void code_kept_take(struct code_kept *kept, struct reader *reader);
/* NULL: nothing is known of the address in sessions of this program. */
const struct code_entry *code_kept_find(struct code_kept *kept, const struct code_program *program,
                                        uint64_t address);
void code_kept_free(struct code_kept *kept);

/* Reads a packet from after its program, as far as it is sound; known entries stay. */
void code_kept_read(struct code_table *table, struct reader *reader);
/* One packet with the entries from *next on; sets *next to the first that had no room, or the count. False: nothing
 * is left to write. */
bool code_kept_write(struct compose *packet, const struct code_table *table, uint32_t *next);

#endif
