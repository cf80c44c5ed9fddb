/* SPDX-License-Identifier: MIT */
/* Texts that are kept once, and how many names of a session are known. */
#include "model/names.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cases.h"
#include "kymo/wire.h"

#define TEXTS 40000

CASE(equal_texts_are_one_copy) {
    static const char *kept[TEXTS];
    char text[32];
    struct names *names = names_new();
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < TEXTS; i++) {
            int length = snprintf(text, sizeof text, "text %d", i);
            const char *copy = names_text(names, text, (size_t)length);
            assert_string_equal(copy, text);
            assert_true(pass == 0 || copy == kept[i]);
            kept[i] = copy;
        }
    }
    names_free(names);
}

CASE(long_texts_and_wrong_ones) {
    char text[3001];
    struct names *names = names_new();
    memset(text, 'x', sizeof text);
    for (size_t length = 500; length <= 3000; length += 1) {
        const char *copy = names_text(names, text, length);
        assert_int_equal(strlen(copy), length);
    }
    assert_string_equal(names_text(names,
                                   "a\033\xff"
                                   "b\tc",
                                   6),
                        "a??b\tc");
    assert_string_equal(names_text(names, "a\0b", 3), "a");
    /* Turned around: U+202E, U+2066; not U+202F and U+2065. */
    assert_string_equal(names_text(names, "a\u202eb\u2066c\u202fd", 13), "a?b?c\u202fd");
    assert_string_equal(names_text(names, "", 0), "");
    names_free(names);
}

static void assert_count(const struct names *names, uint32_t known, uint32_t unknown) {
    uint32_t is_known = 0, is_unknown = 0;
    names_count(names, 0, &is_known, &is_unknown);
    assert_int_equal(is_known, known);
    assert_int_equal(is_unknown, unknown);
}

static const struct site_entry entry = {.kind = KYMO_SITE_ZONE,
                                        .name = "a",
                                        .name_bytes = 1,
                                        .function = "f",
                                        .function_bytes = 1,
                                        .file = "",
                                        .file_bytes = 0};

static uint32_t asked; /* places of the list that were looked up */

static void get_entry(const void *context, uint32_t index, struct site_entry *result) {
    (void)context;
    (void)index;
    asked++;
    *result = entry;
}

CASE(counts_what_is_known) {
    struct names *names = names_new();
    const struct site_list list = {.count = 4, .get = get_entry};
    asked = 0;
    assert_count(names, 0, 0);
    (void)names_site(names, 0, 7);
    (void)names_site(names, 0, 7);
    (void)names_site(names, 0, 1);
    assert_count(names, 0, 2);
    assert_int_equal(names_define(names, 0, 7, &entry), 0);
    assert_int_equal(names_define(names, 0, 7, &entry), 0);
    assert_int_equal(names_define(names, 0, 8, &entry), 0);
    assert_count(names, 2, 1);
    assert_int_equal(names_borrow(names, 0, &list), 0);
    assert_count(names, 6, 0);
    assert_int_equal(names_define(names, 0, 2, &entry), 0);
    assert_count(names, 6, 0);
    names_give_back(names, 0);
    assert_count(names, 3, 1);
    names_free(names);
}

/* Each site of an image when it is used, once, and none beyond it. */
CASE(borrows_what_the_list_has) {
    struct names *names = names_new();
    const struct site_list empty = {.count = 0, .get = get_entry};
    const struct site_list list = {.count = 100, .get = get_entry};
    asked = 0;
    (void)names_site(names, 0, 5);
    assert_int_equal(names_borrow(names, 0, &empty), 0);
    assert_int_equal(asked, 0);
    assert_count(names, 0, 1);
    assert_int_equal(names_borrow(names, 0, &list), 0);
    assert_int_equal(asked, 1);
    assert_count(names, 100, 0);
    for (uint32_t i = 0; i <= 100; i++) {
        assert_string_equal(names_site(names, 0, i)->name, i < 100 ? "a" : "site 100");
    }
    assert_int_equal(asked, 100);
    assert_count(names, 100, 1);
    assert_int_equal(names_borrow(names, 0, &list), 0); /* all are known */
    assert_int_equal(asked, 100);
    assert_count(names, 100, 1);
    names_free(names);
}

