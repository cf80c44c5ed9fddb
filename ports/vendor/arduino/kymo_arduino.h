/* SPDX-License-Identifier: MIT */
/* Any Print or Stream of Arduino (Serial1, a USB port, a socket of a network library) as a transport; C++11.
 *
 *     static KymoTransport port(Serial1);
 *     kymo_init(port.transport(), "my sketch");
 *
 * The sketch calls begin() of the stream with the baud rate, and prints nothing on it. The transport never waits if the
 * class says how much it accepts (availableForWrite()). A class that does not know returns 0, and gets no bytes, unless
 * a second argument says how many bytes to write at a time; write() of such a class may wait. */
#ifndef KYMO_ARDUINO_H
#define KYMO_ARDUINO_H

#include <Arduino.h>

#include "kymo.h"

/* Put it in static memory. Call it from one context at a time, as you do the stream. */
class KymoTransport {
  public:
    /* Both ways: names are sent once, and the host's commands arrive. */
    explicit KymoTransport(Stream &stream, size_t blind_bytes = 0u)
        : out_(stream), in_(&stream), blind_bytes_(blind_bytes) {
        kymo_transport_set(&transport_, write, read, this);
    }
    /* One way: the names are repeated. */
    explicit KymoTransport(Print &out, size_t blind_bytes = 0u)
        : out_(out), in_(nullptr), blind_bytes_(blind_bytes) {
        kymo_transport_set(&transport_, write, nullptr, this);
    }
    KymoTransport(const KymoTransport &) = delete;
    KymoTransport &operator=(const KymoTransport &) = delete;

    /* For kymo_init(); valid as long as this object. */
    const struct kymo_transport *transport() const { return &transport_; }

  private:
    Print &out_;
    Stream *const in_;
    const size_t blind_bytes_;
    struct kymo_transport transport_;

    static size_t write(void *context, const uint8_t *bytes, size_t length) {
        KymoTransport *const self = static_cast<KymoTransport *>(context);
        const int says = self->out_.availableForWrite();
        const size_t room = says > 0 ? static_cast<size_t>(says) : self->blind_bytes_;
        const size_t count = length < room ? length : room;
        return count != 0u ? self->out_.write(bytes, count) : 0u;
    }

    static size_t read(void *context, uint8_t *bytes, size_t length) {
        KymoTransport *const self = static_cast<KymoTransport *>(context);
        size_t count = 0u;
        while (count < length && self->in_->available() > 0) {
            const int got = self->in_->read();
            if (got < 0) {
                break;
            }
            bytes[count++] = static_cast<uint8_t>(got);
        }
        return count;
    }
};

#endif
