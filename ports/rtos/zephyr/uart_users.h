/* SPDX-License-Identifier: MIT */
/* Whatever else writes to the UART of the trace destroys packets. Each part of Zephyr that may do so
 * is a line here: its option, and the chosen node that it writes to. Options that a release does not
 * have are off. */
#ifndef KYMO_ZEPHYR_UART_USERS_H
#define KYMO_ZEPHYR_UART_USERS_H

#include <zephyr/devicetree.h>
#include <zephyr/kernel.h>

#define KYMO_UART_IS(node) DT_SAME_NODE(DT_CHOSEN(kymo_uart), node)
#define KYMO_UART_IS_CHOSEN(chosen)                                                                \
    COND_CODE_1(DT_HAS_CHOSEN(chosen), (KYMO_UART_IS(DT_CHOSEN(chosen))), (0))
/* Where "chosen" is optional, and the console's UART is taken without it. */
#define KYMO_UART_IS_CHOSEN_OR_CONSOLE(chosen)                                                     \
    COND_CODE_1(DT_HAS_CHOSEN(chosen), (KYMO_UART_IS(DT_CHOSEN(chosen))),                          \
                (KYMO_UART_IS_CHOSEN(zephyr_console)))
/* The same, where the chosen node is a list of UARTs. */
#define KYMO_UART_IS_ELEMENT(node, property, index)                                                \
    KYMO_UART_IS(DT_PHANDLE_BY_IDX(node, property, index))
#define KYMO_UART_IS_AMONG(chosen)                                                                 \
    COND_CODE_1(DT_HAS_CHOSEN(chosen),                                                             \
                (DT_FOREACH_PROP_ELEM_SEP(DT_CHOSEN(chosen), uarts, KYMO_UART_IS_ELEMENT, (||))),  \
                (KYMO_UART_IS_CHOSEN(zephyr_console)))

#define KYMO_UART_NOT_USED_BY(option, is_used)                                                     \
    BUILD_ASSERT(!(IS_ENABLED(option) && (is_used)),                                               \
                 #option " writes to the UART of kymo,uart: set it to n, or choose another UART")

/* Text. */
KYMO_UART_NOT_USED_BY(CONFIG_UART_CONSOLE, KYMO_UART_IS_CHOSEN(zephyr_console));
KYMO_UART_NOT_USED_BY(CONFIG_X86_VERY_EARLY_CONSOLE, KYMO_UART_IS_CHOSEN(zephyr_console));
KYMO_UART_NOT_USED_BY(CONFIG_CONSOLE_GETCHAR, KYMO_UART_IS_CHOSEN(zephyr_console));
KYMO_UART_NOT_USED_BY(CONFIG_LOG_BACKEND_UART, KYMO_UART_IS_AMONG(zephyr_log_uart));
KYMO_UART_NOT_USED_BY(CONFIG_LOG_FRONTEND_DICT_UART, KYMO_UART_IS_CHOSEN(zephyr_console));
KYMO_UART_NOT_USED_BY(CONFIG_SHELL_BACKEND_SERIAL, KYMO_UART_IS_CHOSEN(zephyr_shell_uart));
/* Protocols. */
KYMO_UART_NOT_USED_BY(CONFIG_TRACING_BACKEND_UART, KYMO_UART_IS_CHOSEN(zephyr_tracing_uart));
KYMO_UART_NOT_USED_BY(CONFIG_INSTRUMENTATION, KYMO_UART_IS_CHOSEN(zephyr_console));
KYMO_UART_NOT_USED_BY(CONFIG_GDBSTUB_SERIAL_BACKEND, KYMO_UART_IS_CHOSEN(zephyr_gdbstub_uart));
KYMO_UART_NOT_USED_BY(CONFIG_UART_MCUMGR, KYMO_UART_IS_CHOSEN(zephyr_uart_mcumgr));
KYMO_UART_NOT_USED_BY(CONFIG_UART_PIPE, KYMO_UART_IS_CHOSEN(zephyr_uart_pipe));
KYMO_UART_NOT_USED_BY(CONFIG_NET_PPP, KYMO_UART_IS_CHOSEN(zephyr_ppp_uart));
KYMO_UART_NOT_USED_BY(CONFIG_BT_H4, KYMO_UART_IS_CHOSEN(zephyr_bt_uart));
KYMO_UART_NOT_USED_BY(CONFIG_BT_DEBUG_MONITOR_UART,
                      KYMO_UART_IS_CHOSEN_OR_CONSOLE(zephyr_bt_mon_uart));
KYMO_UART_NOT_USED_BY(CONFIG_OPENTHREAD_COPROCESSOR, KYMO_UART_IS_CHOSEN(zephyr_ot_uart));
KYMO_UART_NOT_USED_BY(CONFIG_OSDP, KYMO_UART_IS_CHOSEN(zephyr_osdp_uart));
KYMO_UART_NOT_USED_BY(CONFIG_EC_HOST_CMD_BACKEND_UART,
                      KYMO_UART_IS_CHOSEN(zephyr_host_cmd_uart_backend));

#endif
