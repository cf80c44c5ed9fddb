/* SPDX-License-Identifier: MIT */
/* Features that need a host: recording on demand, the connection, parameters with a callback, images. Serves the unix
 * socket that its argument names, until the host has set the parameter. */
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "posix_fd.h"
#include "tracy/Tracy.hpp"
#include "tracy/TracyC.h"

namespace {

struct Mutex {
    void lock() {}
    void unlock() {}
    bool try_lock() { return true; }
};
TracyLockableN(Mutex, early, "made before the host");

struct Seen {
    unsigned calls = 0;
    uint32_t index = 0;
    int32_t value = 0;
} seen;

/* On the context that drains. */
void on_parameter(void *data, uint32_t index, int32_t value) {
    Seen *to = static_cast<Seen *>(data);
    to->calls++;
    to->index += index;
    to->value += value;
}

int accepted(const char *path) {
    struct sockaddr_un where = {};
    const int listener = socket(AF_UNIX, SOCK_STREAM, 0);
    where.sun_family = AF_UNIX;
    strncpy(where.sun_path, path, sizeof where.sun_path - 1u);
    if (listener < 0 ||
        bind(listener, reinterpret_cast<struct sockaddr *>(&where), sizeof where) != 0 ||
        listen(listener, 1) != 0) {
        return -1;
    }
    return accept(listener, nullptr, nullptr);
}

void images() {
    static uint8_t picture[8 * 4 * 4];
    static uint8_t large[64 * 64 * 4];
    for (size_t i = 0; i < sizeof picture; i++) {
        picture[i] = static_cast<uint8_t>(i);
    }
    FrameImage(picture, 8, 4, 0, true);
    FrameImage(picture, 8, 4, 0, false); /* the first one is not sent yet */
    FrameImage(large, 64, 64, 0, false); /* more than KYMO_TRACY_IMAGE */
    FrameImage(nullptr, 8, 4, 0, false);
}

} // namespace

int main(int argc, char **argv) {
    static kymo_posix_fd line;
    TracyParameterRegister(on_parameter, &seen);
    TracyParameterSetup(4, "live number", TracyParamTypeInt, 5);
    TracyParameterSetup(5, "live trigger", TracyParamTypeTrigger, 0);
    for (int i = 0; i < 10; i++) {
        ZoneScopedN("before the host");
        ZoneText("not recorded", 12);
    }
    if (TracyIsConnected || TracyCIsConnected || argc != 2) {
        return 2;
    }
    TracyCZoneN(across, "begun before the host", 1) const int fd = accepted(argv[1]);
    if (fd < 0 || kymo_posix_fd_init(&line, fd, true) != 0) {
        return 3;
    }
    kymo_init(kymo_posix_fd_transport(&line), "live");
    while (!TracyIsConnected && kymo_posix_fd_error(&line) == 0) {
        (void)kymo_drain(0u);
    }
    TracyCZoneEnd(across) {
        ZoneScopedN("with the host");
        early.lock();
        early.unlock();
        images();
    }
    while (seen.calls < 2u && kymo_posix_fd_error(&line) == 0) {
        (void)kymo_drain(0u);
    }
    TracyPlot("index", seen.index);
    TracyPlot("value", seen.value);
    kymo_finish();
    while (kymo_pending() && kymo_posix_fd_error(&line) == 0) {
        (void)kymo_drain(0u);
    }
    return 0;
}
