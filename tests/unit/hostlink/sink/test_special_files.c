/* SPDX-License-Identifier: MIT */
/* Outputs to links, pipes and devices, and without permission: POSIX only. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/capture.h"
#include "cases.h"
#include "files.h"
#include "sink/outfile.h"
#include "sink/output.h"
#include "sink/sink.h"
#include "unit/synthetic_events.h"

static char part[512];
static int parts(const char *name) { return file_parts(name, part, sizeof part); }

CASE(full_disk) {
    struct outfile *out;
    static const char block[1 << 16];
    assert_int_equal(outfile_open(&out, "/dev/full"), 0);
    int error = 0;
    for (int i = 0; i < 64 && !error; i++) {
        error = outfile_write(out, block, sizeof block);
    }
    assert_int_equal(error, -ENOSPC);
    assert_int_equal(outfile_write(out, "x", 1), -ENOSPC);
    assert_int_equal(outfile_close(out), -ENOSPC);
}

CASE(full_disk_at_the_last_byte) {
    struct outfile *out;
    assert_int_equal(outfile_open(&out, "/dev/full"), 0);
    assert_int_equal(outfile_write(out, "x", 1), 0); /* still in the buffer */
    assert_int_equal(outfile_close(out), -ENOSPC);
}

/* Root may write anywhere, so the test gives up being root for a moment. */
CASE(forbidden_paths) {
    struct outfile *out = NULL;
    uid_t user = geteuid();
    const char *folder = file_path("."), *file = file_path("protected");
    file_write(file, "old");
    assert_int_equal(chmod(folder, 0755), 0);
    assert_int_equal(chmod(file, 0444), 0);
    if (user == 0) {
        assert_int_equal(seteuid(65534), 0);
    } else {
        assert_int_equal(chmod(folder, 0555), 0);
    }
    int in_folder = outfile_open(&out, file_path("new"));
    int over_file = outfile_open(&out, file);
    if (user == 0) {
        assert_int_equal(seteuid(0), 0);
    }
    assert_int_equal(chmod(folder, 0700), 0);
    assert_int_equal(in_folder, -EACCES);
    assert_int_equal(over_file, -EACCES);
    assert_file_content(file, "old");
}

CASE(devices_are_written_in_place) {
    struct outfile *out;
    const char *pipe_path = file_path("pipe");
    assert_int_equal(mkfifo(pipe_path, 0600), 0);
    int reader = open(pipe_path, O_RDONLY | O_NONBLOCK);
    assert_true(reader >= 0);
    assert_int_equal(outfile_open(&out, pipe_path), 0);
    outfile_write(out, "through", 7);
    assert_int_equal(outfile_close(out), 0);
    char bytes[8] = {0};
    assert_int_equal(read(reader, bytes, sizeof bytes), 7);
    close(reader);
    assert_string_equal(bytes, "through");
    assert_int_equal(parts("pipe"), 0);
}

/* Anyone knowing a part file's future name can put a link or a pipe there. */
CASE(does_not_write_what_lies_in_wait) {
    struct outfile *out;
    assert_int_equal(outfile_open(&out, file_path("trap")), 0);
    assert_int_equal(parts("trap"), 1);
    assert_int_equal(outfile_close(out), 0);
    file_write(file_path("victim"), "precious");
    assert_int_equal(symlink(file_path("victim"), part), 0);
    assert_int_equal(outfile_open(&out, file_path("trap")), 0);
    outfile_write(out, "trace", 5);
    assert_int_equal(outfile_close(out), 0);
    assert_file_content(file_path("victim"), "precious");
    assert_file_content(file_path("trap"), "trace");

    assert_int_equal(unlink(part), 0);
    assert_int_equal(mkfifo(part, 0600), 0);
    assert_int_equal(outfile_open(&out, file_path("trap")), 0); /* does not wait for a reader */
    assert_int_equal(outfile_close(out), 0);
}

