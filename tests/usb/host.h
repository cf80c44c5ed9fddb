/* SPDX-License-Identifier: MIT */
/* A strict USB host: it follows USB 2.0 chapters 8 and 9 to the letter and reports at once what the device does
 * wrong (bus_wrong), where real hosts and lenient emulators forgive.
 *
 * Checked: data toggles of each endpoint, greatest packets, order and length of the stages, the end of a
 * transfer by a short or empty packet, STALL and NAK where they may be, descriptors byte for byte. */
#ifndef USB_HOST_H
#define USB_HOST_H

#include "model.h"

/* Results of a transfer other than a number of bytes. */
enum {
    HOST_STALL = -1,
    HOST_NAK = -2,   /* as long as the host was patient */
    HOST_SILENT = -3 /* nothing answers */
};

struct host_device {
    uint16_t vendor, product;
    uint8_t serial_string, interface_string;
    uint8_t control_interface, data_interface;
    uint8_t notify, bulk_in, bulk_out; /* endpoint addresses */
    char manufacturer_name[32], product_name[32], serial[32], interface_name[32];
};

struct host {
    struct model *model;
    void (*run)(void);   /* lets the firmware run for a moment, each time the device says NAK */
    unsigned patience;   /* so many NAKs in a row end a transfer */
    unsigned lose_every; /* of each so many-th packet the acknowledgement is lost; 0: of none */
    unsigned packets;
    uint8_t address;
    uint8_t toggle_in[16], toggle_out[16];
    struct host_device device;
};

struct host_request {
    uint8_t type, request;
    uint16_t value, index, length;
};

void host_init(struct host *host, struct model *model, void (*run)(void));

/* ---- transfers; all return a number of bytes or HOST_... ---- */

/* A whole control transfer. "data" has request->length bytes: data to send, or room to receive. */
int host_control(struct host *host, const struct host_request *request, uint8_t *data);

int host_ask(struct host *host, unsigned type, unsigned request, unsigned value, unsigned index,
             unsigned length, uint8_t *data);

/* One packet, if the device has one. The largest size is that of the endpoint's descriptor. */
int host_in(struct host *host, uint8_t endpoint, uint8_t *bytes);
int host_out(struct host *host, uint8_t endpoint, const uint8_t *bytes, size_t length);

/* A read of an operating system: ends when it is full or at a short packet. HOST_NAK if the device leaves
 * it open, because it omitted the empty packet after full ones; "bytes_there" is the number of bytes
 * received until then. */
int host_read(struct host *host, uint8_t endpoint, uint8_t *bytes, size_t size,
              size_t *bytes_there);

/* ---- what operating systems do ---- */

void host_reset(struct host *host);

/* From reset to configured, in the order in which Linux does it. Wrong where anything is not as it must be. */
void host_enumerate(struct host *host);

/* Opens the port or closes it: DTR and RTS. */
int host_set_line(struct host *host, bool open);

#endif
