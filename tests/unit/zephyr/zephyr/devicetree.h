/* SPDX-License-Identifier: MIT */
/* The devicetree's chosen nodes: a node is a number. kymo,uart is of its own unless a test says that another one is the
 * same, by the number of that. */
#ifndef TESTS_ZEPHYR_DEVICETREE_H
#define TESTS_ZEPHYR_DEVICETREE_H

#include <zephyr/sys/util_macro.h>

#define NODE_kymo_uart 1
#ifndef NODE_zephyr_console
#define NODE_zephyr_console 2
#endif
#ifndef NODE_zephyr_shell_uart
#define NODE_zephyr_shell_uart 2
#endif
#define HAS_kymo_uart 1
#define HAS_zephyr_console 1
#define HAS_zephyr_shell_uart 1
/* The others are not chosen, unless a test does. Their node is then in "uarts" of zephyr,log-uart too. */
#ifdef NODE_zephyr_log_uart
#define HAS_zephyr_log_uart 1
#endif
#ifdef NODE_zephyr_tracing_uart
#define HAS_zephyr_tracing_uart 1
#endif

#define DT_CHOSEN(property) NODE_##property
#define DT_HAS_CHOSEN(property) IS_ENABLED(HAS_##property)
#define DT_SAME_NODE(a, b) ((a) == (b))
#define DT_PHANDLE_BY_IDX(node, property, index) (node)
#define DT_FOREACH_PROP_ELEM_SEP(node, property, function, separator) function(node, property, 0)

#endif
