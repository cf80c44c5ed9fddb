/* SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clean.h"
#include "fuzz.h"
#include "parts.h"
#include "source/port.h"
#include "tracy/published.h"
#include "tracy/source_code.h"
#include "wire/compose.h"

#define TEXT_MAX 300u

/* ---- a folder of this run ---- */

static char folder[64];

static void remove_folder(void) {
    char command[128];
    (void)snprintf(command, sizeof command, "rm -rf '%s'", folder);
    if (system(command) != 0) {
        (void)fprintf(stderr, "cannot remove %s\n", folder);
    }
}

static const char *path_of(const char *name) {
    static char paths[2][160]; /* of the last two calls */
    static unsigned turn;
    char *path = paths[++turn % 2u];
    (void)snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static void write_file(const char *name, const void *bytes, size_t length) {
    const int fd = open(path_of(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0 || write(fd, bytes, length) != (ssize_t)length || close(fd) != 0) {
        fuzz_wrong("cannot write a file");
    }
}

static void make_link(const char *to, const char *name) {
    if (symlink(to, path_of(name)) != 0) {
        fuzz_wrong("cannot make a link");
    }
}

static const char *const folders[] = {"in",
                                      "in/src",
                                      "in2",
                                      "sys",
                                      "sys/class",
                                      "sys/class/tty",
                                      "sys/class/tty/ttyACM0",
                                      "sys/class/tty/ttyACM10",
                                      "sys/class/tty/ttyS0",
                                      "sys/usb",
                                      "sys/usb/1-2:1.0",
                                      "sys/usb/1-2:1.0/tty",
                                      "dev"};

static void make_folder(void) {
    if (folder[0] != '\0') {
        return;
    }
    (void)strcpy(folder, "/tmp/kymo.fuzz.XXXXXX");
    if (mkdtemp(folder) == NULL || atexit(remove_folder) != 0) {
        fuzz_wrong("cannot make a folder");
    }
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        if (mkdir(path_of(folders[i]), 0700) != 0) {
            fuzz_wrong("cannot make a folder");
        }
    }
    write_file("in/main.c", "inside", 6);
    write_file("in/src/noise.S", "inside", 6);
    write_file("in/secret.txt", "outside", 7);
    write_file("in2/other.c", "outside", 7);
    write_file("outside.c", "outside", 7);
    make_link("../outside.c", "in/link.c");
    make_link("secret.txt", "in/text.c");
    make_link("..", "in/up");
    make_link("src/noise.S", "in/near.c");
    make_link("../../../usb/1-2:1.0/tty", "sys/class/tty/ttyACM0/device");
    make_link("../../../usb/1-2:1.0", "sys/class/tty/ttyACM10/device");
    make_link("../../../drivers/cdc_acm", "sys/usb/1-2:1.0/driver");
    write_file("dev/ttyACM0", "", 0);
    if (setenv(PORT_ROOT_ENVIRONMENT, folder, 1) != 0) {
        fuzz_wrong("no memory");
    }
}

/* ---- serial ports ---- */

static const char *const attributes[] = {"sys/usb/idVendor",
                                         "sys/usb/idProduct",
                                         "sys/usb/manufacturer",
                                         "sys/usb/product",
                                         "sys/usb/serial",
                                         "sys/usb/1-2:1.0/bInterfaceNumber",
                                         "sys/usb/1-2:1.0/interface",
                                         "sys/class/tty/ttyACM0/type"};
#define ATTRIBUTES (sizeof attributes / sizeof attributes[0])

static void check_port(const struct port *port) {
    must_be_clean(port->path, "a port's path is no text");
    must_be_clean(port->maker, "a maker is no text");
    must_be_clean(port->name, "a device's name is no text");
    must_be_clean(port->serial, "a serial number is no text");
    must_be_clean(port->interface_name, "an interface is no text");
    must_be_clean(port->interface_number, "an interface's number is no text");
    must_be_clean(port->location, "a place on the bus is no text");
    must_be_clean(port->driver, "a driver is no text");
    (void)port_is_kymo(port);
}

static void run_ports(struct reader *r) {
    static struct port ports[PORTS_MAX];
    struct port port;
    make_folder();
    for (size_t i = 0; i < ATTRIBUTES; i++) {
        size_t length = 0;
        const char *text = read_string(r, &length);
        length = length < TEXT_MAX ? length : TEXT_MAX;
        (void)unlink(path_of(attributes[i]));
        if (length != 0) {
            write_file(attributes[i], text, length);
        }
    }
    const size_t count = port_list(ports, PORTS_MAX);
    for (size_t i = 0; i < count; i++) {
        check_port(&ports[i]);
        if (ports[i].usb && ports[i].location[0] != '\0' && !port_again(&port, &ports[i])) {
            fuzz_wrong("a device that is there is not found again");
        }
    }
    if (port_of_path(&port, path_of("dev/ttyACM0"))) {
        check_port(&port);
    }
}

static size_t seed_ports(uint32_t random, uint8_t *out, size_t size) {
    static const char *const texts[] = {"2e8a\n",        "kymo board\n",     "", "00",
                                        "\xff\x1b[2J\n", "1234567890abcdef", "0"};
    size_t at = 0;
    (void)size;
    for (size_t i = 0; i < ATTRIBUTES; i++) {
        const char *text = texts[fuzz_next(&random) % 7u];
        const size_t times = fuzz_next(&random) % 9u == 0 ? 25 : 1;
        at = put_varint(out, at, strlen(text) * times);
        for (size_t k = 0; k < times; k++) {
            memcpy(out + at, text, strlen(text));
            at += strlen(text);
        }
    }
    return at;
}

const struct part part_ports = {run_ports, seed_ports};

/* ---- names of source files ---- */

/* The input is the content of a source file of the folder. */
static void run_sources(struct reader *r) {
    static uint8_t content[TRACY_SOURCE_BYTES_MAX];
    char root[80], name[TEXT_MAX + 1];
    make_folder();
    (void)snprintf(root, sizeof root, "%s", path_of("in"));
    const struct tracy_source_folders in = {.path = {root}, .count = 1};
    const size_t left = r->length > r->at ? r->length - r->at : 0;
    const size_t length = left < TEXT_MAX ? left : TEXT_MAX;
    memcpy(name, r->bytes + (left != 0 ? r->at : 0), length);
    name[length] = '\0';
    const int bytes = tracy_source_read(&in, name, INT64_MAX, content);
    if (bytes >= 0 && (bytes != 6 || memcmp(content, "inside", 6) != 0)) {
        fuzz_wrong("a file is given that is not to be given");
    }
}

static size_t seed_sources(uint32_t random, uint8_t *out, size_t size) {
    static const char *const pieces[] = {
        "/",      "..",     ".",  "in",        "in2",     "src",     "main.c",     "near.c",
        "link.c", "text.c", "up", "outside.c", "other.c", "noise.S", "secret.txt", "//"};
    size_t at = 0;
    (void)size;
    make_folder();
    if (fuzz_next(&random) % 4u == 0) {
        memcpy(out, folder, strlen(folder));
        at = strlen(folder);
    }
    for (uint32_t i = fuzz_next(&random) % 6u; i > 0; i--) {
        const char *piece = pieces[fuzz_next(&random) % 16u];
        out[at++] = '/';
        memcpy(out + at, piece, strlen(piece));
        at += strlen(piece);
    }
    return at;
}

const struct part part_sources = {run_sources, seed_sources};

/* ---- source files of a board ---- */

static void name_of(char name[KYMO_LARGE_NAME_BYTES + 1], struct reader *r) {
    size_t length = 0;
    const char *text = read_string(r, &length);
    length = length < KYMO_LARGE_NAME_BYTES ? length : KYMO_LARGE_NAME_BYTES;
    memcpy(name, text, length);
    name[length] = '\0';
}

static void run_published(struct reader *r) {
    struct tracy_published published = {.count = 0};
    struct large large = {.id = 0};
    while (r->at < r->length) {
        const uint8_t op = read_u8(r);
        size_t length = 0;
        if (op % 4u == 0) {
            large = (struct large){.id = large.id + op / 64u, .type = KYMO_LARGE_TEXT};
            name_of(large.name, r);
        }
        const char *text = read_string(r, &length);
        if (length != 0 && op % 4u < 2u) {
            large.received += length;
            tracy_published_take(&published, &large, (const uint8_t *)text, length);
        }
        large.end = op % 4u == 3u ? (enum large_end)(op / 4u % 4u) : LARGE_GOES_ON;
        tracy_published_take(&published, &large, NULL, 0);
        (void)tracy_published_find(&published, large.name);
    }
    size_t bytes = 0;
    for (uint32_t i = 0; i < published.count; i++) {
        bytes += published.files[i].length;
        if (tracy_published_find(&published, published.files[i].name) == NULL) {
            fuzz_wrong("a file of the board is not found");
        }
    }
    if (bytes != published.bytes || bytes > TRACY_PUBLISHED_BYTES_MAX) {
        fuzz_wrong("the bytes of files of the board");
    }
    tracy_published_free(&published);
}

static size_t seed_published(uint32_t random, uint8_t *out, size_t size) {
    static const char *const names[] = {"a.mlir", "b.mlir", "", "../x.c",
                                        "a name of more than so many bytes as there are"};
    size_t at = 0;
    (void)size;
    for (uint32_t i = 0; i < 40u; i++) {
        const uint32_t piece = fuzz_next(&random) % 40u, op = i % 4u == 0 ? 64 : i % 4u;
        out[at++] = (uint8_t)(op == 3 ? 3 + 4 * (fuzz_next(&random) % 4u != 0) : op);
        if (op % 4u == 0) {
            const char *name = names[fuzz_next(&random) % 5u];
            at = put_varint(out, at, strlen(name));
            memcpy(out + at, name, strlen(name));
            at += strlen(name);
        }
        at = put_varint(out, at, piece);
        memset(out + at, 'a' + (int)(piece % 3u), piece);
        at += piece;
    }
    return at;
}

const struct part part_published = {run_published, seed_published};
