/* SPDX-License-Identifier: MIT */
/* From IOKit's registry. Of a device's two files this is the one for calling out, which does not wait for a carrier:
 * /dev/cu.NAME, not /dev/tty.NAME. */
#include "platform/ports.h"

#include <CoreFoundation/CoreFoundation.h>
#include <IOKit/IOKitLib.h>
#include <IOKit/serial/IOSerialKeys.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

/* A property of the service or of the nearest above it that has one: its interface, its USB device. Released by the
 * caller; NULL: none. */
static CFTypeRef find(io_object_t service, CFStringRef key) {
    return IORegistryEntrySearchCFProperty(service, kIOServicePlane, key, NULL,
                                           kIORegistryIterateRecursively |
                                               kIORegistryIterateParents);
}

static bool read_text(io_object_t service, CFStringRef key, char *text, size_t size) {
    char value[512] = "";
    const CFTypeRef found = find(service, key);
    const bool is_text = found && CFGetTypeID(found) == CFStringGetTypeID() &&
                         CFStringGetCString(found, value, sizeof value, kCFStringEncodingUTF8);
    if (found) {
        CFRelease(found);
    }
    utf8_clean(text, size, value, is_text ? strlen(value) : 0);
    return is_text;
}

static bool read_number(io_object_t service, CFStringRef key, uint32_t *number) {
    int64_t value = 0;
    const CFTypeRef found = find(service, key);
    const bool is_number = found && CFGetTypeID(found) == CFNumberGetTypeID() &&
                           CFNumberGetValue(found, kCFNumberSInt64Type, &value);
    if (found) {
        CFRelease(found);
    }
    *number = (uint32_t)value;
    return is_number;
}

/* USB 2.0, 9.5: the device's own descriptors, by the names that the system gives them. Data interfaces of the
 * communication class have a driver that is named as on Linux, which source/source_serial.c asks for. */
static void read_usb(io_object_t service, struct port *port) {
    uint32_t vendor, product, number;
    port->usb = read_number(service, CFSTR("idVendor"), &vendor) &&
                read_number(service, CFSTR("idProduct"), &product);
    if (!port->usb) {
        return;
    }
    port->vendor = (uint16_t)vendor;
    port->product = (uint16_t)product;
    (void)read_text(service, CFSTR("USB Vendor Name"), port->maker, sizeof port->maker);
    (void)read_text(service, CFSTR("USB Product Name"), port->name, sizeof port->name);
    (void)read_text(service, CFSTR("USB Serial Number"), port->serial, sizeof port->serial);
    (void)read_text(service, CFSTR("USB Interface Name"), port->interface_name,
                    sizeof port->interface_name);
    if (read_number(service, CFSTR("bInterfaceNumber"), &number)) {
        (void)snprintf(port->interface_number, sizeof port->interface_number, "%02x",
                       (unsigned)(number & 0xFF));
    }
    if (read_number(service, CFSTR("locationID"), &number)) {
        (void)snprintf(port->location, sizeof port->location, "0x%08x", (unsigned)number);
    }
    if (read_number(service, CFSTR("bInterfaceClass"), &number) && (number == 2 || number == 10)) {
        strcpy(port->driver, "cdc_acm");
    }
}

static bool read_port(io_object_t service, struct port *port) {
    *port = (struct port){.usb = false};
    if (!read_text(service, CFSTR(kIOCalloutDeviceKey), port->path, sizeof port->path)) {
        return false;
    }
    read_usb(service, port);
    return true;
}

size_t ports_list(struct port *ports, size_t limit) {
    io_iterator_t services;
    size_t count = 0;
    /* The dictionary is given to the call. 0: the main port, by whichever name the SDK has it. */
    if (getenv(PORT_ROOT_ENVIRONMENT) ||
        IOServiceGetMatchingServices(0, IOServiceMatching(kIOSerialBSDServiceValue), &services) !=
            KERN_SUCCESS) {
        return 0;
    }
    for (io_object_t service; count < limit && (service = IOIteratorNext(services)) != 0;) {
        count += read_port(service, &ports[count]);
        (void)IOObjectRelease(service);
    }
    (void)IOObjectRelease(services);
    return count;
}

bool ports_is_same(const char *a, const char *b) {
    char real_a[PATH_MAX], real_b[PATH_MAX];
    return realpath(a, real_a) && realpath(b, real_b) && strcmp(real_a, real_b) == 0;
}
