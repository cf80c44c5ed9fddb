/* SPDX-License-Identifier: MIT */
/* The wires of a debug probe in front of an emulated board's memory, so that OpenOCD can read it as it reads
 * a chip's: a JTAG debug port with one memory access port, served by OpenOCD's remote_bitbang protocol (a
 * character for each change of the pins; doc/manual/jtag/drivers/remote_bitbang.txt in OpenOCD's source).
 *
 * Usage: probe SOCKET MEMORY BASE: serves the unix socket once; MEMORY is the file that the emulator has as
 * its RAM, BASE the board's address of its first byte. The board runs on meanwhile, as under a real probe.
 *
 * Ports and registers: Arm IHI 0031, "Arm Debug Interface Architecture Specification ADIv5.0 to ADIv5.2". */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

/* ---- the memory, shared with the emulator ---- */

static struct {
    volatile uint8_t *bytes;
    uint32_t base, size;
} memory;

static bool holds(uint32_t address, uint32_t bytes) {
    return address >= memory.base && address - memory.base <= memory.size - bytes;
}

/* Naturally aligned: one access, as a bus makes it. */
static uint32_t load(uint32_t address, uint32_t bytes) {
    if (!holds(address, bytes)) {
        return 0;
    }
    volatile uint8_t *place = memory.bytes + (address - memory.base);
    return bytes == 4   ? *(volatile uint32_t *)(volatile void *)place
           : bytes == 2 ? *(volatile uint16_t *)(volatile void *)place
                        : *place;
}

static void store(uint32_t address, uint32_t bytes, uint32_t value) {
    if (!holds(address, bytes)) {
        return;
    }
    volatile uint8_t *place = memory.bytes + (address - memory.base);
    if (bytes == 4) {
        *(volatile uint32_t *)(volatile void *)place = value;
    } else if (bytes == 2) {
        *(volatile uint16_t *)(volatile void *)place = (uint16_t)value;
    } else {
        *place = (uint8_t)value;
    }
}

/* ---- the memory access port: IHI 0031, C2.6 ---- */

enum { CSW = 0x00, TAR = 0x04, DRW = 0x0c, BD0 = 0x10, BD3 = 0x1c, IDR = 0xfc };
#define IDR_AHB_AP 0x24770011u
#define CSW_SIZE 0x7u
#define CSW_ADDRESS_INCREMENT 0x10u /* the packed form, 0x20, is not there */
#define CSW_DEVICE_ENABLED 0x40u

static struct { uint32_t control, address; } port;

static uint32_t access_bytes(void) { return 1u << (port.control & 3u); }

/* A part of a word travels in its own byte lanes: C2.2.6. */
static uint32_t data(uint32_t address, bool read, uint32_t value, uint32_t bytes) {
    uint32_t shift = 8u * (address & (4u - bytes));
    uint32_t aligned = address & ~(bytes - 1u);
    if (read) {
        return load(aligned, bytes) << shift;
    }
    store(aligned, bytes, value >> shift);
    return 0;
}

static uint32_t access_port(uint32_t index, bool read, uint32_t value) {
    if (index == DRW) {
        uint32_t result = data(port.address, read, value, access_bytes());
        port.address += (port.control & CSW_ADDRESS_INCREMENT) != 0 ? access_bytes() : 0;
        return result;
    }
    if (index >= BD0 && index <= BD3) {
        return data((port.address & ~15u) + (index - BD0), read, value, 4);
    }
    uint32_t *place = index == CSW ? &port.control : index == TAR ? &port.address : NULL;
    if (place != NULL && !read) {
        *place = index == CSW ? (value & (CSW_SIZE | CSW_ADDRESS_INCREMENT)) | CSW_DEVICE_ENABLED
                              : value;
    }
    return place != NULL ? *place : index == IDR ? IDR_AHB_AP : 0;
}

/* ---- the debug port: B2 ---- */

enum { DPIDR = 0x0, CTRL_STAT = 0x4, SELECT = 0x8 };
#define DPIDR_JTAG 0x1ba00477u
/* Each power-up request has its acknowledgement one bit above. */
#define POWER_REQUESTS 0x50000000u

static struct { uint32_t control, select; } debug;

static uint32_t debug_port(uint32_t index, bool read, uint32_t value) {
    if (index == CTRL_STAT) {
        debug.control = read ? debug.control : value & POWER_REQUESTS;
        return debug.control | (debug.control & POWER_REQUESTS) << 1;
    }
    if (index == SELECT) {
        debug.select = read ? debug.select : value;
        return debug.select;
    }
    return index == DPIDR ? DPIDR_JTAG : 0;
}

static uint32_t chosen_port(uint32_t index, bool read, uint32_t value) {
    bool first = debug.select >> 24 == 0;
    return first ? access_port((debug.select & 0xf0u) | index, read, value) : 0;
}

/* ---- JTAG: IEEE 1149.1, and B3 for the registers ---- */

enum state {
    RESET,
    IDLE,
    DR_SELECT,
    DR_CAPTURE,
    DR_SHIFT,
    DR_EXIT1,
    DR_PAUSE,
    DR_EXIT2,
    DR_UPDATE,
    IR_SELECT,
    IR_CAPTURE,
    IR_SHIFT,
    IR_EXIT1,
    IR_PAUSE,
    IR_EXIT2,
    IR_UPDATE
};

