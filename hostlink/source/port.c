/* SPDX-License-Identifier: MIT */
#include "source/port.h"

#include <dirent.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
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

/* An attribute: one line in a file. "text" is "" if there is none. */
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

/* The last part of a path, or of what a link points to. */
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

/* False for what has no hardware behind it: virtual terminals, and ports that the driver of PC serial ports
 * prepared for (type 0, PORT_UNKNOWN in linux/serial_core.h). */
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

/* macOS and the BSDs have no sysfs: by their names for adapters. */
static size_t list_names(struct port *ports, size_t limit) {
    const char *const patterns[] = {"/dev/cu.*", "/dev/cuaU?", "/dev/ttyU?", "/dev/dtyU?"};
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

/* ttyACM2 before ttyACM10. */
static int by_path(const void *a, const void *b) {
    const char *left = ((const struct port *)a)->path, *right = ((const struct port *)b)->path;
    size_t at = 0;
    while (left[at] != '\0' && left[at] == right[at]) {
        at++;
    }
    size_t digits_left = strspn(left + at, "0123456789");
    size_t digits_right = strspn(right + at, "0123456789");
    return digits_left != digits_right ? (digits_left < digits_right ? -1 : 1)
                                       : strcmp(left + at, right + at);
}

size_t port_list(struct port *ports, size_t limit) {
    size_t count = list_sysfs(ports, limit);
    count = count > 0 ? count : list_names(ports, limit);
    qsort(ports, count, sizeof *ports, by_path);
    return count;
}

bool port_of_path(struct port *port, const char *path) {
    static struct port ports[PORTS_MAX];
    char wanted[PATH_MAX], real[PATH_MAX];
    memset(port, 0, sizeof *port);
    size_t count = realpath(path, wanted) ? port_list(ports, PORTS_MAX) : 0;
    for (size_t i = 0; i < count; i++) {
        if (realpath(ports[i].path, real) && strcmp(real, wanted) == 0) {
            *port = ports[i];
            return true;
        }
    }
    return false;
}

static bool is_same_device(const struct port *a, const struct port *b) {
    return a->usb && b->usb && a->vendor == b->vendor && a->product == b->product &&
           strcmp(a->serial, b->serial) == 0 &&
           strcmp(a->interface_number, b->interface_number) == 0;
}

bool port_again(struct port *port, const struct port *before) {
    static struct port ports[PORTS_MAX];
    size_t count = port_list(ports, PORTS_MAX);
    const struct port *found = NULL;
    for (size_t i = 0; i < count; i++) {
        bool same_socket = strcmp(ports[i].location, before->location) == 0;
        if (is_same_device(&ports[i], before) && (same_socket || (before->serial[0] && !found))) {
            found = &ports[i];
        }
    }
    if (found) {
        *port = *found;
    }
    return found != NULL;
}

static bool has_word(const char *text) {
    for (; *text != '\0'; text++) {
        if (strncasecmp(text, "kymo", 4) == 0) {
            return true;
        }
    }
    return false;
}

bool port_is_kymo(const struct port *port) {
    return port->usb && (has_word(port->name) || has_word(port->interface_name));
}
