#include "trace/borrow.h"

#include <stdio.h>

#include "kymo/wire.h"

#define WHY_BYTES 200u
#define NOT_THIS "is not the program that the board runs, so no names are taken from it: "

/* False: "why" says what tells them apart. */
static bool fits(const struct known_image *image, const struct session_frame *frame, char *why) {
    const bool in_elf = (frame->flags & KYMO_SESSION_NAMES_IN_ELF) != 0;
    if (frame->pointer_bytes != image->pointer_bytes) {
        (void)snprintf(why, WHY_BYTES, NOT_THIS "it is of %u bits, the board's of %u",
                       image->pointer_bytes * 8u, frame->pointer_bytes * 8u);
    } else if (frame->sites != image->sites.count) {
        (void)snprintf(why, WHY_BYTES, NOT_THIS "it has %u sites, the board's has %u",
                       (unsigned)image->sites.count, (unsigned)frame->sites);
    } else if (in_elf != image->names_in_elf || frame->identity != image->identity) {
        (void)snprintf(why, WHY_BYTES, NOT_THIS "it is another build");
    } else {
        return true;
    }
    return false;
}

void loan_begin(struct loan *loan) { loan->asked = loan->lent = false; }

void loan_ask(struct loan *loan, struct names *names, uint32_t session,
              const struct session_frame *frame) {
    char why[WHY_BYTES];
    if (loan->asked) {
        return;
    }
    loan->asked = true;
    loan->names_in_elf = (frame->flags & KYMO_SESSION_NAMES_IN_ELF) != 0;
    if (loan->image == NULL) {
        return;
    }
    if (!fits(loan->image, frame, why)) {
        loan->image->refuse(loan->image->context, why);
    } else if (names_borrow(names, session, &loan->image->sites) == 0) {
        loan->lent = true;
        loan->number++;
    }
}

void loan_end(struct loan *loan, struct names *names, uint32_t session) {
    names_give_back(names, session);
    if (loan->lent) {
        loan->lent = false;
        loan->image->refuse(loan->image->context, NOT_THIS "the board has others");
    }
}
