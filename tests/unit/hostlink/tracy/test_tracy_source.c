/* SPDX-License-Identifier: MIT */
/* Source files for viewers: which are found, and which nobody gets. */
#include "tracy/source_code.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cases.h"
#include "kymo/wire.h"
#include "tracy/published.h"
#include "tracy_run.h"

#define LATER INT64_C(4000000000)
#define MTIME 1600000000

static char folder[64]; /* base/in is --source; its neighbours are not */
static uint8_t bytes[TRACY_SOURCE_BYTES_MAX];
static struct tracy_source_folders in_folder;

static const char *path_of(const char *name) {
    static char path[128];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void write_file(const char *name, const char *text, size_t length) {
    FILE *file = fopen(path_of(name), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
    const struct timespec times[2] = {{.tv_sec = MTIME}, {.tv_sec = MTIME}};
    assert_int_equal(utimensat(AT_FDCWD, path_of(name), times, 0), 0);
}

static void put(const char *name) { write_file(name, name, strlen(name)); }

static int set_up(void **state) {
    static char root[80], other[80];
    (void)state;
    (void)strcpy(folder, "/tmp/kymo.source.XXXXXX");
    assert_non_null(mkdtemp(folder));
    (void)snprintf(root, sizeof root, "%s/in", folder);
    (void)snprintf(other, sizeof other, "%s/in2", folder);
    assert_int_equal(mkdir(root, 0700), 0);
    assert_int_equal(mkdir(other, 0700), 0);
    assert_int_equal(mkdir(path_of("in/src"), 0700), 0);
    put("in/main.c");
    put("in/src/main.c");
    put("in/src/noise.S");
    put("in/secret.txt");
    assert_int_equal(mkdir(path_of("in/hw"), 0700), 0);
    put("in/hw/main.c");
    put("in2/other.cpp");
    put("outside.c");
    assert_int_equal(symlink("../outside.c", path_of("in/link.c")), 0);
    assert_int_equal(symlink("secret.txt", path_of("in/text.c")), 0);
    assert_int_equal(symlink("src/main.c", path_of("in/near.c")), 0);
    assert_int_equal(mkfifo(path_of("in/pipe.c"), 0600), 0);
    in_folder = (struct tracy_source_folders){.path = {root, other}, .count = 2};
    return 0;
}

static int tear_down(void **state) {
    char command[128];
    (void)state;
    (void)snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

static int ask(const char *name) { return tracy_source_read(&in_folder, name, LATER, bytes); }

/* The file's text is its name. */
static void check(const char *asked, const char *found) {
    int length = ask(asked);
    assert_int_equal(length, strlen(found));
    assert_memory_equal(bytes, found, strlen(found));
}

CASE(the_longest_end_is_found, set_up, tear_down) {
    check("main.c", "in/main.c");
    check("src/main.c", "in/src/main.c");
    check("/build/ci/hw/main.c", "in/hw/main.c"); /* a folder of two characters, as ".." is */
    check("/build/ci/fw/src/main.c", "in/src/main.c");
    check("../../src/main.c", "in/src/main.c");
    check("/elsewhere/main.c", "in/main.c");
    check("build/../src/noise.S", "in/src/noise.S");
    check("other.cpp", "in2/other.cpp");
    check("near.c", "in/src/main.c");
}

CASE(nothing_outside_of_the_folder_is_read, set_up, tear_down) {
    assert_int_equal(ask("../outside.c"), -ENOENT);
    assert_int_equal(ask("src/../../outside.c"), -ENOENT);
    assert_int_equal(ask("x/../../in/../outside.c"), -ENOENT);
    assert_int_equal(ask("link.c"), -ENOENT);
    assert_int_equal(ask(path_of("outside.c")), -ENOENT);
    assert_int_equal(ask("/etc/passwd"), -ENOENT);
    assert_int_equal(ask(".."), -ENOENT);
    assert_int_equal(ask(""), -ENOENT);
    assert_int_equal(ask("/"), -ENOENT);
}

/* in2 begins with the name of in, and is another folder. */
CASE(a_folder_of_a_longer_name_is_another, set_up, tear_down) {
    assert_int_equal(symlink("../in2/other.cpp", path_of("in/sibling.c")), 0);
    in_folder.count = 1;
    assert_int_equal(ask("sibling.c"), -ENOENT);
    assert_int_equal(ask("other.cpp"), -ENOENT);
}

CASE(only_source_files_are_read, set_up, tear_down) {
    assert_int_equal(ask("secret.txt"), -ENOENT);
    assert_int_equal(ask("text.c"), -ENOENT); /* a link to it */
    assert_int_equal(ask("src"), -ENOENT);
    assert_int_equal(ask("pipe.c"), -ENOENT);
    in_folder.as_named = true;
    assert_int_equal(ask("/etc/passwd"), -ENOENT);
    assert_int_equal(ask(path_of("in/secret.txt")), -ENOENT);
    assert_int_equal(ask(path_of("in/text.c")), -ENOENT);
}

CASE(as_named_where_that_is_allowed, set_up, tear_down) {
    assert_int_equal(ask(path_of("outside.c")), -ENOENT);
    in_folder.as_named = true;
    assert_int_equal(ask(path_of("outside.c")), strlen("outside.c"));
}

CASE(newer_files_are_refused, set_up, tear_down) {
    assert_int_equal(tracy_source_read(&in_folder, "main.c", MTIME, bytes), -ESTALE);
    assert_int_equal(tracy_source_read(&in_folder, "main.c", MTIME + 1, bytes), 9);
}

CASE(the_largest_file_is_that_of_tracy, set_up, tear_down) {
    char *text = calloc(1, TRACY_SOURCE_BYTES_MAX + 1);
    assert_non_null(text);
    write_file("in/large.c", text, TRACY_SOURCE_BYTES_MAX);
    write_file("in/huge.c", text, TRACY_SOURCE_BYTES_MAX + 1);
    free(text);
    assert_int_equal(ask("large.c"), TRACY_SOURCE_BYTES_MAX);
    assert_int_equal(ask("huge.c"), -EFBIG);
}

/* ---- the viewer's part ---- */

static const struct track core0 = {1, 0, 0, KYMO_CONTEXT_MAIN, "core 0", NULL, NULL, 0};

static void give_zone(struct tracy_run *run, const struct site *site, int64_t time_ns) {
    struct event event = {
        .kind = EVENT_ZONE_BEGIN, .time_ns = time_ns, .track = &core0, .site = site};
    assert_int_equal(tracy_run_event(run, &event), 0);
    event.kind = EVENT_ZONE_END;
    event.time_ns++;
    assert_int_equal(tracy_run_event(run, &event), 0);
}

/* In every protocol: a file that is there, one that is not, one that is as large as can be. */
CASE(viewers_get_the_files_of_places, set_up, tear_down) {
    char *text = calloc(1, TRACY_SOURCE_BYTES_MAX);
    assert_non_null(text);
    memset(text, 'x', TRACY_SOURCE_BYTES_MAX);
    write_file("in/large.c", text, TRACY_SOURCE_BYTES_MAX);
    const struct site sites[] = {
        {.known = true, .name = "a", .function = "f", .file = "/build/fw/src/main.c"},
        {.known = true, .name = "b", .function = "f", .file = "gone.c"},
        {.known = true, .name = "c", .function = "f", .file = "large.c"},
        {.known = true, .name = "d", .function = "f", .file = "large.c"},
        {.known = true, .name = "e", .function = "f", .file = "../outside.c"},
    };
    for (size_t i = 0; tracy_proto_known(i) != 0; i++) {
        struct tracy_run *run = tracy_run_new();
        run->answers->folders = &in_folder;
        run->answers->sources_before_s = LATER;
        tracy_run_connect(run, tracy_proto_known(i));
        run->peer->asks_sources = true;
        for (size_t n = 0; n < sizeof sites / sizeof sites[0]; n++) {
            give_zone(run, &sites[n], (int64_t)n * 10);
        }
        tracy_run_end(run);
        assert_string_equal(run->peer->failure, "");
        assert_int_equal(run->peer->source_count, 4);
        assert_int_equal(run->peer->source_open, 0);
        assert_int_equal(run->peer->acks_open, 0);
        const struct peer_source *source = tracy_peer_source(run->peer, "/build/fw/src/main.c");
        assert_true(source->there);
        assert_string_equal(source->text, "in/src/main.c");
        assert_false(tracy_peer_source(run->peer, "gone.c")->there);
        assert_false(tracy_peer_source(run->peer, "../outside.c")->there);
        source = tracy_peer_source(run->peer, "large.c");
        assert_int_equal(source->length, TRACY_SOURCE_BYTES_MAX);
        assert_memory_equal(source->text, text, TRACY_SOURCE_BYTES_MAX);
        tracy_run_free(run);
    }
    free(text);
}

static void publish(struct tracy_published *published, uint64_t id, const char *name,
                    const char *text) {
    struct large large = {.id = id, .type = KYMO_LARGE_TEXT, .bytes = strlen(text)};
    (void)snprintf(large.name, sizeof large.name, "%s", name);
    for (size_t i = 0; text[i] != '\0'; i++) {
        large.received = i + 1;
        tracy_published_take(published, &large, (const uint8_t *)&text[i], 1);
    }
    large.end = LARGE_WHOLE;
    tracy_published_take(published, &large, NULL, 0);
}

/* Before a viewer asks, after that, again, and never. */
CASE(viewers_get_what_is_published, set_up, tear_down) {
    static const char *const files[] = {"/models/early.mlir", "late.mlir", "never.mlir"};
    struct site sites[3];
    struct tracy_published published = {.count = 0};
    struct tracy_run *run = tracy_run_new();
    run->answers->folders = &in_folder;
    run->answers->published = &published;
    run->answers->sources_before_s = 0;
    tracy_run_connect(run, 82);
    run->peer->asks_sources = true;
    publish(&published, 1, "net/early.mlir", "early");
    for (size_t i = 0; i < 3; i++) {
        sites[i] = (struct site){.known = true, .name = "a", .function = "f", .file = files[i]};
        give_zone(run, &sites[i], (int64_t)i * 10);
    }
    tracy_run_pump(run);
    assert_true(tracy_peer_source(run->peer, files[0])->answered);
    assert_string_equal(tracy_peer_source(run->peer, files[0])->text, "early");
    assert_false(tracy_peer_source(run->peer, files[1])->answered);
    publish(&published, 2, "late.mlir", "late");
    publish(&published, 3, "late.mlir", "late");
    assert_int_equal(published.count, 2);
    assert_true(tracy_answer_waiting(run->answers, 0, false));
    assert_true(tracy_answer_waiting(run->answers, 0, true));
    tracy_run_end(run);
    assert_string_equal(run->peer->failure, "");
    assert_string_equal(tracy_peer_source(run->peer, files[1])->text, "late");
    assert_true(tracy_peer_source(run->peer, files[2])->answered);
    assert_false(tracy_peer_source(run->peer, files[2])->there);
    assert_int_equal(run->peer->source_open, 0);
    tracy_run_free(run);
    tracy_published_free(&published);
}

static void ask_for(struct tracy_run *run, const char *name, uint64_t announced) {
    uint64_t eight = 0;
    uint32_t four = 0;
    size_t length = strlen(name) + 1;
    assert_true(length <= 12);
    for (size_t i = 0; i < length; i++) {
        eight |= i < 8 ? (uint64_t)(uint8_t)name[i] << (8 * i) : 0;
        four |= i < 8 ? 0 : (uint32_t)(uint8_t)name[i] << (8 * (i - 8));
    }
    run->peer->acks_open += 2;
    assert_int_equal(tracy_answer(run->answers, TRACY_QUERY_DATA_TRANSFER, announced, 0, 0), 0);
    assert_int_equal(tracy_answer(run->answers, TRACY_QUERY_DATA_TRANSFER_PART, eight, four, 0), 0);
    run->peer->sources[run->peer->source_count].file = strdup(name);
    assert_int_equal(
        tracy_answer(run->answers, TRACY_QUERY_SOURCE_CODE, run->peer->source_count++, 0, 0), 0);
    run->peer->source_open++;
    assert_int_equal(tracy_stream_flush(&run->encode->stream), 0);
    assert_string_equal(run->peer->failure, "");
}

/* It is there, it is in the folder, but no place of the board's is in it. */
CASE(a_viewer_cannot_choose_the_file, set_up, tear_down) {
    const struct site site = {.known = true, .name = "a", .function = "f", .file = "near.c"};
    struct tracy_run *run = tracy_run_new();
    run->answers->folders = &in_folder;
    run->answers->sources_before_s = LATER;
    tracy_run_connect(run, 76);
    give_zone(run, &site, 0);
    ask_for(run, "near.c", 7);
    ask_for(run, "main.c", 7);
    ask_for(run, "near.c", 6);          /* without its end */
    ask_for(run, "near.c", 8);          /* longer than the answer */
    ask_for(run, "near.c", UINT64_MAX); /* as long as can be said */
    ask_for(run, "near.c", 0);
    const bool there[] = {true, false, false, false, false, false};
    for (size_t i = 0; i < sizeof there; i++) {
        assert_true(run->peer->sources[i].answered);
        assert_int_equal(run->peer->sources[i].there, there[i]);
    }
    tracy_run_free(run);
}
