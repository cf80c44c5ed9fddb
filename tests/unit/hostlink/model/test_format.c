/* SPDX-License-Identifier: MIT */
/* Messages whose words are fewer than they say: only the event's own words are shown. */
#include "model/format.h"

#include <string.h>

#include "cases.h"
#include "kymo/wire.h"

#define ABCD 0x64636261u
#define EFGH 0x68676665u

static const char *no_site(void *context, uint32_t index) {
    (void)context;
    (void)index;
    return "";
}

static void expect(const char *expected, const char *format, uint32_t classes,
                   const uint32_t *words, uint32_t count) {
    char text[FORMAT_BYTES_MAX];
    const struct site site = {.name = format, .detail = classes};
    const size_t length = format_message(text, sizeof text, &site, words, count, no_site, NULL);
    assert_string_equal(text, expected);
    assert_int_equal(length, strlen(expected));
}

/* Words after the event's own belong to another event. */
CASE(a_string_that_is_cut_ends_with_the_event) {
    static const uint32_t words[] = {7u, 100u, ABCD, EFGH, EFGH, EFGH, EFGH, EFGH, EFGH};
    const uint32_t classes = KYMO_ARG_I32 | KYMO_ARG_STRING << 4;
    expect("7 abcdefgh.", "%d %s.", classes, words, 4u);
    expect("7 abcd.", "%d %s.", classes, words, 3u);
    expect("7 .", "%d %s.", classes, words, 2u);
    expect("7 %s.", "%d %s.", classes, words, 1u);
}

CASE(a_string_of_several_follows_the_one_before) {
    static const uint32_t words[] = {5u, ABCD, 'e', 2u, EFGH, ABCD};
    const uint32_t classes = KYMO_ARG_STRING | KYMO_ARG_STRING << 4;
    expect("abcde ef", "%s %s", classes, words, 5u);
}
