/* SPDX-License-Identifier: MIT */
/* Names of sites and lanes that the board sent, by session: a reset may start another image. */
#ifndef HOSTLINK_NAMES_H
#define HOSTLINK_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/intmap.h"
#include "base/keytable.h"
#include "model/event.h"
#include "model/texts.h"
#include "wire/site_entry.h"

#define NAMES_SESSIONS_MAX 4096u

/* Private to names.c, except for names_site(). Takes memory for the sites that were looked up, whatever
 * their indexes. */
struct session_names {
    struct site **sites; /* by index, NULL = not looked up yet, or only in "far" */
    uint32_t capacity;   /* in proportion to "made_count" */
    struct intmap far;   /* places in "made" of indexes that were beyond "capacity", + 1 */
    struct site **made;  /* in the order in which they were looked up */
    uint32_t made_count, made_capacity;
    const char **lanes;      /* NULL = none is named */
    const char *image;       /* NULL = not known yet */
    struct site_list list;   /* borrowed names; get = NULL: none */
    uint32_t list_rest;      /* of the list, those that were not looked up yet */
    uint32_t known, unknown; /* of "made" */
    bool lends_nothing;
    bool started;
    uint64_t start_ticks;
};

struct names {
    struct session_names *sessions;
    uint32_t session_count, session_capacity;
    uint8_t sharing;     /* enum names_sharing */
    struct intmap pools; /* numbers of pools by name, + 1 */
    uint32_t pool_count;
    struct keytable late_keys;
    struct late_name *late; /* by the number of the key */
    uint32_t late_capacity;
    struct texts texts;
};

struct names *names_new(void);
void names_free(struct names *names);

/* A board that is reset again and again takes no more memory: of consecutive sessions, equal sites are one. While names
 * come only if nobody keeps what names_site() returns. */
enum names_sharing {
    NAMES_OWN,     /* each session has sites of its own */
    NAMES_COLLECT, /* names come; a session shares its sites when it is over */
    NAMES_COMPLETE /* all names have come: those without are shared at once */
};
void names_share(struct names *names, enum names_sharing how);

/* The site of an index; without names until they arrive. Never moves, except as names_share() says. NULL: no memory,
 * or an impossible index. */
static inline struct site *names_site(struct names *names, uint32_t session, uint32_t index);
/* Private to names_site(), which calls it the first time that an index is looked up. */
struct site *names_make_site(struct names *names, uint32_t session, uint32_t index);

static inline struct site *names_site(struct names *names, uint32_t session, uint32_t index) {
    const struct session_names *s =
        session < names->session_count ? &names->sessions[session] : NULL;
    struct site *site = s != NULL && index < s->capacity ? s->sites[index] : NULL;
    return site != NULL ? site : names_make_site(names, session, index);
}

/* The number of the site's pool, from 0; pools of equal names are one. Kept in the site: + 1. */
uint32_t names_pool(struct names *names, struct site *site);
/* The same for a site that had a number before its name was known: the name gets that number if it has no number
 * yet. */
uint32_t names_name_pool(struct names *names, struct site *site);

/* Named by the board. 0, -ENOMEM, or NAMES_DIFFER: the name borrowed for this site is another site's; it stays until
 * it is given back. Names from the board stay. */
#define NAMES_DIFFER 1
int names_define(struct names *names, uint32_t session, uint32_t index,
                 const struct site_entry *entry);
/* Sites that the board has not named take their names from the list until it does. The list is read when a site is
 * looked up, so it must live as long as "names". 0, -ENOMEM, or -EPERM: the names were given back before. */
int names_borrow(struct names *names, uint32_t session, const struct site_list *list);
/* Forgets the borrowed names; no more names are borrowed in this session. */
void names_give_back(struct names *names, uint32_t session);
/* Known and unknown sites of a session: looked up, defined or, known, borrowed. */
void names_count(const struct names *names, uint32_t session, uint32_t *known, uint32_t *unknown);

/* Counts the unknown sites from an index on. */
uint32_t names_unknown_from(const struct names *names, uint32_t session, uint32_t first);

/* The earliest tick of a session, as far as it has come; false: nothing has. */
bool names_start(const struct names *names, uint32_t session, uint64_t *ticks);
void names_started(struct names *names, uint32_t session, uint64_t ticks);

/* The program of a session, NULL until known. */
const char *names_image(const struct names *names, uint32_t session);
void names_define_image(struct names *names, uint32_t session, const char *image);

/* Name of a lane's main context, "" until known. */
const char *names_lane(const struct names *names, uint32_t session, uint32_t lane);
int names_define_lane(struct names *names, uint32_t session, uint32_t lane, const char *name,
                      size_t length);

/* Tasks and objects that were shown before an event named them: a later pass calls them so from the start. */
struct late_key {
    uint64_t of; /* the context and its lane, or the identity */
    uint64_t
        from; /* ticks of the context's first event, or number of the object: others may follow in its place */
    uint32_t session;
    uint32_t is_object;
};
struct late_name {
    const char *name;
    uint8_t kind; /* enum kymo_context_kind */
};
/* The first one counts. 0 or -ENOMEM. */
int names_come_late(struct names *names, const struct late_key *key, const struct late_name *name);
/* NULL: not known. */
const struct late_name *names_late(const struct names *names, const struct late_key *key);

/* A copy as valid UTF-8 without control characters but tab and newline; NULL: no memory. It belongs
 * to "names". Equal texts are one copy. */
const char *names_text(struct names *names, const char *text, size_t length);

#endif
