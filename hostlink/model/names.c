/* SPDX-License-Identifier: MIT */
#include "model/names.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "kymo/wire.h"

struct names *names_new(void) {
    return calloc(1, sizeof(struct names));
}

/* The site of an index, if it was looked up before. */
static struct site *made_site(struct session_names *s, uint32_t index) {
    struct site *site = index < s->capacity ? s->sites[index] : NULL;
    const uint32_t place = site == NULL ? intmap_get(&s->far, index) : 0;
    return place != 0 ? s->made[place - 1] : site;
}

/* The site of the session before, if there is one. */
static struct site *site_before(const struct names *names, uint32_t session, uint32_t index) {
    return session != 0 ? made_site(&names->sessions[session - 1], index) : NULL;
}

/* Call after freeing the sessions that follow it. */
static void free_session(struct names *names, uint32_t session) {
    struct session_names *s = &names->sessions[session];
    for (uint32_t i = 0; i < s->made_count; i++) {
        if (site_before(names, session, s->made[i]->id) != s->made[i]) {
            free(s->made[i]);
        }
    }
    intmap_free(&s->far);
    free(s->made);
    free(s->sites);
    free(s->lanes);
}

void names_free(struct names *names) {
    if (names == NULL) {
        return;
    }
    for (uint32_t i = names->session_count; i > 0; i--) {
        free_session(names, i - 1);
    }
    texts_free(&names->texts);
    keytable_free(&names->late_keys);
    free(names->late);
    free(names->sessions);
    intmap_free(&names->pools);
    free(names);
}

const char *names_text(struct names *names, const char *text, size_t length) {
    return texts_keep(&names->texts, text, length);
}

static bool are_alike(const struct site *a, const struct site *b) {
    return a->kind == b->kind && a->level == b->level && a->color == b->color &&
           a->line == b->line && a->detail == b->detail && a->known == b->known &&
           a->borrowed == b->borrowed && a->name == b->name && a->function == b->function &&
           a->file == b->file;
}

void names_share(struct names *names, enum names_sharing how) { names->sharing = (uint8_t)how; }

/* The session is over. */
static void share_sites(struct names *names, uint32_t session) {
    struct session_names *s = &names->sessions[session];
    for (uint32_t i = 0; i < s->made_count; i++) {
        struct site *own = s->made[i], *before = site_before(names, session, own->id);
        if (before != NULL && are_alike(own, before)) {
            s->made[i] = before;
            if (own->id < s->capacity) {
                s->sites[own->id] = before;
            }
            free(own);
        }
    }
}

static struct session_names *session_of(struct names *names, uint32_t session) {
    if (session >= NAMES_SESSIONS_MAX) {
        session = NAMES_SESSIONS_MAX - 1;
    }
    if (session >= names->session_count) {
        if (!grow(&names->sessions, &names->session_capacity, session, sizeof *names->sessions)) {
            return NULL;
        }
        if (names->sharing == NAMES_COLLECT && names->session_count != 0) {
            share_sites(names, names->session_count - 1);
        }
        memset(names->sessions + names->session_count, 0,
               (session + 1 - names->session_count) * sizeof *names->sessions);
        names->session_count = session + 1;
    }
    return &names->sessions[session];
}

bool names_start(const struct names *names, uint32_t session, uint64_t *ticks) {
    bool started = session < names->session_count && names->sessions[session].started;
    if (started) {
        *ticks = names->sessions[session].start_ticks;
    }
    return started;
}

void names_started(struct names *names, uint32_t session, uint64_t ticks) {
    struct session_names *s = session_of(names, session);
    if (s != NULL && (!s->started || ticks < s->start_ticks)) {
        s->started = true;
        s->start_ticks = ticks;
    }
}

#define FIRST_SITES 16u

static bool reserve_made(struct session_names *s) {
    if (!grow(&s->made, &s->made_capacity, s->made_count, sizeof *s->made)) {
        return false;
    }
    return true;
}

