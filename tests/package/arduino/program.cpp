/* SPDX-License-Identifier: MIT */
/* The library on this machine: Streams that take and give what they say, and a Print that says nothing. The trace over
 * the last of them goes to standard output. */
#include <kymo_arduino.h>
#include <stdio.h>

static int failures;

static void expect(bool is_so, const char *what) {
    if (!is_so) {
        fprintf(stderr, "%s\n", what);
        failures++;
    }
}

/* Takes "room" bytes until it is emptied; a byte more would wait. */
class Line : public Stream {
  public:
    int room = 0;
    int come = 0;
    unsigned waits = 0;
    unsigned sent = 0;
    bool prints = false;

    int available() override { return come; }
    int read() override { return come > 0 ? 'a' + --come : -1; }
    int peek() override { return -1; }
    int availableForWrite() override { return room; }
    size_t write(uint8_t byte) override {
        if (room == 0) {
            waits++;
        } else {
            room--;
        }
        sent++;
        if (prints) {
            putchar(byte);
        }
        return 1;
    }
    using Print::write;
};

class Silent : public Print {
  public:
    unsigned sent = 0;
    size_t write(uint8_t) override {
        sent++;
        return 1;
    }
    using Print::write;
};

static size_t write(const KymoTransport &port, size_t count) {
    static const uint8_t bytes[100] = {};
    return port.transport()->write(port.transport()->context, bytes, count);
}

static void check_line() {
    static Line line;
    static KymoTransport port(line);
    uint8_t bytes[10];
    const struct kymo_transport *const transport = port.transport();
    expect(write(port, 10) == 0 && line.sent == 0, "a full line got bytes");
    line.room = 4;
    expect(write(port, 10) == 4 && write(port, 10) == 0, "not what there is room for");
    line.room = -1;
    expect(write(port, 10) == 0, "room below 0");
    line.room = 100;
    expect(write(port, 10) == 10 && line.waits == 0, "less than all, or it waits");
    expect(transport->read(transport->context, bytes, 10) == 0, "read nothing");
    line.come = 3;
    expect(transport->read(transport->context, bytes, 2) == 2 && bytes[0] == 'c' && bytes[1] == 'b',
           "read two");
    expect(transport->read(transport->context, bytes, 10) == 1 && bytes[0] == 'a', "read the rest");
}

static void check_silent() {
    static Silent silent;
    static KymoTransport careful(silent), blind(silent, 16);
    expect(careful.transport()->read == nullptr, "a Print is one way");
    expect(write(careful, 10) == 0 && silent.sent == 0, "a Print that says nothing got bytes");
    expect(write(blind, 10) == 10 && write(blind, 100) == 16 && silent.sent == 26,
           "not as many as said");
}

int main() {
    static Line line;
    static KymoTransport port(line);
    check_line();
    check_silent();
    line.prints = true;
    kymo_init(port.transport(), "arduino");
    for (int round = 0; round < 100; round++) {
        KYMO_ZONE("round");
        KYMO_PLOT("at", round);
        line.room = 7;
        kymo_drain(0u);
    }
    kymo_finish();
    do {
        line.room = 7;
        kymo_drain(0u);
    } while (kymo_pending());
    expect(line.waits == 0, "the line waited");
    return failures != 0;
}
