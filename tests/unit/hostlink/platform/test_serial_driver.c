/* SPDX-License-Identifier: MIT */
/* Serial devices whose driver does not do the rate that was asked for: the test is their driver. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "cases.h"
#include "cli/findings.h"
#include "platform/serial.h"
#include "source/source.h"

static struct {
    int refuses; /* -errno */
    uint32_t chooses, asked;
} driver;

int serial_rate_set(int fd, uint32_t bits_per_s) {
    assert_true(isatty(fd));
    driver.asked = bits_per_s;
    return driver.refuses;
}

uint32_t serial_rate_get(int fd) {
    assert_true(isatty(fd));
    return driver.chooses;
}

#define OTHER_LINE 0x20u

static struct {
    unsigned lines;
    int error, sets;
} modem;

int serial_set_lines(int fd, unsigned which, unsigned on) {
    assert_true(isatty(fd));
    if (modem.error == 0) {
        modem.lines = (modem.lines & ~which) | (which & on);
        modem.sets++;
    }
    return modem.error;
}

static struct source_options wishes;
static bool hangs_up; /* the last one, when it is closed */

/* Opens a device at "baud" whose driver chooses another rate. */
static int open_at(struct source *source, uint32_t baud, uint32_t chooses) {
    char path[64];
    struct source_options options = wishes;
    options.baud = baud;
    int master = posix_openpt(O_RDWR | O_NOCTTY);
    assert_true(master >= 0);
    assert_int_equal(grantpt(master), 0);
    assert_int_equal(unlockpt(master), 0);
    assert_int_equal(ptsname_r(master, path, sizeof path), 0);
    struct termios settings;
    assert_int_equal(tcgetattr(master, &settings), 0);
    settings.c_cflag |= HUPCL; /* as adapters have it */
    assert_int_equal(tcsetattr(master, TCSANOW, &settings), 0);
    driver.chooses = chooses;
    const int error = source_open(source, path, &options);
    assert_int_equal(driver.asked, baud);
    if (error == 0) {
        source_close(source);
    }
    assert_int_equal(tcgetattr(master, &settings), 0);
    hangs_up = (settings.c_cflag & HUPCL) != 0;
    close(master);
    return error;
}

CASE(a_rate_within_2_percent_is_accepted) {
    struct source source;
    static const struct {
        uint32_t baud, least, most;
    } rates[] = {{115200, 112896, 117504}, {1000000, 980000, 1020000}, {50, 49, 51}};
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
        const uint32_t baud = rates[i].baud;
        assert_int_equal(open_at(&source, baud, baud), 0);
        assert_int_equal(open_at(&source, baud, rates[i].least), 0);
        assert_int_equal(open_at(&source, baud, rates[i].most), 0);
        assert_int_equal(open_at(&source, baud, rates[i].least - 1), -EINVAL);
        assert_int_equal(open_at(&source, baud, rates[i].most + 1), -EINVAL);
    }
}

CASE(a_wrong_rate_is_named) {
    struct source source;
    assert_int_equal(open_at(&source, 921600, 1000000), -EINVAL);
    assert_string_equal(source.why, "its driver does not support 921600 baud, it chose 1000000");
    assert_int_equal(open_at(&source, 921600, 1), -EINVAL);
}

CASE(a_driver_that_does_not_say_its_rate_is_believed) {
    struct source source;
    assert_int_equal(open_at(&source, 115200, 0), 0);
}

CASE(a_driver_that_refuses_is_quoted) {
    struct source source;
    driver.refuses = -EINVAL;
    assert_int_equal(open_at(&source, 12345, 12345), -EINVAL);
    driver.refuses = 0;
    assert_non_null(strstr(source.why, "its driver does not accept 12345 baud: "));
}

/* In one step, or not at all. */
CASE(modem_lines_are_set_together) {
    struct source source;
    modem.lines = SERIAL_DTR | SERIAL_RTS | OTHER_LINE;
    assert_int_equal(open_at(&source, 115200, 115200), 0);
    assert_int_equal(modem.sets, 0);
    assert_false(hangs_up); /* or the next open would reset the board again */
    wishes = (struct source_options){.dtr = SOURCE_LINE_OFF};
    assert_int_equal(open_at(&source, 115200, 115200), 0);
    assert_int_equal(modem.lines, SERIAL_RTS | OTHER_LINE);
    wishes = (struct source_options){.dtr = SOURCE_LINE_ON, .rts = SOURCE_LINE_OFF};
    assert_int_equal(open_at(&source, 115200, 115200), 0);
    assert_int_equal(modem.lines, SERIAL_DTR | OTHER_LINE);
    assert_int_equal(modem.sets, 2);
    modem.error = -ENOTTY;
    driver.asked = 115200;
    assert_int_equal(open_at(&source, 115200, 115200), -EINVAL);
    assert_non_null(strstr(source.why, "has no DTR and RTS to set"));
    wishes = (struct source_options){0};
}

static char found[512];

static void take(void *context, enum finding of, const char *text) {
    (void)context;
    (void)snprintf(found, sizeof found, "%d %s", (int)of, text);
}

static const char *told(struct serial_errors errors, bool heard) {
    const struct findings to = {NULL, take};
    found[0] = '\0';
    findings_of_serial(&to, &errors, heard);
    return found;
}

/* Errors that the bytes do not show. */
CASE(errors_that_the_driver_counted_are_told) {
    assert_string_equal(told((struct serial_errors){0}, true), "");
    assert_string_equal(told((struct serial_errors){.framing = 5}, false), "");
    assert_non_null(strstr(told((struct serial_errors){.framing = 1, .breaks = 2}, false),
                           "2 breaks, with the line low for longer than a byte: it is inverted"));
    assert_non_null(strstr(told((struct serial_errors){.framing = 1, .breaks = 2}, true),
                           "1 framing error: the rates of both sides differ"));
    assert_non_null(strstr(told((struct serial_errors){.overruns = 70}, true),
                           "70 bytes lost in this computer's serial port"));
    struct serial_errors errors;
    int pipes[2];
    assert_int_equal(pipe(pipes), 0);
    assert_true(serial_errors_get(pipes[0], &errors) < 0);
    close(pipes[0]);
    close(pipes[1]);
}
