/* Symbols as packets of the capture (WIRE.md, section 8). */
#ifndef HOSTLINK_CODE_KEPT_H
#define HOSTLINK_CODE_KEPT_H

#include "model/code_table.h"
#include "wire/compose.h"
#include "wire/decode.h"

/* Takes a packet, as far as it is sound; what is known already stays. */
void code_kept_read(struct code_table *table, struct reader *reader);
/* One packet with the entries from *next on; *next is then the first that had no room, or the count. False: there is
 * nothing to write any more. */
bool code_kept_write(struct compose *packet, const struct code_table *table, uint32_t *next);

#endif
