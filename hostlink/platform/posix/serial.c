/* SPDX-License-Identifier: MIT */
#include "platform/serial.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

/* TIOCEXCL stays with a pseudo-terminal after its last close, until the other side is closed, too. */
static bool is_pseudo(int fd) {
    char name[64];
    return ttyname_r(fd, name, sizeof name) == 0 && strncmp(name, "/dev/pts/", 9) == 0;
}

/* TIOCEXCL keeps other programs out, but not those of root; terminal programs check flock(). */
static int lock(int fd) {
    if (flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        return -EBUSY;
    }
    return is_pseudo(fd) || ioctl(fd, TIOCEXCL) == 0 ? 0 : -errno;
}

int serial_open(const char *path) {
    const int fd = open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) {
        return -errno;
    }
    const int error = isatty(fd) ? lock(fd) : -ENOTTY;
    if (error != 0) {
        (void)close(fd);
    }
    return error != 0 ? error : fd;
}

int serial_set_raw(int fd, bool rtscts) {
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

void serial_drop_input(int fd) { (void)tcflush(fd, TCIFLUSH); }

void serial_keep_lines(int fd) {
    struct termios settings;
    if (tcgetattr(fd, &settings) == 0) {
        settings.c_cflag &= ~(tcflag_t)HUPCL;
        (void)tcsetattr(fd, TCSANOW, &settings);
    }
}