static const uint8_t next_state[16][2] = {
    [RESET] = {IDLE, RESET},
    [IDLE] = {IDLE, DR_SELECT},
    [DR_SELECT] = {DR_CAPTURE, IR_SELECT},
    [DR_CAPTURE] = {DR_SHIFT, DR_EXIT1},
    [DR_SHIFT] = {DR_SHIFT, DR_EXIT1},
    [DR_EXIT1] = {DR_PAUSE, DR_UPDATE},
    [DR_PAUSE] = {DR_PAUSE, DR_EXIT2},
    [DR_EXIT2] = {DR_SHIFT, DR_UPDATE},
    [DR_UPDATE] = {IDLE, DR_SELECT},
    [IR_SELECT] = {IR_CAPTURE, RESET},
    [IR_CAPTURE] = {IR_SHIFT, IR_EXIT1},
    [IR_SHIFT] = {IR_SHIFT, IR_EXIT1},
    [IR_EXIT1] = {IR_PAUSE, IR_UPDATE},
    [IR_PAUSE] = {IR_PAUSE, IR_EXIT2},
    [IR_EXIT2] = {IR_SHIFT, IR_UPDATE},
    [IR_UPDATE] = {IDLE, DR_SELECT},
};

enum { DPACC = 0xa, APACC = 0xb, IDCODE = 0xe, BYPASS = 0xf };
#define IR_BITS 4u
#define ACK_OK 2u

static struct {
    enum state state;
    uint32_t instruction;
    uint64_t shift;
    unsigned length;
    uint32_t result; /* of the last access: read by the next one */
    bool clock;
} tap = {.state = RESET, .instruction = IDCODE};

static void capture(void) {
    switch (tap.instruction) {
    case DPACC:
    case APACC:
        tap.shift = (uint64_t)tap.result << 3 | ACK_OK;
        tap.length = 35;
        break;
    case IDCODE:
        tap.shift = DPIDR_JTAG;
        tap.length = 32;
        break;
    default:
        tap.shift = 0;
        tap.length = 1;
        break;
    }
}

static void update(void) {
    uint32_t index = ((uint32_t)tap.shift >> 1 & 3u) * 4u;
    bool read = (tap.shift & 1u) != 0;
    uint32_t value = (uint32_t)(tap.shift >> 3);
    if (tap.instruction == DPACC && !(read && index == 0xc)) { /* RDBUFF: the last result again */
        tap.result = debug_port(index, read, value);
    } else if (tap.instruction == APACC) {
        tap.result = chosen_port(index, read, value);
    }
}

static void rising_edge(bool tms, bool tdi) {
    if (tap.state == DR_SHIFT || tap.state == IR_SHIFT) {
        tap.shift = tap.shift >> 1 | (uint64_t)tdi << (tap.length - 1);
    }
    tap.state = (enum state)next_state[tap.state][tms];
    switch (tap.state) {
    case RESET:
        tap.instruction = IDCODE;
        break;
    case DR_CAPTURE:
        capture();
        break;
    case IR_CAPTURE:
        tap.shift = 1;
        tap.length = IR_BITS;
        break;
    case DR_UPDATE:
        update();
        break;
    case IR_UPDATE:
        tap.instruction = (uint32_t)tap.shift;
        break;
    default:
        break;
    }
}

/* ---- the pins, by the character ---- */

/* Returns the answer, 0 = nothing; *quit when the other side is done. */
static char obey(char order, bool *quit) {
    if (order >= '0' && order <= '7') {
        unsigned pins = (unsigned)(order - '0');
        if ((pins & 4u) != 0 && !tap.clock) {
            rising_edge((pins & 2u) != 0, (pins & 1u) != 0);
        }
        tap.clock = (pins & 4u) != 0;
    } else if (order == 'R') {
        return (tap.shift & 1u) != 0 ? '1' : '0';
    } else if (order == 't' || order == 'u') { /* TRST */
        tap.state = RESET;
        tap.instruction = IDCODE;
    } else if (order == 'Q') {
        *quit = true;
    }
    return 0;
}

static int serve(int fd) {
    static char orders[65536], answers[65536];
    bool quit = false;
    while (!quit) {
        ssize_t count = read(fd, orders, sizeof orders);
        if (count <= 0) {
            return count == 0 ? 0 : -errno;
        }
        size_t length = 0;
        for (ssize_t i = 0; i < count; i++) {
            char answer = obey(orders[i], &quit);
            if (answer != 0) {
                answers[length++] = answer;
            }
        }
        for (size_t sent = 0; sent < length;) {
            ssize_t part = write(fd, answers + sent, length - sent);
            if (part < 0) {
                return -errno;
            }
            sent += (size_t)part;
        }
    }
    return 0;
}

static int listen_at(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    if (fd < 0 || strlen(path) >= sizeof address.sun_path) {
        return -1;
    }
    strcpy(address.sun_path, path);
    if (bind(fd, (const struct sockaddr *)&address, sizeof address) != 0 || listen(fd, 1) != 0) {
        return -1;
    }
    return accept(fd, NULL, NULL);
}

static bool map_memory(const char *path) {
    struct stat status;
    int fd = open(path, O_RDWR);
    if (fd < 0 || fstat(fd, &status) != 0) {
        return false;
    }
    memory.size = (uint32_t)status.st_size;
    void *bytes = mmap(NULL, memory.size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    memory.bytes = bytes;
    return memory.size >= 4 && bytes != MAP_FAILED;
}

int main(int argc, char **argv) {
    if (argc != 4) {
        fprintf(stderr, "usage: probe SOCKET MEMORY BASE\n");
        return 2;
    }
    memory.base = (uint32_t)strtoul(argv[3], NULL, 0);
    if (!map_memory(argv[2])) {
        fprintf(stderr, "%s: cannot be mapped: %s\n", argv[2], strerror(errno));
        return 1;
    }
    int fd = listen_at(argv[1]);
    int error = fd < 0 ? -errno : serve(fd);
    if (error != 0) {
        fprintf(stderr, "%s: %s\n", argv[1], strerror(-error));
    }
    return error != 0;
}
