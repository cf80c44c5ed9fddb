/* SPDX-License-Identifier: MIT */
/* Enumeration, in the order in which Linux does it; each descriptor is read as USB 2.0, 9.6, CDC 1.2 and
 * PSTN 1.2 have it. */
#include <string.h>

#include "host.h"

#define DESCRIPTOR_MOST 256u
#define ADDRESS 5u

static void expect(bool right, const char *what) {
    if (!right) {
        bus_wrong(what);
    }
}

static unsigned word(const uint8_t *bytes) { return bytes[0] | (unsigned)bytes[1] << 8; }

static int get_descriptor(struct host *host, unsigned type, unsigned index, unsigned language,
                          unsigned length, uint8_t *bytes) {
    return host_ask(host, 0x80, 6, type << 8 | index, language, length, bytes);
}

/* ---- device ---- */

static void check_device(struct host *host, const uint8_t *bytes) {
    expect(bytes[0] == 18 && bytes[1] == 1, "a device descriptor is none");
    expect(word(bytes + 2) == 0x0200, "bcdUSB is not 2.00");
    expect(bytes[4] == 0xef && bytes[5] == 2 && bytes[6] == 1,
           "the device's class does not announce an interface association");
    expect(bytes[7] == 64, "the greatest packet of endpoint 0 is not 64 bytes");
    expect(bytes[17] == 1, "there is not one configuration");
    host->device.vendor = (uint16_t)word(bytes + 8);
    host->device.product = (uint16_t)word(bytes + 10);
    host->device.serial_string = bytes[16];
}

/* Linux asks for 64 bytes at address 0, resets, gives the address, and asks again for the true length. */
static void read_device(struct host *host, uint8_t *bytes) {
    uint8_t again[18];
    host_reset(host);
    expect(get_descriptor(host, 1, 0, 0, 64, bytes) == 18,
           "the device descriptor has not 18 bytes");
    host_reset(host);
    expect(host_ask(host, 0x00, 5, ADDRESS, 0, 0, NULL) == 0, "SET_ADDRESS failed");
    expect(get_descriptor(host, 1, 0, 0, 18, again) == HOST_SILENT,
           "the old address is still answered");
    host->address = ADDRESS;
    expect(get_descriptor(host, 1, 0, 0, 18, again) == 18,
           "no device descriptor at the new address");
    expect(memcmp(again, bytes, 18) == 0, "the device descriptor changes");
    check_device(host, bytes);
    for (unsigned i = 0; i < 3; i++) {
        expect(get_descriptor(host, 6, 0, 0, 10, again) == HOST_STALL,
               "a full-speed device must refuse its qualifier");
    }
}

/* ---- configuration ---- */

struct reading {
    struct host_device *device;
    unsigned interfaces, endpoints, endpoints_announced;
    unsigned interface, class;
    bool has_association, has_header, has_union, has_acm;
    uint32_t seen;
};

static void read_interface(struct reading *reading, const uint8_t *at) {
    expect(at[0] == 9, "an interface descriptor has not 9 bytes");
    expect(at[2] == reading->interfaces && at[3] == 0,
           "interfaces are not numbered from 0, setting 0");
    expect(reading->endpoints == reading->endpoints_announced,
           "bNumEndpoints of the interface before is wrong");
    reading->interfaces++;
    reading->interface = at[2];
    reading->class = at[5];
    reading->endpoints = 0;
    reading->endpoints_announced = at[4];
    if (at[5] == 2) {
        expect(at[6] == 2, "the control interface is no ACM");
        reading->device->control_interface = at[2];
        reading->device->interface_string = at[8];
    } else {
        expect(at[5] == 0x0a && at[6] == 0 && at[7] == 0,
               "the second interface is no CDC data interface");
        reading->device->data_interface = at[2];
    }
}

static void read_association(struct reading *reading, const uint8_t *at) {
    expect(at[0] == 8 && at[2] == 0 && at[3] == 2 && at[4] == 2 && at[5] == 2 && at[6] == 0,
           "the interface association is not of one ACM port");
    expect(reading->interfaces == 0 && !reading->has_association,
           "the interface association is not the first");
    reading->has_association = true;
}

static void read_functional(struct reading *reading, const uint8_t *at) {
    expect(reading->class == 2, "a functional descriptor outside of the control interface");
    switch (at[2]) {
    case 0:
        expect(at[0] == 5 && word(at + 3) >= 0x0110 && !reading->has_acm,
               "the header is wrong, or not the first");
        reading->has_header = true;
        break;
    case 1:
        expect(at[0] == 5 && at[4] == 1, "call management is wrong");
        break;
    case 2:
        expect(at[0] == 4 && (at[3] & 0x06) == 0x06 && (at[3] & 0xf0) == 0,
               "ACM capabilities are wrong");
        reading->has_acm = true;
        break;
    case 6:
        expect(at[0] == 5 && at[3] == 0 && at[4] == 1,
               "the union does not join interfaces 0 and 1");
        reading->has_union = true;
        break;
    default:
        bus_wrong("an unknown functional descriptor");
    }
}

