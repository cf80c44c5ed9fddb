/* Names from the ELF file of the program that a board runs, for a board that does not send them, or has not yet. */
#ifndef HOSTLINK_BORROW_H
#define HOSTLINK_BORROW_H

#include "trace/frames.h"
#include "trace/names.h"

/* What the ELF file says. */
struct known_image {
    struct site_list sites;
    uint8_t pointer_bytes;
    bool names_in_elf; /* the board does not send them */
    uint32_t identity; /* then */
    /* Told when a board runs another image: a sentence that goes behind the file's name. */
    void (*refuse)(void *context, const char *why);
    void *context;
};

/* The loan of a session. */
struct loan {
    const struct known_image *image; /* NULL: there is nothing to borrow */
    bool asked, lent;
    uint32_t number;   /* counts those that were lent, of all sessions */
    bool names_in_elf; /* the board sends no names */
};

/* With a session. */
void loan_begin(struct loan *loan);
/* With each SESSION frame, of which the first counts: names are lent, or the image refused that the board does not
 * run. */
void loan_ask(struct loan *loan, struct names *names, uint32_t session,
              const struct session_frame *frame);
/* The board says otherwise than the image: what was lent is taken back, for good. */
void loan_end(struct loan *loan, struct names *names, uint32_t session);

#endif
