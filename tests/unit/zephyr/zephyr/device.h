/* SPDX-License-Identifier: MIT */
#ifndef TESTS_ZEPHYR_DEVICE_H
#define TESTS_ZEPHYR_DEVICE_H

struct device {
    const char *name;
};

extern const struct device zephyr_device;
#define DEVICE_DT_GET(node) (&zephyr_device)

#endif
