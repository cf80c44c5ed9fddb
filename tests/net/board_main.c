/* SPDX-License-Identifier: MIT */
/* A board on a network of its own, which only the command sees that it is given: it announces itself,
 * and when a host has connected it records a thousand zones with a value each, and finishes. Ends with
 * the command's status. Usage: net_board COMMAND ... */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bad_wire.h"
#include "kymo/kymo.h"
#include "kymo_net.h"
#include "tap.h"

#define ZONES 1000u

static struct bad_wire wire;
static struct kymo_net net;
static uint32_t recorded;

static uint32_t now_ms(void) { return (uint32_t)bad_wire_now_ms(); }

static void step(void) {
    if (kymo_net_connected(&net) && recorded < ZONES) {
        KYMO_ZONE("step");
        recorded++;
        KYMO_PLOT("recorded", (int32_t)recorded);
    }
    if (recorded == ZONES) {
        recorded++;
        kymo_finish();
    }
    bad_wire_poll(&wire);
    while (kymo_drain(0)) {}
    kymo_net_poll(&net);
    if (recorded > ZONES && !kymo_pending()) {
        kymo_net_close(&net);
    }
    bad_wire_poll(&wire);
}

int main(int count, char **words) {
    const struct kymo_net_config config = {.link = &wire.link,
                                           .now_ms = now_ms,
                                           .address = KYMO_NET_ADDRESS(10, 9, 8, 2),
                                           .name = "board of the test",
                                           .announce = kymo_net_announce};
    int status = 0;
    const int tap = tap_open(KYMO_NET_ADDRESS(10, 9, 8, 1));
    const pid_t command = count > 1 && tap >= 0 ? fork() : -1;
    if (command == 0) {
        execv(words[1], words + 1);
        perror(words[1]);
        _exit(127);
    }
    if (command < 0) {
        return EXIT_FAILURE;
    }
    bad_wire_init(&wire, tap, 1);
    kymo_net_init(&net, &config);
    kymo_init(kymo_net_transport(&net), "net_board");
    while (waitpid(command, &status, WNOHANG) == 0) {
        step();
        usleep(500);
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILURE;
}
