/* SPDX-License-Identifier: MIT */
/* A file of its own: on Linux any rate is set by BOTHER in struct termios2, whose header cannot be
 * included beside <termios.h> (termios(4), ioctl_tty(2)). Elsewhere a speed_t is the rate itself. */
#include "platform/serial.h"

#include <errno.h>

#if defined(__linux__)

#include <asm/ioctls.h>
#include <asm/termbits.h>
#include <sys/ioctl.h>

int serial_rate_set(int fd, uint32_t bits_per_s) {
    struct termios2 settings;
    if (ioctl(fd, TCGETS2, &settings) != 0) {
        return -errno;
    }
    /* Input rate bits of 0 would mean "as the output"; say it openly. */
    settings.c_cflag &= ~((tcflag_t)CBAUD | ((tcflag_t)CBAUD << IBSHIFT));
    settings.c_cflag |= (tcflag_t)BOTHER | ((tcflag_t)BOTHER << IBSHIFT);
    settings.c_ispeed = bits_per_s;
    settings.c_ospeed = bits_per_s;
    return ioctl(fd, TCSETS2, &settings) == 0 ? 0 : -errno;
}

uint32_t serial_rate_get(int fd) {
    struct termios2 settings;
    return ioctl(fd, TCGETS2, &settings) == 0 ? settings.c_ospeed : 0;
}

#else

#include <termios.h>

int serial_rate_set(int fd, uint32_t bits_per_s) {
    struct termios settings;
    if (tcgetattr(fd, &settings) != 0 || cfsetspeed(&settings, (speed_t)bits_per_s) != 0) {
        return -errno;
    }
    return tcsetattr(fd, TCSANOW, &settings) == 0 ? 0 : -errno;
}

uint32_t serial_rate_get(int fd) {
    struct termios settings;
    return tcgetattr(fd, &settings) == 0 ? (uint32_t)cfgetospeed(&settings) : 0;
}

#endif