CASE(borrows_nothing_after_it_was_given_back) {
    struct names *names = names_new();
    const struct site_list list = {.count = 4, .get = get_entry};
    asked = 0;
    assert_int_equal(names_borrow(names, 0, &list), 0);
    assert_string_equal(names_site(names, 0, 3)->name, "a");
    names_give_back(names, 0);
    assert_count(names, 0, 1);
    assert_string_equal(names_site(names, 0, 3)->name, "site 3");
    assert_string_equal(names_site(names, 0, 2)->name, "site 2");
    assert_int_equal(names_borrow(names, 0, &list), -EPERM);
    assert_int_equal(asked, 1);
    assert_count(names, 0, 2);
    names_free(names);
}

CASE(borrows_no_more_sites_than_there_can_be) {
    struct names *names = names_new();
    struct site_list list = {.count = WIRE_SITES + 1, .get = get_entry};
    assert_non_null(names_site(names, 1, WIRE_SITES - 1));
    assert_null(names_site(names, 1, WIRE_SITES));
    assert_int_equal(names_borrow(names, 0, &list), -ENOMEM);
    list.count = WIRE_SITES;
    assert_int_equal(names_borrow(names, 0, &list), 0);
    assert_count(names, WIRE_SITES, 0);
    names_free(names);
}

/* Near ones and far ones, in any order. */
CASE(a_site_stays_where_it_is) {
    static struct site *sites[WIRE_SITES / 64 + 1];
    struct names *names = names_new();
    for (uint32_t pass = 0; pass < 2; pass++) {
        for (uint32_t i = WIRE_SITES; i > 0; i -= 64) {
            struct site *site = names_site(names, 0, i - 1);
            assert_true(pass == 0 || site == sites[i / 64]);
            assert_int_equal(site->id, i - 1);
            sites[i / 64] = site;
        }
        for (uint32_t i = 0; i < WIRE_SITES; i += 5) {
            assert_int_equal(names_site(names, 0, i)->id, i);
        }
    }
    names_free(names);
}

/* A late name does not change the site's zones. */
CASE(a_late_name_leaves_open_zones) {
    struct names *names = names_new();
    struct site *site = names_site(names, 0, 7);
    assert_non_null(site);
    site->open = 2;
    site->left_open = 3;
    site->nests = true;
    assert_int_equal(names_define(names, 0, 7, &entry), 0);
    assert_string_equal(site->name, "a");
    assert_int_equal(site->open, 2);
    assert_int_equal(site->left_open, 3);
    assert_true(site->nests);
    names_free(names);
}

/* Nor do names that are taken back. */
CASE(given_back_names_leave_open_zones) {
    struct names *names = names_new();
    const struct site_list list = {.count = 4, .get = get_entry};
    assert_int_equal(names_borrow(names, 0, &list), 0);
    struct site *site = names_site(names, 0, 3);
    assert_non_null(site);
    site->open = 2;
    site->nests = true;
    names_give_back(names, 0);
    assert_string_equal(site->name, "site 3");
    assert_false(site->known);
    assert_int_equal(site->open, 2);
    assert_true(site->nests);
    names_free(names);
}

