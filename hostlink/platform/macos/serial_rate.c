/* SPDX-License-Identifier: MIT */
#include "platform/serial.h"

#include <IOKit/serial/ioss.h>
#include <errno.h>
#include <sys/ioctl.h>
#include <termios.h>

/* A speed_t is the rate itself, but many drivers take only the usual ones from tcsetattr(), and any from IOSSIOSPEED,
 * which holds until the next tcsetattr(). A pseudo-terminal takes the former alone. */
int serial_rate_set(int fd, uint32_t bits_per_s) {
    struct termios settings;
    const speed_t rate = bits_per_s;
    if (tcgetattr(fd, &settings) == 0 && cfsetspeed(&settings, rate) == 0 &&
        tcsetattr(fd, TCSANOW, &settings) == 0) {
        return 0;
    }
    return ioctl(fd, IOSSIOSPEED, &rate) == 0 ? 0 : -errno;
}

uint32_t serial_rate_get(int fd) {
    struct termios settings;
    return tcgetattr(fd, &settings) == 0 ? (uint32_t)cfgetospeed(&settings) : 0;
}
