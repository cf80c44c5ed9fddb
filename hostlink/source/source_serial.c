/* SPDX-License-Identifier: MIT */
/* A serial device by its path. Also the path of a pseudo-terminal, for example an emulator's. */
#include <errno.h>
#include <string.h>

#include "platform/file.h"
#include "platform/serial.h"
#include "source/source.h"

static int fail_missing(struct source *source) {
    static struct port ports[PORTS_MAX];
    char list[200] = "";
    size_t used = 0, count = port_list(ports, PORTS_MAX);
    for (size_t i = 0; i < count && used < sizeof list - 1; i++) {
        used += (size_t)snprintf(list + used, sizeof list - used, " %s", ports[i].path);
    }
    return count == 0
               ? source_fail(source, -ENOENT, "no such file or device, and no serial port is here")
               : source_fail(source, -ENOENT,
                             "no such file or device; serial ports here, see 'hostlink list':%s",
                             list);
}

static int fail_permission(struct source *source, const char *path) {
    char cure[256];
    serial_explain_permission(path, cure, sizeof cure);
    return source_fail(source, -EACCES, "%s", cure);
}

static int fail_busy(struct source *source, const char *path) {
    char holder[128];
    return port_holder(path, holder, sizeof holder)
               ? source_fail(source, -EBUSY, "busy: %s has it open; close that program", holder)
               : source_fail(source, -EBUSY,
                             "busy: another program has it open ('sudo fuser %s' shows which)",
                             path);
}

static int fail_open(struct source *source, const char *path, int error) {
    switch (error) {
    case ENOENT:
    case ENODEV:
    case ENXIO:
        return fail_missing(source);
    case EACCES:
    case EPERM:
        return fail_permission(source, path);
    case EBUSY:
        return fail_busy(source, path);
    default:
        return source_fail(source, -error, "%s", strerror(error));
    }
}

/* A close would lower both lines, and the next program that opens the device would raise them: that edge resets
 * boards. The firmware of a USB device of its own class takes DTR for a sign of a listener. */
static void keep_after_close(const struct source *source, unsigned wished) {
    if (wished != 0 || strcmp(source->port.driver, "cdc_acm") != 0) {
        serial_keep_lines(source->fd);
    }
}

static unsigned bit(enum source_line is, enum source_line wish, unsigned line) {
    return is == wish ? line : 0;
}

/* Both in one step, as their order resets some boards. */
static int set_modem(struct source *source, const struct source_options *options) {
    const unsigned on = bit(options->dtr, SOURCE_LINE_ON, SERIAL_DTR) |
                        bit(options->rts, SOURCE_LINE_ON, SERIAL_RTS);
    const unsigned off = bit(options->dtr, SOURCE_LINE_OFF, SERIAL_DTR) |
                         bit(options->rts, SOURCE_LINE_OFF, SERIAL_RTS);
    keep_after_close(source, on | off);
    const int error = (on | off) != 0 ? serial_set_lines(source->fd, on | off, on) : 0;
    return error == 0 ? 0
                      : source_fail(source, -EINVAL,
                                    "has no DTR and RTS to set: %s; leave out --dtr and --rts",
                                    strerror(-error));
}

static int set_line(struct source *source, const struct source_options *options) {
    int error = serial_set_raw(source->fd, options->rtscts);
    if (error) {
        return source_fail(source, error, "cannot be set up as a serial line: %s",
                           strerror(-error));
    }
    error = set_modem(source, options);
    if (error) {
        return error;
    }
    error = serial_rate_set(source->fd, options->baud);
    if (error) {
        return source_fail(source, error, "its driver does not accept %lu baud: %s",
                           (unsigned long)options->baud, strerror(-error));
    }
    /* A receiver tolerates some 2 % between the two ends; a driver may silently choose another rate. */
    uint32_t real = serial_rate_get(source->fd);
    uint32_t off = real > options->baud ? real - options->baud : options->baud - real;
    if (real != 0 && off > options->baud / 50) {
        return source_fail(source, -EINVAL, "its driver does not support %lu baud, it chose %lu",
                           (unsigned long)options->baud, (unsigned long)real);
    }
    return 0;
}

static int device_open(struct source *source, const char *path,
                       const struct source_options *options) {
    const int fd = serial_open(path);
    if (fd < 0) {
        return fail_open(source, path, -fd);
    }
    source->fd = fd;
    const bool unplugs = port_of_path(&source->port, path) && source->port.usb;
    const int error = set_line(source, options);
    if (error) {
        (void)sys_close(fd);
        source->fd = -1;
        return error;
    }
    source->two_way = true;
    source->live = true;
    source->serial = true;
    source->returns = unplugs ? SOURCE_RETURNS : SOURCE_MAY_RETURN;
    return 0;
}

const struct source_kind source_serial = {
    .spec = "",
    .form = SERIAL_EXAMPLE,
    .help = SERIAL_HELP,
    .open = device_open,
};
