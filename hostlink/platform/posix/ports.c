/* SPDX-License-Identifier: MIT */
#include "platform/ports.h"

#include <dirent.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/utf8.h"

static const char *root(void) {
    const char *folder = getenv(PORT_ROOT_ENVIRONMENT);
    return folder ? folder : "";
}

/* "FOLDER/NAME" into "path"; false if that is too long. */
static bool join(char *path, size_t size, const char *folder, const char *name) {
    int length = snprintf(path, size, "%s/%s", folder, name);
    return length >= 0 && (size_t)length < size;
}

/* Reads an attribute: one line in a file. "text" is "" without one. */
static bool read_attribute(const char *folder, const char *name, char *text, size_t size) {
    char path[PATH_MAX], line[256];
    text[0] = '\0';
    int fd = join(path, sizeof path, folder, name) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (fd < 0) {
        return false;
    }
    ssize_t length = read(fd, line, sizeof line);
    close(fd);
    while (length > 0 && (line[length - 1] == '\n' || line[length - 1] == ' ')) {
        length--;
    }
    utf8_clean(text, size, line, length > 0 ? (size_t)length : 0);
    return length >= 0;
}

static uint16_t read_number(const char *folder, const char *name) {
    char text[16];
    return read_attribute(folder, name, text, sizeof text) ? (uint16_t)strtoul(text, NULL, 16) : 0;
}

/* The last part of a path, or of a link's target. */
static void copy_name(char *text, size_t size, const char *path) {
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    utf8_clean(text, size, name, strlen(name));
}

static void read_driver(const char *folder, char *text, size_t size) {
    char link[PATH_MAX], target[PATH_MAX];
    ssize_t length =
        join(link, sizeof link, folder, "driver") ? readlink(link, target, sizeof target - 1) : -1;
    if (length > 0) {
        target[length] = '\0';
        copy_name(text, size, target);
    }
}

static void read_interface(struct port *port, const char *folder) {
    read_attribute(folder, "interface", port->interface_name, sizeof port->interface_name);
    copy_name(port->location, sizeof port->location, folder);
    read_driver(folder, port->driver, sizeof port->driver);
}

static void read_device(struct port *port, const char *folder) {
    port->usb = true;
    port->vendor = read_number(folder, "idVendor");
    port->product = read_number(folder, "idProduct");
    read_attribute(folder, "manufacturer", port->maker, sizeof port->maker);
    read_attribute(folder, "product", port->name, sizeof port->name);
    read_attribute(folder, "serial", port->serial, sizeof port->serial);
}

/* From the tty's device up to the USB device that it is a part of, if it is: first comes the interface (USB
 * 2.0, 9.6.5), above it the device. Attributes: Linux, Documentation/ABI/testing/sysfs-bus-usb. */
static void read_usb(struct port *port, char *folder) {
    char number[16];
    for (char *slash; (slash = strrchr(folder, '/')) != NULL; *slash = '\0') {
        if (read_attribute(folder, "bInterfaceNumber", port->interface_number,
                           sizeof port->interface_number)) {
            read_interface(port, folder);
        } else if (read_attribute(folder, "idVendor", number, sizeof number)) {
            read_device(port, folder);
            return;
        }
    }
}

/* False for ports without hardware: virtual terminals, and ports that the driver of PC serial ports prepared for
 * (type 0, PORT_UNKNOWN in linux/serial_core.h). */
static bool read_port(struct port *port, const char *classes, const char *name) {
    char folder[PATH_MAX], link[PATH_MAX], device[PATH_MAX], type[16];
    memset(port, 0, sizeof *port);
    if (!join(folder, sizeof folder, classes, name) || !join(link, sizeof link, folder, "device") ||
        !realpath(link, device)) {
        return false;
    }
    if (read_attribute(folder, "type", type, sizeof type) && strcmp(type, "0") == 0) {
        return false;
    }
    read_usb(port, device);
    int length = snprintf(port->path, sizeof port->path, "%s/dev/%s", root(), name);
    return length > 0 && (size_t)length < sizeof port->path;
}

static size_t list_sysfs(struct port *ports, size_t limit) {
    char classes[PATH_MAX];
    size_t count = 0;
    DIR *folder = join(classes, sizeof classes, root(), "sys/class/tty") ? opendir(classes) : NULL;
    struct dirent *entry;
    while (folder && count < limit && (entry = readdir(folder)) != NULL) {
        if (entry->d_name[0] != '.' && read_port(&ports[count], classes, entry->d_name)) {
            count++;
        }
    }
    if (folder) {
        closedir(folder);
    }
    return count;
}

/* The BSDs have no sysfs: by their names for adapters. */
static size_t list_names(struct port *ports, size_t limit) {
    const char *const patterns[] = {"/dev/cuaU?", "/dev/ttyU?", "/dev/dtyU?"};
    size_t count = 0;
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0] && root()[0] == '\0'; i++) {
        glob_t found;
        if (glob(patterns[i], 0, NULL, &found) != 0) {
            continue;
        }
        for (size_t k = 0; k < found.gl_pathc && count < limit; k++) {
            ports[count] = (struct port){.usb = false};
            snprintf(ports[count++].path, PORT_PATH_SIZE, "%s", found.gl_pathv[k]);
        }
        globfree(&found);
    }
    return count;
}

size_t ports_list(struct port *ports, size_t limit) {
    const size_t count = list_sysfs(ports, limit);
    return count > 0 ? count : list_names(ports, limit);
}

bool ports_is_same(const char *a, const char *b) {
    char real_a[PATH_MAX], real_b[PATH_MAX];
    return realpath(a, real_a) && realpath(b, real_b) && strcmp(real_a, real_b) == 0;
}