/* Room for the index in "sites", unless so few sites are known that it would be wasted. */
static bool reserve_near(struct session_names *s, uint32_t index) {
    if (index < s->capacity) {
        return true;
    }
    if (index >= FIRST_SITES + s->made_count * 4) {
        return false;
    }
    uint32_t capacity = s->capacity == 0 ? FIRST_SITES : s->capacity;
    while (capacity <= index) {
        capacity *= 2;
    }
    struct site **grown = realloc(s->sites, capacity * sizeof *grown);
    if (grown == NULL) {
        return false;
    }
    memset(grown + s->capacity, 0, (capacity - s->capacity) * sizeof *grown);
    s->sites = grown;
    s->capacity = capacity;
    return true;
}

static bool keep_site(struct session_names *s, struct site *site) {
    if (reserve_near(s, site->id)) {
        s->sites[site->id] = site;
    } else if (intmap_add(&s->far, site->id, s->made_count + 1) != 0) {
        return false;
    }
    s->made[s->made_count++] = site;
    s->known += site->known ? 1 : 0;
    s->unknown += site->known ? 0 : 1;
    return true;
}

static int fill(struct names *names, struct site *site, const struct site_entry *entry);

/* 0, or -ENOMEM. */
static int make_blank(struct names *names, struct site *site) {
    char placeholder[24];
    const int length = snprintf(placeholder, sizeof placeholder, "site %u", site->id);
    const struct site_entry blank = {
        .name = placeholder, .name_bytes = (size_t)length, .function = "", .file = ""};
    const int error = fill(names, site, &blank);
    site->known = false;
    return error;
}

static bool is_lent(const struct session_names *s, uint32_t index) {
    return s->list.get != NULL && index < s->list.count;
}

static int fill_borrowed(struct names *names, const struct session_names *s, struct site *site);

static int fill_new(struct names *names, const struct session_names *s, struct site *site) {
    const int error = make_blank(names, site);
    return error == 0 && is_lent(s, site->id) ? fill_borrowed(names, s, site) : error;
}

/* The site of an index that was not looked up before. */
static struct site *new_site(struct names *names, uint32_t session, uint32_t index) {
    struct session_names *s = &names->sessions[session];
    struct site *before =
        names->sharing == NAMES_COMPLETE ? site_before(names, session, index) : NULL;
    struct site site = {.id = index}, *kept = NULL;
    if (reserve_made(s) && fill_new(names, s, &site) == 0) {
        const bool shared = before != NULL && are_alike(before, &site);
        kept = shared ? before : malloc(sizeof *kept);
    }
    if (kept != NULL && kept != before) {
        *kept = site;
    }
    if (kept != NULL && !keep_site(s, kept)) {
        if (kept != before) {
            free(kept);
        }
        kept = NULL;
    }
    s->list_rest -= kept != NULL && is_lent(s, index) ? 1 : 0;
    return kept;
}

struct site *names_make_site(struct names *names, uint32_t session, uint32_t index) {
    struct session_names *s = index < WIRE_SITES ? session_of(names, session) : NULL;
    if (s == NULL) {
        return NULL;
    }
    struct site *site = made_site(s, index);
    if (site == NULL) {
        return new_site(names, (uint32_t)(s - names->sessions), index);
    }
    if (index < s->capacity) { /* it is near by now */
        s->sites[index] = site;
    }
    return site;
}

uint32_t names_pool(struct names *names, struct site *site) {
    if (site->pool == 0) {
        const uint64_t key = site->known ? (uintptr_t)site->name : (uintptr_t)site;
        uint32_t number = intmap_get(&names->pools, key);
        if (number == 0 && intmap_add(&names->pools, key, names->pool_count + 1) == 0) {
            number = ++names->pool_count;
        }
        site->pool = number != 0 ? number : 1;
    }
    return site->pool - 1;
}

uint32_t names_name_pool(struct names *names, struct site *site) {
    const uint64_t key = (uintptr_t)site->name;
    const uint32_t number = intmap_get(&names->pools, key);
    if (number != 0 || (site->pool != 0 && intmap_add(&names->pools, key, site->pool) != 0)) {
        site->pool = number;
    }
    return names_pool(names, site);
}

