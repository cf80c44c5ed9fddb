/* SPDX-License-Identifier: MIT */
#ifndef TESTS_ZEPHYR_PRINTK_H
#define TESTS_ZEPHYR_PRINTK_H

void printk(const char *format, ...);

#endif
