/* SPDX-License-Identifier: MIT */
/* The program under Linux: sends what it records to standard output. */
#include <signal.h>
#include <unistd.h>

#include "posix_fd.h"
#include "program.h"

int main() {
    static kymo_posix_fd out;
    if (kymo_posix_fd_init(&out, STDOUT_FILENO, false) != 0) {
        return 1;
    }
    workload();
    kymo_init(kymo_posix_fd_transport(&out), "C++");
    kymo_finish();
    while (kymo_pending() && kymo_posix_fd_error(&out) == 0) {
        kymo_drain(0u);
    }
    return kymo_posix_fd_error(&out) == 0 ? 0 : 1;
}