/* The length without the last character beyond ASCII, whose end may be missing. */
static size_t before_last_character(const char *text, size_t length) {
    while (length > 0 && ((uint8_t)text[length - 1] & 0xc0) == 0x80) {
        length--;
    }
    return length - (length > 0 && (uint8_t)text[length - 1] >= 0xc0 ? 1 : 0);
}

/* One of the strings of an entry, with an ellipsis where it was longer. */
static const char *entry_text(struct names *names, const struct site_entry *entry,
                              enum site_string which, const char *text, size_t length) {
    static const char ellipsis[] = "\u2026";
    if ((entry->cut >> which & 1u) == 0 || length > KYMO_SITE_STRING_BYTES) {
        return names_text(names, text, length);
    }
    char longer[KYMO_SITE_STRING_BYTES + sizeof ellipsis];
    length = before_last_character(text, length);
    memcpy(longer, text, length);
    memcpy(longer + length, ellipsis, sizeof ellipsis);
    return names_text(names, longer, length + sizeof ellipsis - 1);
}

/* A zone without a name has its function's; the set of frames without one is called "Frame", the pool "memory", the
 * flow "flow". */
static const char *name_of(struct names *names, const struct site_entry *entry) {
    if (entry->name != NULL) {
        return entry_text(names, entry, SITE_NAME, entry->name, entry->name_bytes);
    }
    if (entry->kind == KYMO_SITE_FRAME) {
        return names_text(names, "Frame", strlen("Frame"));
    }
    if (entry->kind == KYMO_SITE_POOL) {
        return names_text(names, "memory", strlen("memory"));
    }
    if (entry->kind == KYMO_SITE_FLOW) {
        return names_text(names, "flow", strlen("flow"));
    }
    return entry_text(names, entry, SITE_FUNCTION, entry->function, entry->function_bytes);
}

static int fill(struct names *names, struct site *site, const struct site_entry *entry) {
    const char *name = name_of(names, entry);
    const char *function =
        entry_text(names, entry, SITE_FUNCTION, entry->function, entry->function_bytes);
    const char *file = entry_text(names, entry, SITE_FILE, entry->file, entry->file_bytes);
    if (name == NULL || function == NULL || file == NULL) {
        return -ENOMEM;
    }
    /* Not what its zones do: a name may come while they are open. */
    site->kind = entry->kind;
    site->level = entry->level;
    site->color = entry->color & 0xffffffu;
    site->line = entry->line;
    site->detail = entry->detail;
    site->known = true;
    site->borrowed = false;
    site->name = name;
    site->function = function;
    site->file = file;
    return 0;
}

/* Boards cut strings of their images to so many bytes; in a character, which then goes too. */
#define LEAST_CUT_BYTES (KYMO_SITE_STRING_BYTES - 4u)

static bool is_cut_of(const char *cut, const char *whole) {
    return strncmp(cut, whole, LEAST_CUT_BYTES) == 0 &&
           (strlen(cut) >= LEAST_CUT_BYTES || strcmp(cut, whole) == 0);
}

static bool is_same_place(const struct site *named, const struct site *borrowed) {
    return named->kind == borrowed->kind && named->line == borrowed->line &&
           named->detail == borrowed->detail && is_cut_of(named->name, borrowed->name) &&
           is_cut_of(named->file, borrowed->file);
}

/* A site of the session has its names now. */
static void count_known(struct session_names *s, bool before) {
    s->known += before ? 0 : 1;
    s->unknown -= before ? 0 : 1;
}

int names_define(struct names *names, uint32_t session, uint32_t index,
                 const struct site_entry *entry) {
    struct site *site = names_site(names, session, index);
    if (site == NULL) {
        return -ENOMEM;
    }
    if (site->known && !site->borrowed) {
        return 0;
    }
    struct site named = *site;
    int error = fill(names, &named, entry);
    if (error != 0) {
        return error;
    }
    if (site->known && !is_same_place(&named, site)) {
        return NAMES_DIFFER;
    }
    count_known(session_of(names, session), site->known);
    *site = named;
    return 0;
}

