/* SPDX-License-Identifier: MIT */
#ifndef TESTS_ZEPHYR_VERSION_H
#define TESTS_ZEPHYR_VERSION_H

#define KERNEL_VERSION_STRING "4.1.0"

#endif
