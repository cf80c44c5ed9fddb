/* SPDX-License-Identifier: MIT */
#include "usb_rp2040.h"

#include "kymo/bytes.h"
#include "mmio.h"

/* Section numbers are of the "RP2040 Datasheet". */
#define MEMORY 0x50100000u    /* 4.1.2.5: 4 KiB, for 32-bit accesses here */
#define REGISTERS 0x50110000u /* 4.1.4 */
#define SET 0x2000u           /* 2.1.2: writing there sets or clears bits of a register */
#define CLEAR 0x3000u
#define MEMORY_BYTES 4096u

/* Registers and their bits (4.1.4). */
#define ADDR_ENDP 0x00u
#define MAIN_CTRL 0x40u
#define MAIN_CONTROLLER_EN (1u << 0)
#define SOF_RD 0x48u /* reading it acknowledges the frame's begin */
#define SIE_CTRL 0x4cu
#define SIE_EP0_INT_1BUF (1u << 29)
#define SIE_PULLUP_EN (1u << 16)
#define SIE_STATUS 0x50u
#define STATUS_BUS_RESET (1u << 19)
#define STATUS_SETUP_REC (1u << 17)
#define STATUS_RESUME (1u << 11)
#define STATUS_SUSPENDED (1u << 4)
#define BUFF_STATUS 0x58u /* two bits an endpoint, IN and OUT; so in the next three, too */
#define EP_ABORT 0x60u
#define EP_ABORT_DONE 0x64u
#define EP_STALL_ARM 0x68u
#define STALL_ARM_EP0 3u
#define USB_MUXING 0x74u
#define MUXING_TO_PHY (1u << 0)
#define MUXING_SOFTCON (1u << 3)
#define USB_PWR 0x78u
#define PWR_VBUS_DETECT (1u << 2)
#define PWR_VBUS_DETECT_OVERRIDE (1u << 3)
#define INTR 0x8cu
#define INTE 0x90u
#define INT_SOF (1u << 17)
#define INT_SETUP_REQ (1u << 16)
#define INT_RESUME (1u << 15)
#define INT_SUSPEND (1u << 14) /* the state has changed */
#define INT_BUS_RESET (1u << 12)
#define INT_BUFF_STATUS (1u << 4)
#define INT_ALL (INT_SETUP_REQ | INT_RESUME | INT_SUSPEND | INT_BUS_RESET | INT_BUFF_STATUS)

/* The memory (4.1.2.5.1): the SETUP packet is at its start. */
#define EP_CONTROL 0x00u     /* and 8 bytes for each endpoint, IN and OUT; not for 0 (4.1.2.5.2) */
#define BUFFER_CONTROL 0x80u /* and 8 bytes for each endpoint, IN and OUT (4.1.2.5.3) */
#define BUFFER_EP0 0x100u    /* both directions */
#define BUFFERS 0x180u       /* the others are where one likes, aligned to 64 bytes */
/* 4.1.2.5.2 */
#define EP_ENABLE (1u << 31)
#define EP_INT_PER_BUFFER (1u << 29)
#define EP_TYPE_SHIFT 26u
/* 4.1.2.5.3 */
#define BUFFER_FULL (1u << 15)
#define BUFFER_DATA1 (1u << 13)
#define BUFFER_STALL (1u << 11)
#define BUFFER_AVAILABLE (1u << 10)
#define BUFFER_LENGTH 0x3ffu

/* 2.20: CHIP_ID, whose highest four bits are 1 in the revisions B0 and B1 and 2 in B2. */
#define SYSINFO_CHIP_ID 0x40000000u
#define CHIP_REVISION_SHIFT 28u
#define CHIP_REVISION_B2 2u

/* Erratum RP2040-E15: the last 200 us of a frame of 1 ms. */
#define FRAME_LATE_US 800u
#define TIMERAWL 0x40054028u /* 4.6.5 */

/* Looks at EP_ABORT_DONE. It comes when the packet that is on the bus is through, less than 60 us. */
#define ABORT_LOOKS 10000u

#define IN 0x80u
#define NUMBER 0x0fu

static uint32_t get(uint32_t offset) { return mmio_get(REGISTERS + offset); }
static void put(uint32_t offset, uint32_t value) { mmio_put(REGISTERS + offset, value); }

static unsigned number_of(uint8_t endpoint) { return endpoint & NUMBER; }
static bool is_in(uint8_t endpoint) { return (endpoint & IN) != 0u; }

static struct kymo_usb_rp2040_endpoint *find(struct kymo_usb_rp2040 *driver, uint8_t endpoint) {
    return is_in(endpoint) ? &driver->in[number_of(endpoint)] : &driver->out[number_of(endpoint)];
}