static void read_endpoint(struct reading *reading, const uint8_t *at) {
    struct host_device *device = reading->device;
    const uint32_t bit = 1u << ((at[2] & 0xf) + (at[2] >> 7) * 16u);
    expect(at[0] == 7 && (at[2] & 0x70) == 0 && (at[2] & 0xf) != 0,
           "an endpoint descriptor is wrong");
    expect((reading->seen & bit) == 0, "an endpoint address stands twice");
    reading->seen |= bit;
    reading->endpoints++;
    if (reading->class == 2) {
        expect(at[3] == 3 && at[2] >= 0x80 && word(at + 4) >= 10 && word(at + 4) <= 64 &&
                   at[6] != 0,
               "the notification endpoint is wrong");
        device->notify = at[2];
    } else {
        expect(at[3] == 2 && word(at + 4) == 64, "a bulk endpoint is wrong");
        *(at[2] >= 0x80 ? &device->bulk_in : &device->bulk_out) = at[2];
    }
}

static void read_configuration(struct host *host) {
    uint8_t bytes[DESCRIPTOR_MOST];
    struct reading reading = {.device = &host->device};
    expect(get_descriptor(host, 2, 0, 0, 9, bytes) == 9, "no first 9 bytes of the configuration");
    const unsigned total = word(bytes + 2);
    expect(total <= sizeof bytes, "wTotalLength");
    expect(get_descriptor(host, 2, 0, 0, total, bytes) == (int)total,
           "the configuration is shorter than it says");
    expect(bytes[0] == 9 && bytes[1] == 2 && bytes[4] == 2 && bytes[5] == 1,
           "the configuration descriptor is wrong");
    expect(bytes[7] == 0x80, "the device is not bus-powered without remote wakeup");
    expect(bytes[8] != 0 && bytes[8] <= 250, "bMaxPower");
    for (unsigned at = 9; at < total; at += bytes[at]) {
        expect(bytes[at] >= 2 && bytes[at] <= total - at, "a descriptor leaves the configuration");
        if (bytes[at + 1] == 4) {
            read_interface(&reading, bytes + at);
        } else if (bytes[at + 1] == 5) {
            read_endpoint(&reading, bytes + at);
        } else if (bytes[at + 1] == 11) {
            read_association(&reading, bytes + at);
        } else {
            expect(bytes[at + 1] == 0x24, "an unknown descriptor in the configuration");
            read_functional(&reading, bytes + at);
        }
    }
    expect(reading.interfaces == 2 && reading.endpoints == reading.endpoints_announced,
           "interfaces or endpoints are missing");
    expect(reading.has_association && reading.has_header && reading.has_acm && reading.has_union,
           "functional descriptors are missing");
    expect(host->device.notify != 0 && host->device.bulk_in != 0 && host->device.bulk_out != 0,
           "endpoints are missing");
}

/* ---- strings ---- */

static void read_string(struct host *host, unsigned index, char *text) {
    uint8_t bytes[DESCRIPTOR_MOST];
    const int length = get_descriptor(host, 3, index, 0x0409, 255, bytes);
    expect(length > 2 && length % 2 == 0 && length <= 64 && bytes[0] == length && bytes[1] == 3,
           "a string descriptor is wrong");
    for (int i = 2; i < length; i += 2) {
        expect(bytes[i] >= ' ' && bytes[i] < 0x7f && bytes[i + 1] == 0, "a string is not ASCII");
        text[i / 2 - 1] = (char)bytes[i];
    }
    text[length / 2 - 1] = '\0';
}

static void read_strings(struct host *host, const uint8_t *device) {
    uint8_t bytes[DESCRIPTOR_MOST];
    expect(get_descriptor(host, 3, 0, 0, 255, bytes) == 4 && bytes[0] == 4 && bytes[1] == 3 &&
               word(bytes + 2) == 0x0409,
           "no list of languages");
    read_string(host, device[15], host->device.product_name);
    read_string(host, device[14], host->device.manufacturer_name);
    if (device[16] != 0) {
        read_string(host, device[16], host->device.serial);
    }
}

/* ---- all ---- */

static void set_line_coding(struct host *host) {
    uint8_t coding[7] = {0x80, 0x25, 0, 0, 0, 0, 8};
    expect(host_ask(host, 0x21, 0x20, 0, 0, sizeof coding, coding) == (int)sizeof coding,
           "SET_LINE_CODING failed");
}

void host_enumerate(struct host *host) {
    uint8_t device[64];
    memset(&host->device, 0, sizeof host->device);
    read_device(host, device);
    read_configuration(host);
    read_strings(host, device);
    expect(host_ask(host, 0x00, 9, 1, 0, 0, NULL) == 0, "SET_CONFIGURATION failed");
    read_string(host, host->device.interface_string, host->device.interface_name);
    memset(host->toggle_in, 0, sizeof host->toggle_in);
    memset(host->toggle_out, 0, sizeof host->toggle_out);
    set_line_coding(host);
}
