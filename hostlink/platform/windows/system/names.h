/* SPDX-License-Identifier: MIT */
/* Examples shown to users of this system. */
#ifndef HOSTLINK_PLATFORM_SYSTEM_NAMES_H
#define HOSTLINK_PLATFORM_SYSTEM_NAMES_H

#define SERIAL_EXAMPLE "COM3"
#define SERIAL_HELP "a serial device"

#endif