static int fill_borrowed(struct names *names, const struct session_names *s, struct site *site) {
    struct site_entry entry;
    s->list.get(s->list.context, site->id, &entry);
    const int error = fill(names, site, &entry);
    site->borrowed = error == 0;
    return error;
}

int names_borrow(struct names *names, uint32_t session, const struct site_list *list) {
    struct session_names *s = session_of(names, session);
    if (s == NULL || list->count > WIRE_SITES) {
        return -ENOMEM;
    }
    if (s->lends_nothing) {
        return -EPERM;
    }
    s->list = *list;
    s->list_rest = list->count;
    for (uint32_t i = 0; i < s->made_count; i++) {
        struct site *site = s->made[i];
        const bool lent = is_lent(s, site->id);
        s->list_rest -= lent ? 1 : 0;
        if (lent && !site->known) {
            const int error = fill_borrowed(names, s, site);
            if (error != 0) {
                return error;
            }
            count_known(s, false);
        }
    }
    return 0;
}

void names_give_back(struct names *names, uint32_t session) {
    struct session_names *s = session_of(names, session);
    if (s == NULL) {
        return;
    }
    s->lends_nothing = true;
    s->list = (struct site_list){0};
    s->list_rest = 0;
    for (uint32_t i = 0; i < s->made_count; i++) {
        if (s->made[i]->borrowed) {
            (void)make_blank(names, s->made[i]);
            s->known--;
            s->unknown++;
        }
    }
}

void names_count(const struct names *names, uint32_t session, uint32_t *known, uint32_t *unknown) {
    const bool there = session < names->session_count;
    const struct session_names *s = there ? &names->sessions[session] : NULL;
    *known = there ? s->known + s->list_rest : 0;
    *unknown = there ? s->unknown : 0;
}

uint32_t names_unknown_from(const struct names *names, uint32_t session, uint32_t first) {
    uint32_t count = 0;
    if (session < names->session_count) {
        const struct session_names *s = &names->sessions[session];
        for (uint32_t i = 0; i < s->made_count; i++) {
            count += s->made[i]->id >= first && !s->made[i]->known ? 1 : 0;
        }
    }
    return count;
}

const char *names_image(const struct names *names, uint32_t session) {
    return session < names->session_count ? names->sessions[session].image : NULL;
}

void names_define_image(struct names *names, uint32_t session, const char *image) {
    struct session_names *s = session_of(names, session);
    if (s != NULL) {
        s->image = names_text(names, image, strlen(image));
    }
}

const char *names_lane(const struct names *names, uint32_t session, uint32_t lane) {
    const char *const *lanes =
        session < names->session_count && lane < WIRE_LANES ? names->sessions[session].lanes : NULL;
    return lanes != NULL && lanes[lane] != NULL ? lanes[lane] : "";
}

int names_define_lane(struct names *names, uint32_t session, uint32_t lane, const char *name,
                      size_t length) {
    struct session_names *s = session_of(names, session);
    if (s == NULL || lane >= WIRE_LANES || length == 0) {
        return s == NULL ? -ENOMEM : 0;
    }
    s->lanes = s->lanes != NULL ? s->lanes : calloc(WIRE_LANES, sizeof *s->lanes);
    if (s->lanes == NULL) {
        return -ENOMEM;
    }
    s->lanes[lane] = names_text(names, name, length);
    return s->lanes[lane] == NULL ? -ENOMEM : 0;
}

static bool reserve_late(struct names *names) {
    return grow(&names->late, &names->late_capacity, names->late_keys.count, sizeof *names->late);
}

int names_come_late(struct names *names, const struct late_key *key, const struct late_name *name) {
    const uint32_t before = names->late_keys.count;
    const int64_t number =
        reserve_late(names) ? keytable_add(&names->late_keys, key, sizeof *key) : -1;
    if (number == before) {
        names->late[number] = *name;
    }
    return number < 0 ? -ENOMEM : 0;
}

const struct late_name *names_late(const struct names *names, const struct late_key *key) {
    const int64_t number =
        names->late_keys.count != 0 ? keytable_find(&names->late_keys, key, sizeof *key) : -1;
    return number < 0 ? NULL : &names->late[number];
}