CASE(captures_without_room) {
    struct capture capture;
    assert_int_equal(capture_open(&capture, "/dev/full", false), 0);
    assert_int_equal(capture.error, -ENOSPC);
    assert_false(capture.regular);
    assert_int_equal(capture_write(&capture, (const uint8_t *)"k", 1), -ENOSPC);
    assert_int_equal(capture_close(&capture), -ENOSPC);
    assert_int_equal(capture.bytes, 0);
}

/* Called in place of file_claim(), which is the first thing that is done with the open file. */
int __real_file_claim(int fd);
int __wrap_file_claim(int fd);
static const char *replaced_by, *replaced;

int __wrap_file_claim(int fd) {
    if (replaced_by != NULL) {
        assert_int_equal(rename(replaced_by, replaced), 0);
        replaced_by = NULL;
    }
    return __real_file_claim(fd);
}

CASE(a_file_that_is_replaced_meanwhile_stays) {
    struct capture capture;
    file_write(file_path("moved.kymo"), "old");
    file_write(file_path("other.kymo"), "another's");
    char *by = strdup(file_path("other.kymo")), *path = strdup(file_path("moved.kymo"));
    replaced_by = by;
    replaced = path;
    assert_int_equal(capture_open(&capture, path, false), -EBUSY);
    char *content = file_read(path, NULL);
    assert_string_equal(content, "another's");
    free(content);
    free(by);
    free(path);
}

CASE(a_full_disk_is_an_error) {
    for (size_t i = 0; sinks[i]; i++) {
        struct consumer output;
        assert_int_equal(sink_open(sinks[i], &output, "/dev/full"),
                         sinks[i]->is_folder ? -ENOTDIR : 0);
        if (sinks[i]->is_folder) {
            continue;
        }
        int error = synthetic_events(output.event, output.state, 2000, NULL);
        assert_true(error == 0 || error == -ENOSPC); /* CSV is written at the end */
        assert_int_equal(output.close(output.state), -ENOSPC);
    }
}

CASE(no_file_in_place_of_a_folder) {
    struct outfile *out;
    assert_int_equal(outfile_open(&out, "/dev/null/x"), -ENOTDIR);
    assert_int_equal(outfile_open(&out, "/tmp"), -EISDIR);
}

static struct outputs outputs;

static void add(const char *text) {
    char why[256];
    assert_true(outputs_add(&outputs, text, why, sizeof why));
}

CASE(a_full_disk_does_not_stop_others) {
    const struct event session = {.kind = EVENT_SESSION, .u.session.image = "i"};
    outputs = (struct outputs){0};
    add("csv:/dev/full");
    add(file_path("good.csv"));
    outputs_open(&outputs);
    outputs_event(&outputs, &session);
    assert_false(outputs_close(&outputs));
    assert_int_equal(outputs.list[0].error, -ENOSPC);
    assert_int_equal(outputs.list[1].error, 0);
    assert_true(file_exists(file_path("good.csv")));
}

static bool is_apart(const char *first, const char *second, const char *input) {
    const char *const inputs[] = {NULL, input};
    outputs = (struct outputs){0};
    add(first);
    if (second) {
        add(second);
    }
    return outputs_apart(&outputs, inputs, 2);
}

CASE(no_output_is_a_link_to_the_input) {
    char input[512], link_name[512];
    snprintf(input, sizeof input, "%s", file_path("in.json"));
    snprintf(link_name, sizeof link_name, "%s", file_path("hard.json"));
    file_write(input, "capture");
    assert_int_equal(link(input, link_name), 0);
    assert_int_equal(symlink("in.json", file_path("soft.json")), 0);
    assert_false(is_apart(link_name, NULL, input));
    assert_false(is_apart(file_path("soft.json"), NULL, input));
    assert_false(is_apart(input, link_name, NULL));
    assert_true(is_apart("csv:/dev/null", "kymo:/dev/null", "/dev/null"));
}

CASES_BETWEEN(files_setup, files_teardown);
