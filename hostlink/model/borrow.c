/* SPDX-License-Identifier: MIT */
#include "model/borrow.h"

#include <stdio.h>

#include "kymo/wire.h"

#define WHY_BYTES 200u

/* False: "why" says what tells them apart. */
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

void borrow_begin(struct borrowed *borrowed) { borrowed->asked = borrowed->lent = false; }

void borrow_names(struct borrowed *borrowed, struct names *names, uint32_t session,
                  const struct session_packet *packet) {
    char why[WHY_BYTES];
    if (borrowed->asked) {
        return;
    }
    borrowed->asked = true;
    borrowed->names_in_elf = (packet->flags & KYMO_SESSION_NAMES_IN_ELF) != 0;
    if (borrowed->image == NULL) {
        return;
    }
    if (!fits(borrowed->image, packet, why)) {
        borrowed->image->refuse(borrowed->image->context, why);
    } else if (borrowed->image->sites.get == NULL) {
        borrowed->image->accept(borrowed->image->context);
    } else if (names_borrow(names, session, &borrowed->image->sites) == 0) {
        borrowed->lent = true;
        borrowed->image->accept(borrowed->image->context);
        borrowed->number++;
    }
}

void borrow_end(struct borrowed *borrowed, struct names *names, uint32_t session) {
    names_give_back(names, session);
    if (borrowed->lent) {
        borrowed->lent = false;
        borrowed->image->refuse(borrowed->image->context, "the board has others");
    }
}
