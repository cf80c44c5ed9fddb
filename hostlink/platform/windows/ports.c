/* SPDX-License-Identifier: MIT */
#include "platform/ports.h"

#include <windows.h>

#include <setupapi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/utf8.h"
#include "windows/names.h"

#define TEXT_WIDE 256

/* GUID_DEVCLASS_PORTS of devguid.h. */
static const GUID ports_class = {
    0x4d36e978, 0xe325, 0x11ce, {0xbf, 0xc1, 0x08, 0x00, 0x2b, 0xe1, 0x03, 0x18}};

/* ---- the registry: all ports that there are now ---- */

static size_t list_names(struct port *ports, size_t limit) {
    HKEY key;
    size_t count = 0;
    if (RegOpenKeyExW(HKEY_LOCAL_MACHINE, L"HARDWARE\\DEVICEMAP\\SERIALCOMM", 0, KEY_READ, &key) !=
        ERROR_SUCCESS) {
        return 0;
    }
    for (DWORD i = 0; count < limit; i++) {
        wchar_t name[TEXT_WIDE], value[TEXT_WIDE + 1] = {0};
        DWORD name_length = TEXT_WIDE, bytes = TEXT_WIDE * sizeof(wchar_t), type = 0;
        const LSTATUS status =
            RegEnumValueW(key, i, name, &name_length, NULL, &type, (BYTE *)value, &bytes);
        if (status == ERROR_NO_MORE_ITEMS) {
            break;
        }
        if (status == ERROR_SUCCESS && type == REG_SZ) {
            ports[count] = (struct port){0};
            count += name_to_utf8(value, ports[count].path, sizeof ports[count].path);
        }
    }
    (void)RegCloseKey(key);
    return count;
}

/* ---- the set-up of devices: what they are ---- */

static void copy_text(char *to, size_t size, const wchar_t *from) {
    char text[4 * TEXT_WIDE];
    (void)name_to_utf8(from, text, sizeof text);
    utf8_clean(to, size, text, strlen(text));
}

static bool get_property(HDEVINFO set, SP_DEVINFO_DATA *device, DWORD which, char *text,
                         size_t size) {
    wchar_t value[TEXT_WIDE + 1] = {0};
    text[0] = '\0';
    if (!SetupDiGetDeviceRegistryPropertyW(set, device, which, NULL, (BYTE *)value,
                                           TEXT_WIDE * sizeof(wchar_t), NULL)) {
        return false;
    }
    copy_text(text, size, value);
    return true;
}

static bool get_name(HDEVINFO set, SP_DEVINFO_DATA *device, char *path, size_t size) {
    wchar_t value[TEXT_WIDE + 1] = {0};
    DWORD bytes = TEXT_WIDE * sizeof(wchar_t);
    HKEY key = SetupDiOpenDevRegKey(set, device, DICS_FLAG_GLOBAL, 0, DIREG_DEV, KEY_READ);
    if (key == INVALID_HANDLE_VALUE) {
        return false;
    }
    const LSTATUS status = RegQueryValueExW(key, L"PortName", NULL, NULL, (BYTE *)value, &bytes);
    (void)RegCloseKey(key);
    return status == ERROR_SUCCESS && name_to_utf8(value, path, size);
}

/* "USB\VID_0403&PID_6001&MI_01\SERIAL": the last part is made up by the system if it has a '&'. */
static void read_instance(struct port *port, const char *instance) {
    const char *vendor = strstr(instance, "VID_"), *product = strstr(instance, "PID_");
    const char *interface_at = strstr(instance, "MI_"), *last = strrchr(instance, '\\');
    if (!vendor || !product) {
        return;
    }
    port->usb = true;
    port->vendor = (uint16_t)strtoul(vendor + 4, NULL, 16);
    port->product = (uint16_t)strtoul(product + 4, NULL, 16);
    if (interface_at) {
        (void)snprintf(port->interface_number, sizeof port->interface_number, "%.2s",
                       interface_at + 3);
    }
    if (last && !strchr(last, '&')) {
        utf8_clean(port->serial, sizeof port->serial, last + 1, strlen(last + 1));
    }
    utf8_clean(port->location, sizeof port->location, last ? last + 1 : "",
               last ? strlen(last + 1) : 0);
}

static void read_device(HDEVINFO set, SP_DEVINFO_DATA *device, struct port *port) {
    wchar_t wide[TEXT_WIDE + 1] = {0};
    char instance[4 * TEXT_WIDE];
    (void)get_property(set, device, SPDRP_FRIENDLYNAME, port->name, sizeof port->name);
    (void)get_property(set, device, SPDRP_MFG, port->maker, sizeof port->maker);
    (void)get_property(set, device, SPDRP_SERVICE, port->driver, sizeof port->driver);
    if (SetupDiGetDeviceInstanceIdW(set, device, wide, TEXT_WIDE, NULL) &&
        name_to_utf8(wide, instance, sizeof instance)) {
        read_instance(port, instance);
    }
}

static void describe(struct port *ports, size_t count) {
    SP_DEVINFO_DATA device = {.cbSize = sizeof device};
    HDEVINFO set = SetupDiGetClassDevsW(&ports_class, NULL, NULL, DIGCF_PRESENT);
    for (DWORD i = 0; set != INVALID_HANDLE_VALUE && SetupDiEnumDeviceInfo(set, i, &device); i++) {
        char path[PORT_PATH_SIZE];
        if (!get_name(set, &device, path, sizeof path)) {
            continue;
        }
        for (size_t k = 0; k < count; k++) {
            if (strcasecmp(ports[k].path, path) == 0) {
                read_device(set, &device, &ports[k]);
            }
        }
    }
    if (set != INVALID_HANDLE_VALUE) {
        (void)SetupDiDestroyDeviceInfoList(set);
    }
}

size_t ports_list(struct port *ports, size_t limit) {
    const size_t count = list_names(ports, limit);
    describe(ports, count);
    return count;
}

bool ports_is_same(const char *a, const char *b) {
    const char *name_a = name_of_serial(a), *name_b = name_of_serial(b);
    return strcasecmp(name_a ? name_a : a, name_b ? name_b : b) == 0;
}
