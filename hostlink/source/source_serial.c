/* SPDX-License-Identifier: MIT */
/* A serial device by its path. Also a pseudo-terminal's path, such as an emulator prints. */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include "source/port_holder.h"
#include "source/serial_modem.h"
#include "source/serial_rate.h"
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
    struct stat status;
    const struct group *group = stat(path, &status) == 0 ? getgrgid(status.st_gid) : NULL;
    const char *name = group && status.st_gid != 0 ? group->gr_name : "dialout";
    return source_fail(
        source, -EACCES,
        "permission denied: add yourself to group %s (sudo usermod -aG %s \"$USER\"), "
        "then log in again",
        name, name);
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
    case EWOULDBLOCK:
        return fail_busy(source, path);
    default:
        return source_fail(source, -error, "%s", strerror(error));
    }
}

/* TIOCEXCL stays with a pseudo-terminal after its last close, until the other side is closed, too. */
static bool is_pseudo(int fd) {
    char name[64];
    return ttyname_r(fd, name, sizeof name) == 0 && strncmp(name, "/dev/pts/", 9) == 0;
}

/* TIOCEXCL keeps other programs out, but not those of root; flock() is what terminal programs look
 * at. */
static int lock(int fd) {
    if (flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        return EBUSY;
    }
    return is_pseudo(fd) || ioctl(fd, TIOCEXCL) == 0 ? 0 : errno;
}

/* 8 data bits, no parity, one stop bit, no character is special, modem lines ignored. */
static int set_raw(int fd, bool rtscts) {
    struct termios settings;
    if (tcgetattr(fd, &settings) != 0) {
        return -errno;
    }
    cfmakeraw(&settings);
    settings.c_cflag |= CLOCAL | CREAD;
    settings.c_cflag &= ~(tcflag_t)(CSTOPB | CRTSCTS);
    settings.c_iflag &= ~(tcflag_t)(IXOFF | IXANY);
    if (rtscts) {
        settings.c_cflag |= CRTSCTS;
    }
    settings.c_cc[VMIN] = 1;
    settings.c_cc[VTIME] = 0;
    return tcsetattr(fd, TCSANOW, &settings) == 0 ? 0 : -errno;
}

static int changed(int lines, int line, enum source_line wish) {
    return wish == SOURCE_LINE_ON ? lines | line : wish == SOURCE_LINE_OFF ? lines & ~line : lines;
}

/* A close would lower both lines, and the next program that opens the device would raise them: that edge resets
 * boards. The firmware of a USB device of its own class takes DTR for a sign that somebody listens. */
static void keep_after_close(const struct source *source) {
    struct termios settings;
    const bool wished =
        source->options.dtr != SOURCE_LINE_KEEP || source->options.rts != SOURCE_LINE_KEEP;
    if ((wished || strcmp(source->port.driver, "cdc_acm") != 0) &&
        tcgetattr(source->fd, &settings) == 0) {
        settings.c_cflag &= ~(tcflag_t)HUPCL;
        (void)tcsetattr(source->fd, TCSANOW, &settings);
    }
}

/* Both in one step, as their order resets some boards. */
static int set_modem(struct source *source, const struct source_options *options) {
    int lines = 0;
    keep_after_close(source);
    if (options->dtr == SOURCE_LINE_KEEP && options->rts == SOURCE_LINE_KEEP) {
        return 0;
    }
    int error = serial_modem_get(source->fd, &lines);
    if (error == 0) {
        lines = changed(changed(lines, TIOCM_DTR, options->dtr), TIOCM_RTS, options->rts);
        error = serial_modem_set(source->fd, lines);
    }
    return error == 0 ? 0
                      : source_fail(source, -EINVAL,
                                    "has no DTR and RTS to set: %s; leave out --dtr and --rts",
                                    strerror(-error));
}

static int set_line(struct source *source, const struct source_options *options) {
    int error = set_raw(source->fd, options->rtscts);
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

static int serial_open(struct source *source, const char *path,
                       const struct source_options *options) {
    int fd = open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) {
        return fail_open(source, path, errno);
    }
    source->fd = fd;
    const bool unplugs = port_of_path(&source->port, path) && source->port.usb;
    int error = isatty(fd) ? lock(fd) : ENOTTY;
    error = error ? fail_open(source, path, error) : set_line(source, options);
    if (error) {
        close(fd);
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
    .form = "/dev/ttyUSB0",
    .help = "a serial device, or the path of a pseudo-terminal",
    .open = serial_open,
};
