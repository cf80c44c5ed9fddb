/* SPDX-License-Identifier: MIT */
/* Wrong arguments to IREE's macros, and too many of everything. */
#include "tracing.h"

#include "program.h"

#define NAMES 10000u
#define SOURCES 40u

static char longest[100000];

static void nothing(void) {
    IREE_TRACE_ZONE_BEGIN_NAMED_DYNAMIC(z_null, NULL, 0);
    IREE_TRACE_ZONE_APPEND_TEXT(z_null, NULL);
    IREE_TRACE_ZONE_APPEND_TEXT(z_null, NULL, 5);
    IREE_TRACE_ZONE_APPEND_TEXT(z_null, "");
    IREE_TRACE_ZONE_END(z_null);
    IREE_TRACE_ZONE_BEGIN_NAMED_DYNAMIC(z_null_and_more, NULL, 5);
    IREE_TRACE_ZONE_END(z_null_and_more);
    IREE_TRACE_ZONE_BEGIN_NAMED_DYNAMIC(z_empty, "", 0);
    IREE_TRACE_ZONE_END(z_empty);
    IREE_TRACE_ZONE_BEGIN_NAMED(z_empty_literal, "");
    IREE_TRACE_ZONE_END(z_empty_literal);
    IREE_TRACE_ZONE_BEGIN_EXTERNAL(z_nowhere, NULL, 0, 0u, NULL, 0, NULL, 0);
    IREE_TRACE_ZONE_END(z_nowhere);
    IREE_TRACE_MESSAGE_DYNAMIC(INFO, NULL, 5);
    IREE_TRACE_MESSAGE_DYNAMIC(INFO, "", 0);
    IREE_TRACE_SET_APP_INFO(NULL, 5);
    IREE_TRACE_SET_THREAD_NAME(NULL);
    IREE_TRACE_PLOT_VALUE_I64(NULL, 1);
    IREE_TRACE_FRAME_MARK_NAMED(NULL);
    IREE_TRACE_ALLOC_NAMED(NULL, longest, 1);
    IREE_TRACE_FREE_NAMED(NULL, longest);
    IREE_TRACE_PUBLISH_SOURCE_FILE(NULL, 4, NULL, 4);
    IREE_TRACE_FIBER_ENTER(0);
    IREE_TRACE_FIBER_LEAVE();
    IREE_TRACE_FIBER_LEAVE();
}

static void too_often(void) {
    const iree_zone_id_t none = 0;
    IREE_TRACE_ZONE_END(none);
    IREE_TRACE_ZONE_APPEND_TEXT(none, "nowhere");
    IREE_TRACE_ZONE_APPEND_VALUE_I64(none, 1);
    IREE_TRACE_ZONE_SET_COLOR(none, 1);
    IREE_TRACE_ZONE_BEGIN_NAMED(z_twice, "ended twice");
    IREE_TRACE_ZONE_END(z_twice);
    IREE_TRACE_ZONE_END(z_twice);
    IREE_TRACE_FREE(longest);
    (void)none;
}

static void too_long(void) {
    for (size_t i = 0u; i < sizeof longest; i++) {
        longest[i] = 'x';
    }
    IREE_TRACE_ZONE_BEGIN_NAMED_DYNAMIC(z_name, longest, sizeof longest);
    IREE_TRACE_ZONE_APPEND_TEXT(z_name, longest, sizeof longest);
    IREE_TRACE_ZONE_END(z_name);
    IREE_TRACE_ZONE_BEGIN_EXTERNAL(z_external, longest, sizeof longest, UINT32_MAX, longest,
                                   sizeof longest, longest, sizeof longest);
    IREE_TRACE_ZONE_END(z_external);
    IREE_TRACE_MESSAGE_DYNAMIC(WARNING, longest, sizeof longest);
    IREE_TRACE_SET_APP_INFO(longest, sizeof longest);
}

/* More than the table has places for. */
static void too_many(void) {
    for (uint32_t i = 0u; i < NAMES; i++) {
        char name[] = "name 00000";
        uint32_t rest = i;
        for (size_t digit = sizeof name - 2u; rest != 0u; digit--) {
            name[digit] = (char)('0' + rest % 10u);
            rest /= 10u;
        }
        IREE_TRACE_ZONE_BEGIN_NAMED_DYNAMIC(z_name, name, sizeof name - 1u);
        IREE_TRACE_ZONE_END(z_name);
        (void)name;
    }
    for (uint32_t i = 0u; i < SOURCES; i++) {
        IREE_TRACE_PUBLISH_SOURCE_FILE("many.mlir", 9, longest, 1000u + i);
        IREE_TRACE_PUBLISH_SOURCE_FILE("a/many.mlir", 11, longest, 1000u + i); /* is there */
    }
    IREE_TRACE_PUBLISH_SOURCE_FILE("large.mlir", 10, longest, SIZE_MAX);
}

void calls_wrong(void) {
    nothing();
    too_often();
    too_long();
    too_many();
    IREE_TRACE_ZONE_BEGIN_NAMED(z_open, "never ended");
    (void)z_open;
}
