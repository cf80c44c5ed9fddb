/* SPDX-License-Identifier: MIT */
#include "model/names_from_elf.h"

#include <stdio.h>

#include "kymo/wire.h"

#define WHY_BYTES 200u

/* False: "why" is the difference. */
static bool fits(const struct known_image *image, const struct session_packet *packet, char *why) {
    const bool in_elf = (packet->flags & KYMO_SESSION_NAMES_IN_ELF) != 0;
    if (packet->pointer_bytes != image->pointer_bytes) {
        (void)snprintf(why, WHY_BYTES, "it is of %u bits, the board's of %u",
                       image->pointer_bytes * 8u, packet->pointer_bytes * 8u);
    } else if (packet->sites != image->sites.count) {
        (void)snprintf(why, WHY_BYTES, "it has %u sites, the board's has %u",
                       (unsigned)image->sites.count, (unsigned)packet->sites);
    } else if (in_elf != image->names_in_elf || packet->identity != image->identity) {
        (void)snprintf(why, WHY_BYTES, "it is another build");
    } else {
        return true;
    }
    return false;
}

void names_from_elf_begin(struct names_from_elf *lent) { lent->asked = lent->is_lent = false; }

void names_from_elf_offer(struct names_from_elf *lent, struct names *names, uint32_t session,
                          const struct session_packet *packet) {
    char why[WHY_BYTES];
    if (lent->asked) {
        return;
    }
    lent->asked = true;
    lent->names_in_elf = (packet->flags & KYMO_SESSION_NAMES_IN_ELF) != 0;
    if (lent->image == NULL) {
        return;
    }
    if (!fits(lent->image, packet, why)) {
        lent->image->refuse(lent->image->context, why);
    } else if (lent->image->sites.get == NULL) {
        lent->image->accept(lent->image->context);
    } else if (names_borrow(names, session, &lent->image->sites) == 0) {
        lent->is_lent = true;
        lent->image->accept(lent->image->context);
        lent->number++;
    }
}

void names_from_elf_end(struct names_from_elf *lent, struct names *names, uint32_t session) {
    names_give_back(names, session);
    if (lent->is_lent) {
        lent->is_lent = false;
        lent->image->refuse(lent->image->context, "the board has others");
    }
}