static uint32_t word_of(uint8_t endpoint) {
    return 8u * number_of(endpoint) + (is_in(endpoint) ? 0u : 4u);
}

static uint32_t bit_of(uint8_t endpoint) {
    return 1u << (2u * number_of(endpoint) + (is_in(endpoint) ? 0u : 1u));
}

static uint32_t buffer_of(uint8_t endpoint) {
    const uint32_t number = number_of(endpoint);
    if (number == 0u) {
        return BUFFER_EP0;
    }
    return BUFFERS + KYMO_USB_PACKET_BYTES * (2u * (number - 1u) + (is_in(endpoint) ? 0u : 1u));
}

static void put_buffer_control(uint8_t endpoint, uint32_t value) {
    mmio_put(MEMORY + BUFFER_CONTROL + word_of(endpoint), value);
}

static uint32_t get_buffer_control(uint8_t endpoint) {
    return mmio_get(MEMORY + BUFFER_CONTROL + word_of(endpoint));
}

/* 4.1.2.5.1, "Concurrent access": the controller reads the word at any time, on another clock. The "valid" bit
 * is written a period of clk_usb later: 3 of clk_sys, or 12 at four times its rate. */
static void hand_over(uint8_t endpoint, uint32_t value, uint32_t valid) {
    put_buffer_control(endpoint, value);
    for (volatile unsigned left = 4u; left > 0u; left--) {} /* at least three cycles each */
    put_buffer_control(endpoint, value | valid);
}

static void copy_in(uint32_t buffer, const uint8_t *bytes, size_t length) {
    for (size_t at = 0u; at < length; at += 4u) {
        uint32_t word = 0u;
        for (size_t i = 0u; i < 4u && at + i < length; i++) {
            word |= (uint32_t)bytes[at + i] << 8u * i;
        }
        mmio_put(MEMORY + buffer + at, word);
    }
}

static void copy_out(uint8_t *bytes, uint32_t buffer, size_t length) {
    uint32_t word = 0u;
    for (size_t at = 0u; at < length; at++) {
        word = at % 4u == 0u ? mmio_get(MEMORY + buffer + at) : word >> 8u;
        bytes[at] = (uint8_t)word;
    }
}

/* ---- frames: erratum RP2040-E15 ---- */

static void release_held(struct kymo_usb_rp2040 *driver) {
    for (unsigned number = 1u; number < KYMO_USB_RP2040_ENDPOINTS; number++) {
        const uint8_t endpoint = (uint8_t)(number | IN);
        if (driver->in[number].held) {
            driver->in[number].held = false;
            put_buffer_control(endpoint, get_buffer_control(endpoint) | BUFFER_AVAILABLE);
        }
    }
}

static void see_frame(struct kymo_usb_rp2040 *driver) {
    if (driver->framed && (get(INTR) & INT_SOF) != 0u) {
        (void)get(SOF_RD);
        driver->frame_us = mmio_get(TIMERAWL);
        release_held(driver);
    }
}

/* Where no frame begins any more the bus is suspended, and it makes no difference. */
static bool frame_is_late(struct kymo_usb_rp2040 *driver) {
    see_frame(driver);
    return driver->wanted && mmio_get(TIMERAWL) - driver->frame_us >= FRAME_LATE_US;
}

/* ---- stack to driver ---- */

/* Revokes an armed packet (4.1.4, EP_ABORT) and forgets one that has passed but is not reported. */
static void drop(struct kymo_usb_rp2040 *driver, uint8_t endpoint) {
    struct kymo_usb_rp2040_endpoint *const direction = find(driver, endpoint);
    const uint32_t bit = bit_of(endpoint);
    const bool abort = direction->armed && driver->has_abort;
    if (abort) {
        put(SET + EP_ABORT, bit);
        for (uint32_t look = 0u; look < ABORT_LOOKS && (get(EP_ABORT_DONE) & bit) == 0u; look++) {}
    }
    put_buffer_control(endpoint, 0u);
    put(BUFF_STATUS, bit); /* written ones clear */
    if (abort) {
        put(EP_ABORT_DONE, bit);
        put(CLEAR + EP_ABORT, bit);
    }
    direction->armed = false;
    direction->held = false;
    direction->data1 = false;
}

static void arm(struct kymo_usb_rp2040 *driver, uint8_t endpoint, uint32_t value) {
    struct kymo_usb_rp2040_endpoint *const direction = find(driver, endpoint);
    direction->armed = true;
    direction->held = direction->bulk && is_in(endpoint) && frame_is_late(driver);
    hand_over(endpoint, value | (direction->data1 ? BUFFER_DATA1 : 0u),
              direction->held ? 0u : BUFFER_AVAILABLE);
}

