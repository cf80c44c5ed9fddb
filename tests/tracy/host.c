/* SPDX-License-Identifier: MIT */
/* The programs under Linux: what they record goes to standard output. "wrong" as the argument: those that do wrong. */
#include <unistd.h>

#include "kymo/kymo.h"
#include "posix_fd.h"
#include "program.h"

int main(int argc, char **argv) {
    static struct kymo_posix_fd out;
    (void)argv;
    if (kymo_posix_fd_init(&out, STDOUT_FILENO, false) != 0) {
        return 1;
    }
    if (argc > 1) {
        markup_wrong();
    } else {
        markup_c();
        markup_cxx();
    }
    kymo_init(kymo_posix_fd_transport(&out), "tracy");
    kymo_finish();
    while (kymo_pending() && kymo_posix_fd_error(&out) == 0) {
        (void)kymo_drain(0u);
    }
    return kymo_posix_fd_error(&out) == 0 ? 0 : 1;
}