/* Names of 4096 sessions of the same image: each takes about as much as the table of its indexes. */
CASE(sessions_share_what_they_have_alike) {
    struct names *names = names_new();
    struct site_entry other = entry;
    other.line = 7;
    names_share(names, NAMES_COLLECT);
    for (uint32_t session = 0; session < 4; session++) {
        for (uint32_t i = 0; i < 100; i++) {
            const bool differs = session == 2 && i == 50;
            assert_int_equal(names_define(names, session, i, differs ? &other : &entry), 0);
        }
    }
    names_share(names, NAMES_COMPLETE);
    const struct site_list list = {.count = 300, .get = get_entry};
    for (uint32_t session = 0; session < 4; session++) {
        assert_int_equal(names_borrow(names, session, &list), 0);
        for (uint32_t i = 0; i < 100; i++) {
            const struct site *site = names_site(names, session, i);
            assert_int_equal(site->line, session == 2 && i == 50 ? 7 : 0);
            assert_true(session == 3 || i == 50 || site == names_site(names, 0, i));
        }
        assert_ptr_equal(names_site(names, session, 900), names_site(names, 0, 900));
        assert_ptr_equal(names_site(names, session, 200), names_site(names, 0, 200));
        assert_string_equal(names_site(names, session, 200)->name, "a");
    }
    names_free(names);
}

CASE(pools_of_one_name_are_one) {
    struct names *names = names_new();
    struct site_entry pool = entry;
    pool.kind = KYMO_SITE_POOL;
    assert_int_equal(names_define(names, 0, 3, &pool), 0);
    assert_int_equal(names_define(names, 0, 5, &pool), 0);
    assert_int_equal(names_define(names, 1, 9, &pool), 0);
    pool.name = "b";
    assert_int_equal(names_define(names, 0, 4, &pool), 0);
    const uint32_t first = names_pool(names, names_site(names, 0, 5));
    assert_int_equal(names_pool(names, names_site(names, 0, 3)), first);
    assert_int_equal(names_pool(names, names_site(names, 1, 9)), first);
    assert_int_not_equal(names_pool(names, names_site(names, 0, 4)), first);
    assert_int_not_equal(names_pool(names, names_site(names, 0, 6)), first);
    assert_int_not_equal(names_pool(names, names_site(names, 0, 7)),
                         names_pool(names, names_site(names, 0, 6)));
    names_free(names);
}

static void get_context(const void *context, uint32_t index, struct site_entry *result) {
    (void)index;
    *result = *(const struct site_entry *)context;
}

/* A site sent by the board is not the borrowed site if a single field differs. */
CASE(a_borrowed_site_must_be_the_same_place) {
    char long_name[KYMO_SITE_STRING_BYTES + 2u]; /* one byte more than a board sends */
    memset(long_name, 'n', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = '\0';
    const struct site_entry borrowed = {.kind = KYMO_SITE_PLOT,
                                        .line = 70,
                                        .detail = 2,
                                        .name = long_name,
                                        .name_bytes = sizeof long_name - 1,
                                        .function = "f",
                                        .function_bytes = 1,
                                        .file = "src/a.c",
                                        .file_bytes = 7};
    const struct site_list list = {.context = &borrowed, .count = 1, .get = get_context};
    struct site_entry sent[6] = {borrowed, borrowed, borrowed, borrowed, borrowed, borrowed};
    sent[0].name_bytes = KYMO_SITE_STRING_BYTES;
    sent[0].cut = 1u << SITE_NAME;
    sent[1].kind = KYMO_SITE_ZONE;
    sent[2].line = 71;
    sent[3].detail = 3;
    sent[4].name_bytes = 20;
    sent[5].file = "src/b.c";
    for (uint32_t i = 0; i < 6; i++) {
        struct names *names = names_new();
        assert_int_equal(names_borrow(names, 0, &list), 0);
        assert_int_equal(names_define(names, 0, 0, &sent[i]), i == 0 ? 0 : NAMES_DIFFER);
        if (i != 0) { /* the number that was lent still finds it */
            assert_int_equal(names_site(names, 0, 0)->kind, borrowed.kind);
            assert_int_equal(names_site(names, 0, 0)->line, borrowed.line);
            names_give_back(names, 0);
            assert_int_equal(names_define(names, 0, 0, &sent[i]), 0);
        }
        assert_int_equal(names_site(names, 0, 0)->kind, sent[i].kind);
        assert_int_equal(names_site(names, 0, 0)->line, sent[i].line);
        names_free(names);
    }
}
