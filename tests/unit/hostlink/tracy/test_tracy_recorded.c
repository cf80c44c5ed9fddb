/* SPDX-License-Identifier: MIT */
/* Real viewers' questions, replayed: the peer of these tests must ask just the same, and each of
 * them must get its answer. */
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "tracy_recorded.h"
#include "tracy_run.h"
#include "tracy_scene.h"

#define BYTES_MAX 4096

static uint8_t digit(char c) { return (uint8_t)(c <= '9' ? c - '0' : c - 'a' + 10); }

static size_t from_hex(const char *hex, uint8_t *bytes) {
    size_t length = strlen(hex) / 2;
    assert_true(length <= BYTES_MAX);
    for (size_t i = 0; i < length; i++) {
        bytes[i] = (uint8_t)(digit(hex[2 * i]) << 4 | digit(hex[2 * i + 1]));
    }
    return length;
}

static int by_content(const void *a, const void *b) { return memcmp(a, b, TRACY_QUERY_BYTES); }

/* The scene as one batch, as it was when it was recorded: keys are given in the order of use. */
static struct tracy_run *run_scene(uint32_t protocol) {
    struct tracy_run *run = tracy_run_new();
    tracy_run_connect(run, protocol);
    run->peer->asks_sources = true;
    assert_int_equal(tracy_scene(tracy_run_event, run), 0);
    tracy_run_end(run);
    return run;
}

CASE(hello_names_the_protocol) {
    for (const struct tracy_recorded *r = tracy_recorded; r->release != NULL; r++) {
        uint8_t bytes[BYTES_MAX];
        struct tracy_proto proto;
        assert_true(from_hex(r->hex, bytes) > TRACY_HELLO_BYTES);
        assert_memory_equal(bytes, TRACY_MAGIC, TRACY_MAGIC_BYTES);
        assert_int_equal(bytes[8] | bytes[9] << 8 | bytes[10] << 16, r->protocol);
        assert_true(tracy_proto_select(&proto, r->protocol));
        assert_memory_equal(r->release, proto.releases, strlen(proto.releases));
    }
}

CASE(peer_asks_what_viewers_ask) {
    for (const struct tracy_recorded *r = tracy_recorded; r->release != NULL; r++) {
        uint8_t bytes[BYTES_MAX];
        size_t length = from_hex(r->hex, bytes) - TRACY_HELLO_BYTES;
        struct tracy_run *run = run_scene(r->protocol);
        assert_string_equal(run->peer->failure, "");
        assert_int_equal(run->asked_bytes, length);
        qsort(bytes + TRACY_HELLO_BYTES, length / TRACY_QUERY_BYTES, TRACY_QUERY_BYTES, by_content);
        qsort(run->asked, length / TRACY_QUERY_BYTES, TRACY_QUERY_BYTES, by_content);
        assert_memory_equal(run->asked, bytes + TRACY_HELLO_BYTES, length);
        tracy_run_free(run);
    }
}

/* In the viewer's order, which is another than the peer's: the source locations in theirs. */
CASE(recorded_queries_are_answered) {
    for (const struct tracy_recorded *r = tracy_recorded; r->release != NULL; r++) {
        uint8_t bytes[BYTES_MAX];
        size_t length = from_hex(r->hex, bytes);
        struct tracy_run *run = tracy_run_new();
        tracy_run_connect(run, r->protocol);
        run->peer->asks_sources = true;
        assert_int_equal(tracy_scene(tracy_run_event, run), 0);
        (void)tracy_encode_end(run->encode);
        tracy_put_item(&run->encode->stream, TRACY_TERMINATE, &(struct tracy_fields){0});
        for (size_t at = TRACY_HELLO_BYTES; at < length; at += TRACY_QUERY_BYTES) {
            uint64_t key = 0;
            uint32_t extra = 0;
            enum tracy_query query = tracy_proto_query(&run->peer->proto, bytes[at]);
            for (unsigned i = 8; i-- > 0;) {
                key = key << 8 | bytes[at + 1 + i];
            }
            for (unsigned i = 4; i-- > 0;) {
                extra = extra << 8 | bytes[at + 9 + i];
            }
            if (query == TRACY_QUERY_TERMINATE) {
                assert_int_equal(at + TRACY_QUERY_BYTES, length); /* its last word */
            } else {
                assert_int_equal(tracy_answer(run->answers, query, key, extra, 0), 0);
            }
            assert_int_equal(tracy_stream_flush(&run->encode->stream), 0);
        }
        assert_string_equal(run->peer->failure, "");
        assert_false(run->broken);
        assert_int_equal(run->peer->name_open, 0);
        assert_int_equal(run->peer->place_next, run->peer->place_count);
        tracy_run_free(run);
    }
}

/* Totals as tracy-csvexport printed them for the file that tracy-capture saved in those
 * sessions. */
CASE(totals_are_those_of_csvexport) {
    for (const struct tracy_recorded *r = tracy_recorded; r->release != NULL; r++) {
        struct tracy_run *run = run_scene(r->protocol);
        assert_int_equal(tracy_peer_place(run->peer, "work")->count, 2);
        assert_int_equal(tracy_peer_place(run->peer, "work")->total_ns, 8999979800);
        assert_int_equal(tracy_peer_place(run->peer, "step")->count, 2);
        assert_int_equal(tracy_peer_place(run->peer, "step")->total_ns, 69850);
        assert_int_equal(tracy_peer_place(run->peer, "tick")->total_ns, 50);
        assert_int_equal(tracy_peer_place(run->peer, "events lost")->total_ns, 10000);
        assert_int_equal(run->peer->counts.messages, 4);
        tracy_run_free(run);
    }
}
