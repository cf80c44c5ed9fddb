/* What the board told about its sites and lanes, by session: a reset may start another image. */
#ifndef HOSTLINK_NAMES_H
#define HOSTLINK_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/event.h"
#include "wire/site_entry.h"

#define NAMES_SESSIONS_MAX 4096u

struct text;

struct session_names {
    struct site **sites; /* by index, NULL = not asked for yet */
    uint32_t capacity;
    const char *lanes[WIRE_LANES];
    bool lends_nothing;
    uint32_t known, unknown; /* of "sites" */
    bool started;
    uint64_t start_ticks;
};

/* Private to names.c but for names_site(). */
struct names {
    struct session_names *sessions;
    uint32_t session_count;
    struct text **texts; /* by hash, NULL = free */
    uint32_t text_slots; /* a power of two, at least half of them free */
    uint32_t text_count;
};

struct names *names_new(void);
void names_free(struct names *names);

/* The site of an index: one without names where none have arrived. Never moves. NULL: no memory, or
 * an index that cannot be. */
static inline struct site *names_site(struct names *names, uint32_t session, uint32_t index);
/* Private to names_site(), which calls it the first time that an index is looked up. */
struct site *names_make_site(struct names *names, uint32_t session, uint32_t index);

static inline struct site *names_site(struct names *names, uint32_t session, uint32_t index) {
    const struct session_names *s =
        session < names->session_count ? &names->sessions[session] : NULL;
    struct site *site = s != NULL && index < s->capacity ? s->sites[index] : NULL;
    return site != NULL ? site : names_make_site(names, session, index);
}

/* Pools of equal names are one: the index of the first of them that was asked for. */
uint32_t names_pool(const struct names *names, uint32_t session, struct site *site);

/* By the board. 0, -ENOMEM, or NAMES_DIFFER: what was borrowed for this site was another's. What the board
 * has said stays. */
#define NAMES_DIFFER 1
int names_define(struct names *names, uint32_t session, uint32_t index,
                 const struct site_entry *entry);
/* Those that the board has not named are named by the list, until it does. 0, -ENOMEM, or -EPERM: they were
 * given back before. */
int names_borrow(struct names *names, uint32_t session, const struct site_list *list);
/* Forgets what was borrowed; nothing more is borrowed in this session. */
void names_give_back(struct names *names, uint32_t session);
/* Known and unknown sites of a session that were asked for or defined. */
void names_count(const struct names *names, uint32_t session, uint32_t *known, uint32_t *unknown);

/* Of the unknown ones, those from an index on. */
uint32_t names_unknown_from(const struct names *names, uint32_t session, uint32_t first);

/* The earliest tick of a session, as far as it has come; false: nothing has. */
bool names_start(const struct names *names, uint32_t session, uint64_t *ticks);
void names_started(struct names *names, uint32_t session, uint64_t ticks);

/* Name of a lane's main context, "" until known. */
const char *names_lane(const struct names *names, uint32_t session, uint32_t lane);
int names_define_lane(struct names *names, uint32_t session, uint32_t lane, const char *name,
                      size_t length);

/* The text without what is not UTF-8 and what would upset a terminal: that becomes '?'. "out" has room for "length" and
 * a NUL; returns the new length, never more than "length". */
size_t names_clean(char *out, const char *text, size_t length);
/* A copy as valid UTF-8 without control characters but tab and newline; NULL: no memory. It belongs
 * to "names". Equal texts are one copy. */
const char *names_text(struct names *names, const char *text, size_t length);

#endif
