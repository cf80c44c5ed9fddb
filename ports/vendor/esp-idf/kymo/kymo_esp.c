/* SPDX-License-Identifier: MIT */
/* Drivers of ESP-IDF as transports, the task that sends, and the kernel's tasks as contexts. */
#include "sdkconfig.h"
#ifdef CONFIG_KYMO_TASKS
#include "freertos_hooks.h" /* first: FreeRTOS.h would define the missing hooks */
#endif

#include "kymo_esp.h"

#include "freertos/FreeRTOS.h"
#include "freertos/task.h"
#include "kymo/arch.h"

#ifdef CONFIG_KYMO_CLOCK_CYCLES

/* The wraps that were seen, and the last reading. kymo_drain() comes here more often than they do. */
uint64_t kymo_arch_clock64(void) {
    static uint32_t high, low;
    const kymo_arch_state state = kymo_arch_mask();
    const uint32_t now = kymo_arch_clock();
    high += now < low ? 1u : 0u;
    low = now;
    const uint64_t wide = ((uint64_t)high << 32) | now;
    kymo_arch_unmask(state);
    return wide;
}

#endif

/* ---- running tasks ---- */

#ifdef CONFIG_KYMO_TASKS

/* The control block's address, rounded up to 8: the heap aligns to 4, but the block is longer than that. */
static kymo_context context_of(const void *task) {
    return ((kymo_context)task + 7u) & ~(kymo_context)7u;
}

static void name_task(TaskHandle_t task) {
    kymo_context_name(context_of(task), KYMO_CONTEXT_TASK, pcTaskGetName(task));
}

/* In the scheduler, where the core cannot change. */
void kymo_esp_switched_in(void) {
    (void)kymo_context_switch(context_of(xTaskGetCurrentTaskHandle()));
}

/* At once, so that a task that is shown live, or ends soon, has its name. */
void kymo_esp_task_created(void *task) { name_task(task); }

void kymo_esp_task_deleted(void *task) { kymo_context_end(context_of(task)); }

#ifndef CONFIG_KYMO_WAY_OWN

static TickType_t names_due;

/* For a host that came later. The kernel lists no tasks if there are more than it is given room for. */
static void name_tasks(void) {
    static TaskStatus_t tasks[CONFIG_KYMO_NAMED_TASKS];
    const TickType_t now = xTaskGetTickCount();
    if ((int32_t)(now - names_due) < 0) {
        return;
    }
    names_due = now + pdMS_TO_TICKS(CONFIG_KYMO_NAMES_MS);
    const UBaseType_t count = uxTaskGetSystemState(tasks, CONFIG_KYMO_NAMED_TASKS, NULL);
    for (UBaseType_t i = 0u; i < count; i++) {
        kymo_context_name(context_of(tasks[i].xHandle), KYMO_CONTEXT_TASK, tasks[i].pcTaskName);
    }
}

#endif
#else
static inline void name_tasks(void) {}
#endif

/* ---- the way to the host ---- */

#if defined(CONFIG_KYMO_WAY_UART)

#include "driver/uart.h"

#define PORT ((uart_port_t)CONFIG_KYMO_UART_NUM)

#if defined(CONFIG_ESP_CONSOLE_UART) && CONFIG_ESP_CONSOLE_UART_NUM == CONFIG_KYMO_UART_NUM
#error                                                                                             \
    "CONFIG_KYMO_UART_NUM is the console's UART: choose another, or another console (CONFIG_ESP_CONSOLE_...)"
#endif

/* More than the driver's ring has for its own use with each write: a write that does not fit waits. */
#define DRIVER_BYTES 64u

/* The chips' UARTs refuse a receive buffer that is not longer than their FIFO. */
#define RECEIVE_BYTES 256

static size_t write_bytes(void *context, const uint8_t *bytes, size_t length) {
    size_t room = 0u;
    (void)context;
    if (uart_get_tx_buffer_free_size(PORT, &room) != ESP_OK || room <= DRIVER_BYTES) {
        return 0u;
    }
    room -= DRIVER_BYTES;
    const int taken = uart_write_bytes(PORT, bytes, length < room ? length : room);
    return taken > 0 ? (size_t)taken : 0u;
}

