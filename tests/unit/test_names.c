/* Texts that are kept once, and how many names of a session are known. */
#include "model/names.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "kymo/wire.h"

#define TEXTS 40000

static void equal_texts_are_one_copy(void **state) {
    (void)state;
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

static void long_texts_and_wrong_ones(void **state) {
    (void)state;
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

static uint32_t asked; /* places of the list that were looked up, one after the other */

static void get_entry(const void *context, uint32_t index, struct site_entry *result) {
    (void)context;
    assert_int_equal(index, asked);
    asked++;
    *result = entry;
}

static void counts_what_is_known(void **state) {
    (void)state;
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
    assert_count(names, 3, 3);
    names_free(names);
}

/* Each site of an image once, in its order, and none beyond it. */
static void borrows_what_the_list_has(void **state) {
    (void)state;
    struct names *names = names_new();
    const struct site_list empty = {.count = 0, .get = get_entry};
    const struct site_list list = {.count = 100, .get = get_entry};
    asked = 0;
    assert_int_equal(names_borrow(names, 0, &empty), 0);
    assert_int_equal(asked, 0);
    assert_count(names, 0, 0);
    assert_int_equal(names_borrow(names, 0, &list), 0);
    assert_int_equal(asked, 100);
    assert_count(names, 100, 0);
    assert_int_equal(names_borrow(names, 0, &list), 0); /* all are known */
    assert_int_equal(asked, 100);
    names_free(names);
}

static void borrows_nothing_after_it_was_given_back(void **state) {
    (void)state;
    struct names *names = names_new();
    const struct site_list list = {.count = 4, .get = get_entry};
    asked = 0;
    assert_int_equal(names_borrow(names, 0, &list), 0);
    names_give_back(names, 0);
    assert_count(names, 0, 4);
    assert_string_equal(names_site(names, 0, 3)->name, "site 3");
    assert_int_equal(names_borrow(names, 0, &list), -EPERM);
    assert_int_equal(asked, 4);
    assert_count(names, 0, 4);
    names_free(names);
}

static void borrows_no_more_sites_than_there_can_be(void **state) {
    (void)state;
    struct names *names = names_new();
    const struct site_list list = {.count = WIRE_SITES + 1, .get = get_entry};
    asked = 0;
    assert_non_null(names_site(names, 1, WIRE_SITES - 1));
    assert_null(names_site(names, 1, WIRE_SITES));
    assert_int_equal(names_borrow(names, 0, &list), -ENOMEM);
    assert_int_equal(asked, WIRE_SITES);
    assert_count(names, WIRE_SITES, 0);
    names_free(names);
}

static void get_context(const void *context, uint32_t index, struct site_entry *result) {
    (void)index;
    *result = *(const struct site_entry *)context;
}

/* What the board sends of a borrowed site is that of another place if a single field differs. */
static void a_borrowed_site_must_be_the_same_place(void **state) {
    (void)state;
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
        names_free(names);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_texts_are_one_copy),
        cmocka_unit_test(long_texts_and_wrong_ones),
        cmocka_unit_test(counts_what_is_known),
        cmocka_unit_test(borrows_what_the_list_has),
        cmocka_unit_test(borrows_nothing_after_it_was_given_back),
        cmocka_unit_test(borrows_no_more_sites_than_there_can_be),
        cmocka_unit_test(a_borrowed_site_must_be_the_same_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
