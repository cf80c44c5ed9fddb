/* SPDX-License-Identifier: MIT */
/* Names from the ELF file of the program that a board runs, for a board that does not send them, or has not yet. */
#ifndef HOSTLINK_NAMES_FROM_ELF_H
#define HOSTLINK_NAMES_FROM_ELF_H

#include "model/names.h"
#include "wire/fields.h"

struct device_names;

/* Contents of the ELF file. */
struct known_image {
    const struct device_names *devices; /* and those of devices, or NULL */
    struct site_list sites;             /* without get(): no names to lend */
    uint8_t pointer_bytes;              /* 0: not a file of the board's program */
    bool names_in_elf;                  /* the board does not send them */
    uint32_t identity;                  /* then */
    const struct symbols *symbols;      /* of its code; nothing is known before a board runs it */
    const struct code_table *table;     /* the addresses looked up so far */
    /* Called when a board runs it. */
    void (*accept)(void *context);
    /* Called with the address of the file's kymo_layout on the board, if it may be elsewhere than in the file. */
    void (*loaded)(void *context, uint64_t layout_at);
    /* Called when a board runs another image, with the difference: "it has 3 sites, the board's has 4". */
    void (*refuse)(void *context, const char *why);
    void *context;
};

/* State of a session. */
struct names_from_elf {
    const struct known_image *image; /* NULL: no image */
    bool asked, is_lent;
    uint32_t number;   /* counts the lent names of all sessions */
    bool names_in_elf; /* the board sends no names */
};

/* Call at the start of a session. */
void names_from_elf_begin(struct names_from_elf *lent);
/* Call with each SESSION packet; the first one counts. Lends the names, or refuses an image that the board does not
 * run. */
void names_from_elf_offer(struct names_from_elf *lent, struct names *names, uint32_t session,
                          const struct session_packet *packet);
/* The board contradicts the image: takes back the lent names, for good. */
void names_from_elf_end(struct names_from_elf *lent, struct names *names, uint32_t session);

#endif
