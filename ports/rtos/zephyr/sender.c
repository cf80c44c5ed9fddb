/* SPDX-License-Identifier: MIT */
/* The thread that sends the recorded events, over the UART of the devicetree's chosen kymo,uart. */
#include <zephyr/device.h>
#include <zephyr/devicetree.h>
#include <zephyr/kernel.h>
#include <zephyr/sys/printk.h>

#include "kernel.h"
#include "kymo/kymo.h"
#include "kymo_zephyr.h"
#include "uart.h"

#define HAS_UART DT_HAS_CHOSEN(kymo_uart)
BUILD_ASSERT(HAS_UART, "name the UART in the devicetree: / { chosen { kymo,uart = &uart1; }; };");

#if HAS_UART

#include "uart_users.h"

static struct kymo_zephyr_uart uart;
static volatile bool ending, all_sent;
static K_SEM_DEFINE(wake, 0, 1);
static K_SEM_DEFINE(ended, 0, 1);

#ifdef KYMO_ZEPHYR_STACKS
#define STACK_MS 100
static int64_t stack_due_ms;

static void look_at_a_stack(void) {
    const int64_t now_ms = k_uptime_get();
    if (now_ms >= stack_due_ms) {
        stack_due_ms = now_ms + STACK_MS;
        kymo_zephyr_look_at_a_stack();
    }
}
#else
static void look_at_a_stack(void) {}
#endif

/* The thread's last action. It stops recording, as its own switches would always be more events to send. */
static void finish(void) {
    kymo_stop();
    kymo_finish();
}

static bool is_all_sent(void) { return !kymo_pending() && kymo_zephyr_uart_idle(&uart); }

static void run(void *unused1, void *unused2, void *unused3) {
    (void)unused1;
    (void)unused2;
    (void)unused3;
    const struct device *device = DEVICE_DT_GET(DT_CHOSEN(kymo_uart));
    const int error = kymo_zephyr_uart_init(&uart, device, &wake);
    if (error != 0) {
        printk("kymo: %s has no interrupts to send by, or is not ready (%d)\n", device->name,
               error);
    }
    kymo_init(error == 0 ? &uart.transport : NULL, CONFIG_KYMO_IMAGE);
    bool finished = false;
    while (error == 0 && !(finished && is_all_sent())) {
        if (ending && !finished) {
            finished = true;
            finish();
        }
        if (!finished) {
            look_at_a_stack();
        }
        if (!kymo_drain(0u)) {
            /* Full, or nothing to send. The interrupt reports when there is room again. New events wait for the
             * time to pass, so that recording them costs nothing more. */
            (void)k_sem_take(&wake, K_MSEC(CONFIG_KYMO_THREAD_PERIOD_MS));
        }
    }
    all_sent = error == 0;
    k_sem_give(&ended);
}

bool kymo_zephyr_finish(k_timeout_t timeout) {
    ending = true;
    k_sem_give(&wake);
    return k_sem_take(&ended, timeout) == 0 && all_sent;
}

K_THREAD_DEFINE(kymo, CONFIG_KYMO_THREAD_STACK_BYTES, run, NULL, NULL, NULL,
                MIN(CONFIG_KYMO_THREAD_PRIORITY, K_LOWEST_APPLICATION_THREAD_PRIO), 0, 0);

#endif
