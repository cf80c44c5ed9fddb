/* The thread that sends what is recorded, over the UART of the devicetree's chosen kymo,uart. */
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

#ifdef CONFIG_UART_CONSOLE
BUILD_ASSERT(!DT_SAME_NODE(DT_CHOSEN(kymo_uart), DT_CHOSEN(zephyr_console)),
             "kymo,uart is the console's UART: set CONFIG_UART_CONSOLE=n, or choose another one");
#endif

static struct kymo_zephyr_uart uart;
static volatile bool ending, all_sent;
static K_SEM_DEFINE(ended, 0, 1);

#ifdef CONFIG_KYMO_NAMES_MS
static void name_threads(void) {
    static int64_t due_ms;
    const int64_t now_ms = k_uptime_get();
    if (now_ms >= due_ms) {
        due_ms = now_ms + CONFIG_KYMO_NAMES_MS;
        kymo_zephyr_name_threads();
    }
}
#else
static void name_threads(void) {}
#endif

/* Each turn fills what the interrupt empties meanwhile. More than that waits for the next turn: with a UART that is
 * as fast as this thread, as in an emulator, it would leave nothing to those below. */
static void send(void) {
    size_t sent = 0u;
    size_t step;
    do {
        step = kymo_drain(0u);
        sent += step;
    } while (step != 0u && sent < 2u * CONFIG_KYMO_UART_SEND_BYTES);
}

static bool is_done(void) { return ending && !kymo_pending() && kymo_zephyr_uart_idle(&uart); }

static void run(void *unused1, void *unused2, void *unused3) {
    (void)unused1;
    (void)unused2;
    (void)unused3;
    const struct device *device = DEVICE_DT_GET(DT_CHOSEN(kymo_uart));
    const int error = kymo_zephyr_uart_init(&uart, device);
    if (error != 0) {
        printk("kymo: %s has no interrupts to send by, or is not ready (%d)\n", device->name,
               error);
    }
    kymo_init(error == 0 ? &uart.transport : NULL, CONFIG_KYMO_IMAGE);
    bool finished = false;
    while (!is_done() && error == 0) {
        if (ending && !finished) {
            finished = true;
            kymo_stop(); /* or this thread's own switches would always be something to send */
            kymo_finish();
        }
        kymo_clock_keepalive();
        if (!finished) {
            name_threads();
        }
        send();
        k_msleep(CONFIG_KYMO_THREAD_PERIOD_MS);
    }
    all_sent = error == 0;
    k_sem_give(&ended);
}

bool kymo_zephyr_finish(k_timeout_t timeout) {
    ending = true;
    return k_sem_take(&ended, timeout) == 0 && all_sent;
}

K_THREAD_DEFINE(kymo, CONFIG_KYMO_THREAD_STACK_BYTES, run, NULL, NULL, NULL,
                CONFIG_KYMO_THREAD_PRIORITY, 0, 0);

#endif
