/* SPDX-License-Identifier: MIT */
#include "cases.h"
#include "sink/series.h"

CASE(one_for_equal_names_of_a_kind_and_session) {
    struct series_table table = {0};
    struct series *first = series_by_name(&table, 0, SERIES_PLOT, "a");
    for (int i = 0; i < 100; i++) { /* the table grows, the row stays where it is */
        char name[2] = {(char)(i + 'b'), '\0'};
        assert_non_null(series_by_name(&table, 0, SERIES_PLOT, name));
    }
    assert_ptr_equal(series_by_name(&table, 0, SERIES_PLOT, "a"), first);
    assert_ptr_not_equal(series_by_name(&table, 1, SERIES_PLOT, "a"), first);
    assert_ptr_not_equal(series_by_name(&table, 0, SERIES_POOL, "a"), first);
    assert_int_equal(first->number, 0);
    assert_int_equal(series_by_name(&table, 1, SERIES_PLOT, "a")->session, 1);
    series_free(&table);
}

CASE(one_for_a_core) {
    struct series_table table = {0};
    struct series *first = series_by_core(&table, 0, SERIES_LOSS, 0);
    assert_ptr_equal(series_by_core(&table, 0, SERIES_LOSS, 0), first);
    assert_ptr_not_equal(series_by_core(&table, 0, SERIES_LOSS, 1), first);
    assert_ptr_not_equal(series_by_core(&table, 0, SERIES_CORE, 0), first);
    series_free(&table);
}

static uint64_t after(struct series *pool, enum event_kind kind, uint64_t bytes) {
    struct event event = {.kind = kind};
    event.u.memory.bytes = bytes;
    series_pool(pool, &event);
    return pool->live_bytes;
}

CASE(live_bytes) {
    struct series pool = {0};
    assert_int_equal(after(&pool, EVENT_ALLOC, 100), 100);
    assert_int_equal(after(&pool, EVENT_ALLOC, 20), 120);
    assert_int_equal(after(&pool, EVENT_FREE, 100), 20);
    assert_int_equal(after(&pool, EVENT_FREE, 0), 20); /* of unknown size */
    /* Impossible sizes leave no trace when their blocks are freed. */
    (void)after(&pool, EVENT_ALLOC, UINT64_MAX);
    assert_int_equal(after(&pool, EVENT_FREE, 20), UINT64_MAX);
    assert_int_equal(after(&pool, EVENT_FREE, UINT64_MAX), 0);
}
