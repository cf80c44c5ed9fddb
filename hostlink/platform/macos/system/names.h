/* SPDX-License-Identifier: MIT */
/* Examples shown to users of this system. */
#ifndef HOSTLINK_PLATFORM_SYSTEM_NAMES_H
#define HOSTLINK_PLATFORM_SYSTEM_NAMES_H

#define SERIAL_EXAMPLE "/dev/cu.usbmodem1101"
#define SERIAL_HELP "a serial device, or the path of a pseudo-terminal"

#endif