static size_t read_bytes(void *context, uint8_t *bytes, size_t length) {
    (void)context;
    const int count = uart_read_bytes(PORT, bytes, (uint32_t)length, 0);
    return count > 0 ? (size_t)count : 0u;
}

static bool start_driver(void) {
    const uart_config_t config = {
        .baud_rate = CONFIG_KYMO_UART_BAUD,
        .data_bits = UART_DATA_8_BITS,
        .parity = UART_PARITY_DISABLE,
        .stop_bits = UART_STOP_BITS_1,
        .flow_ctrl = UART_HW_FLOWCTRL_DISABLE,
        .source_clk = UART_SCLK_DEFAULT,
    };
    return uart_driver_install(PORT, RECEIVE_BYTES, CONFIG_KYMO_SEND_BYTES, 0, NULL, 0) == ESP_OK &&
           uart_param_config(PORT, &config) == ESP_OK &&
           uart_set_pin(PORT, CONFIG_KYMO_UART_TX_PIN, CONFIG_KYMO_UART_RX_PIN, UART_PIN_NO_CHANGE,
                        UART_PIN_NO_CHANGE) == ESP_OK;
}

#elif defined(CONFIG_KYMO_WAY_USB_SERIAL_JTAG)

#include "driver/usb_serial_jtag.h"

/* The driver takes all of a write or nothing, and does not say how much it would take. So a packet of USB at a time. */
#define PIECE_BYTES 64u

#define RECEIVE_BYTES 256

static size_t write_bytes(void *context, const uint8_t *bytes, size_t length) {
    size_t sent = 0u;
    (void)context;
    while (sent < length) {
        const size_t rest = length - sent;
        const size_t piece = rest < PIECE_BYTES ? rest : PIECE_BYTES;
        if (usb_serial_jtag_write_bytes(bytes + sent, piece, 0) != (int)piece) {
            break;
        }
        sent += piece;
    }
    return sent;
}

static size_t read_bytes(void *context, uint8_t *bytes, size_t length) {
    (void)context;
    const int count = usb_serial_jtag_read_bytes(bytes, (uint32_t)length, 0);
    return count > 0 ? (size_t)count : 0u;
}

static bool start_driver(void) {
    usb_serial_jtag_driver_config_t config = {
        .tx_buffer_size = CONFIG_KYMO_SEND_BYTES,
        .rx_buffer_size = RECEIVE_BYTES,
    };
    return usb_serial_jtag_driver_install(&config) == ESP_OK;
}

#endif

/* ---- the task that sends ---- */

#ifndef CONFIG_KYMO_WAY_OWN

/* Calls of kymo_drain() before lower tasks get their turn, which the watchdog of the idle task waits for. */
#define TURNS 64u

static struct kymo_transport transport;
static bool started;
static volatile bool ending, all_sent;

static TickType_t period(void) {
    const TickType_t ticks = pdMS_TO_TICKS(CONFIG_KYMO_PERIOD_MS);
    return ticks != 0u ? ticks : 1u;
}

static void run(void *unused) {
    bool finished = false;
    (void)unused;
    while (!(finished && !kymo_pending())) {
        if (ending && !finished) {
            /* Its own switches would always be something more to send. */
            finished = true;
            kymo_stop();
            kymo_finish();
        }
        if (!finished) {
            name_tasks();
        }
        uint32_t turn = 0u;
        while (turn < TURNS && kymo_drain(0u)) {
            turn++;
        }
        vTaskDelay(period());
    }
    all_sent = true;
    vTaskDelete(NULL);
}

bool kymo_esp_start(void) {
    if (started || !start_driver()) {
        return false;
    }
    kymo_transport_set(&transport, write_bytes, read_bytes, NULL);
    kymo_init(&transport, CONFIG_KYMO_IMAGE);
    started = xTaskCreatePinnedToCore(run, "kymo", CONFIG_KYMO_TASK_STACK_BYTES, NULL,
                                      CONFIG_KYMO_TASK_PRIORITY, NULL, xPortGetCoreID()) == pdPASS;
    return started;
}

bool kymo_esp_finish(uint32_t timeout_ms) {
    const TickType_t start = xTaskGetTickCount();
    ending = true;
    while (started && !all_sent && xTaskGetTickCount() - start < pdMS_TO_TICKS(timeout_ms)) {
        vTaskDelay(1);
    }
    return all_sent;
}

#endif
