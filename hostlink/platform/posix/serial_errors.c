/* SPDX-License-Identifier: MIT */
/* A file of its own, as serial_rate.c: <linux/serial.h> and <termios.h> do not go together everywhere. */
#include "platform/serial.h"

#include <errno.h>

#if defined(__linux__)

#include <linux/serial.h>
#include <sys/ioctl.h>

int serial_errors_get(int fd, struct serial_errors *errors) {
    struct serial_icounter_struct counts;
    if (ioctl(fd, TIOCGICOUNT, &counts) != 0) {
        return -errno;
    }
    *errors =
        (struct serial_errors){.framing = (uint32_t)counts.frame,
                               .breaks = (uint32_t)counts.brk,
                               .overruns = (uint32_t)counts.overrun + (uint32_t)counts.buf_overrun};
    return 0;
}

#else

int serial_errors_get(int fd, struct serial_errors *errors) {
    (void)fd, (void)errors;
    return -ENOTSUP;
}

#endif