static void set_address(void *context, uint8_t address) {
    (void)context;
    put(ADDR_ENDP, address);
}

static void open_endpoint(void *context, uint8_t endpoint, enum kymo_usb_endpoint_type type,
                          unsigned max_bytes) {
    struct kymo_usb_rp2040 *const driver = context;
    struct kymo_usb_rp2040_endpoint *const direction = find(driver, endpoint);
    drop(driver, endpoint);
    direction->max_bytes =
        (uint8_t)(max_bytes < KYMO_USB_PACKET_BYTES ? max_bytes : KYMO_USB_PACKET_BYTES);
    direction->bulk = type == KYMO_USB_ENDPOINT_BULK;
    driver->framed = driver->framed || (direction->bulk && is_in(endpoint));
    mmio_put(MEMORY + EP_CONTROL + word_of(endpoint),
             EP_ENABLE | EP_INT_PER_BUFFER | (uint32_t)type << EP_TYPE_SHIFT | buffer_of(endpoint));
}

static void close_endpoint(struct kymo_usb_rp2040 *driver, uint8_t endpoint) {
    drop(driver, endpoint);
    mmio_put(MEMORY + EP_CONTROL + word_of(endpoint), 0u);
}

static void close_endpoints(void *context) {
    struct kymo_usb_rp2040 *const driver = context;
    driver->framed = false;
    for (unsigned number = 1u; number < KYMO_USB_RP2040_ENDPOINTS; number++) {
        close_endpoint(driver, (uint8_t)number);
        close_endpoint(driver, (uint8_t)(number | IN));
    }
}

static void drop_all(struct kymo_usb_rp2040 *driver) {
    close_endpoints(driver);
    drop(driver, 0u);
    drop(driver, IN);
    put(ADDR_ENDP, 0u);
}

static void attach(void *context, bool on) {
    put((on ? SET : CLEAR) + SIE_CTRL, SIE_PULLUP_EN);
    if (!on) {
        drop_all(context);
    }
}

static void halt(void *context, uint8_t endpoint, bool on) {
    drop(context, endpoint);
    if (on) {
        hand_over(endpoint, 0u, BUFFER_STALL);
    }
}

/* Endpoint 0 stalls only where the arm bit says so, too; a SETUP packet takes that away (4.1.4). */
static void stall(void *context) {
    drop(context, 0u);
    drop(context, IN);
    put(SET + EP_STALL_ARM, STALL_ARM_EP0);
    hand_over(0u, 0u, BUFFER_STALL);
    hand_over(IN, 0u, BUFFER_STALL);
}

/* Endpoint 0 has one name for both directions. */
static void send(void *context, uint8_t name, const uint8_t *bytes, size_t length) {
    const uint8_t endpoint = name | IN;
    const size_t most = find(context, endpoint)->max_bytes;
    const size_t taken = length < most ? length : most;
    copy_in(buffer_of(endpoint), bytes, taken);
    arm(context, endpoint, BUFFER_FULL | (uint32_t)taken);
}

static void receive(void *context, uint8_t endpoint) {
    arm(context, endpoint, find(context, endpoint)->max_bytes);
}

static void apply_interrupts(const struct kymo_usb_rp2040 *driver) {
    const uint32_t causes = driver->framed ? INT_ALL | INT_SOF : INT_ALL;
    put(INTE, driver->wanted && driver->open ? causes : 0u);
}

static void open_interrupts(void *context, bool on) {
    struct kymo_usb_rp2040 *const driver = context;
    driver->open = on;
    apply_interrupts(driver);
}

void kymo_usb_rp2040_interrupts(struct kymo_usb_rp2040 *driver, bool on) {
    driver->wanted = on;
    apply_interrupts(driver);
}

/* ---- driver to stack ---- */

static void report_resume(struct kymo_usb_rp2040 *driver, struct kymo_usb_device *device) {
    if (driver->suspended) {
        driver->suspended = false;
        kymo_usb_on_resume(device);
    }
}

/* A SETUP packet is not forgotten with the rest: the host sends the next one 10 ms after the reset, and must not be
 * missed if the device is polled less often. One from before the reset does no harm. */
static void report_reset(struct kymo_usb_rp2040 *driver, struct kymo_usb_device *device) {
    put(SIE_STATUS, STATUS_BUS_RESET);
    drop_all(driver);
    driver->suspended = false;
    kymo_usb_on_reset(device);
}

