/* SPDX-License-Identifier: MIT */
/* The parts of an Arduino core that kymo's library and its example use, under the same names. */
#ifndef ARDUINO_H
#define ARDUINO_H

#include <stddef.h>
#include <stdint.h>

#define LED_BUILTIN 13
#define OUTPUT 1
#define HIGH 1
#define LOW 0

class Print {
  public:
    virtual size_t write(uint8_t byte) = 0;
    virtual size_t write(const uint8_t *bytes, size_t count) {
        size_t written = 0;
        while (written < count && write(bytes[written]) == 1) {
            written++;
        }
        return written;
    }
    virtual int availableForWrite() { return 0; }

  protected:
    ~Print() = default;
};

class Stream : public Print {
  public:
    virtual int available() = 0;
    virtual int read() = 0;
    virtual int peek() = 0;

  protected:
    ~Stream() = default;
};

class HardwareSerial : public Stream {
  public:
    void begin(unsigned long baud);
    int available() override;
    int read() override;
    int peek() override;
    size_t write(uint8_t byte) override;
    int availableForWrite() override;
    using Print::write;

  protected:
    ~HardwareSerial() = default;
};
extern HardwareSerial Serial1;

void pinMode(int pin, int mode);
void digitalWrite(int pin, int value);
unsigned long millis();

#endif