static void report_packet(struct kymo_usb_rp2040 *driver, struct kymo_usb_device *device,
                          uint8_t endpoint) {
    struct kymo_usb_rp2040_endpoint *const direction = find(driver, endpoint);
    put(BUFF_STATUS, bit_of(endpoint));
    if (!direction->armed) {
        return;
    }
    direction->armed = false;
    direction->data1 = !direction->data1;
    if (is_in(endpoint)) {
        kymo_usb_on_sent(device, endpoint);
        return;
    }
    uint8_t bytes[KYMO_USB_PACKET_BYTES];
    const uint32_t arrived = get_buffer_control(endpoint) & BUFFER_LENGTH;
    const size_t length = arrived < direction->max_bytes ? arrived : direction->max_bytes;
    copy_out(bytes, buffer_of(endpoint), length);
    kymo_usb_on_received(device, endpoint, bytes, length);
}

/* The stack's reaction to one report may drop the packet of the next: so the register is read again. */
static void report_packets(struct kymo_usb_rp2040 *driver, struct kymo_usb_device *device) {
    for (unsigned bit = 0u; bit < 2u * KYMO_USB_RP2040_ENDPOINTS; bit++) {
        if ((get(BUFF_STATUS) & 1u << bit) != 0u) {
            report_packet(driver, device, (uint8_t)(bit / 2u | (bit % 2u == 0u ? IN : 0u)));
        }
    }
}

static void report_setup(struct kymo_usb_rp2040 *driver, struct kymo_usb_device *device) {
    uint8_t setup[8];
    put(SIE_STATUS, STATUS_SETUP_REC);
    copy_out(setup, 0u, sizeof setup);
    if ((get(SIE_STATUS) & STATUS_SETUP_REC) != 0u) {
        return; /* another one has come meanwhile, perhaps into the bytes just read */
    }
    drop(driver, 0u);
    drop(driver, IN);
    driver->in[0].data1 = true;
    driver->out[0].data1 = true;
    kymo_usb_on_setup(device, setup);
}

static void report_suspend(struct kymo_usb_rp2040 *driver, struct kymo_usb_device *device) {
    const bool suspended = (get(SIE_STATUS) & STATUS_SUSPENDED) != 0u;
    put(SIE_STATUS, STATUS_SUSPENDED); /* acknowledges the change of state */
    if (suspended && !driver->suspended) {
        driver->suspended = true;
        kymo_usb_on_suspend(device);
    }
}

/* Causes are read before the packets: a packet of the transfer before a SETUP that is seen here is seen, too,
 * so that it is reported first. */
static void poll(void *context, struct kymo_usb_device *device) {
    struct kymo_usb_rp2040 *const driver = context;
    const uint32_t causes = get(INTR);
    see_frame(driver);
    if ((causes & INT_BUS_RESET) != 0u) {
        report_reset(driver, device);
    }
    if ((causes & INT_RESUME) != 0u) {
        put(SIE_STATUS, STATUS_RESUME);
    }
    if ((causes & (INT_RESUME | INT_SETUP_REQ | INT_BUFF_STATUS)) != 0u) {
        report_resume(driver, device);
        report_packets(driver, device);
    }
    if ((causes & INT_SETUP_REQ) != 0u) {
        report_setup(driver, device);
    }
    if ((causes & INT_SUSPEND) != 0u) {
        report_suspend(driver, device);
    }
    if (driver->follow_reset != NULL) {
        driver->follow_reset(driver, (causes & INT_BUS_RESET) != 0u);
    }
}

void kymo_usb_rp2040_init(struct kymo_usb_rp2040 *driver) {
    kymo_put_zeros(driver, sizeof *driver);
    driver->has_abort = mmio_get(SYSINFO_CHIP_ID) >> CHIP_REVISION_SHIFT >= CHIP_REVISION_B2;
    driver->open = true;
    driver->controller.attach = attach;
    driver->controller.address = set_address;
    driver->controller.open = open_endpoint;
    driver->controller.close = close_endpoints;
    driver->controller.halt = halt;
    driver->controller.stall = stall;
    driver->controller.send = send;
    driver->controller.receive = receive;
    driver->controller.poll = poll;
    driver->controller.interrupts = open_interrupts;
    driver->controller.context = driver;
    driver->in[0].max_bytes = KYMO_USB_PACKET_BYTES;
    driver->out[0].max_bytes = KYMO_USB_PACKET_BYTES;
    /* In the order of 4.1.3.2.1. */
    for (uint32_t at = 0u; at < MEMORY_BYTES; at += 4u) {
        mmio_put(MEMORY + at, 0u);
    }
    put(USB_MUXING, MUXING_TO_PHY | MUXING_SOFTCON);
    put(USB_PWR, PWR_VBUS_DETECT | PWR_VBUS_DETECT_OVERRIDE);
    put(MAIN_CTRL, MAIN_CONTROLLER_EN);
    put(SIE_CTRL, SIE_EP0_INT_1BUF);
    put(INTE, 0u);
}
