/* SPDX-License-Identifier: MIT */
#include "tap.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define NAME "kymo0"

static int wrong(const char *what) {
    const int error = errno;
    fprintf(stderr, "%s: %s\n", what, strerror(error));
    return -error;
}

static int write_file(const char *path, const char *text) {
    const int file = open(path, O_WRONLY | O_CLOEXEC);
    const ssize_t length = (ssize_t)strlen(text);
    const int result = file >= 0 && write(file, text, (size_t)length) == length ? 0 : wrong(path);
    if (file >= 0) {
        close(file);
    }
    return result;
}

/* user_namespaces(7): one's own user as root there. */
static int enter_namespace(void) {
    char map[64];
    const unsigned user = getuid(), group = getgid();
    if (unshare(CLONE_NEWNET) == 0) {
        return 0;
    }
    if (unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0) {
        return wrong("a network namespace needs root, or user namespaces that are allowed");
    }
    snprintf(map, sizeof map, "0 %u 1", user);
    if (write_file("/proc/self/setgroups", "deny") != 0 ||
        write_file("/proc/self/uid_map", map) != 0) {
        return -EPERM;
    }
    snprintf(map, sizeof map, "0 %u 1", group);
    return write_file("/proc/self/gid_map", map);
}

/* A bare root file system may lack the device's file. */
static int open_device(void) {
    int tap = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (tap < 0 && errno == ENOENT) {
        char path[] = "/tmp/kymo-tun-XXXXXX";
        if (mkdtemp(path) != NULL) {
            char device[sizeof path + 8];
            snprintf(device, sizeof device, "%s/tun", path);
            if (mknod(device, S_IFCHR | 0600, makedev(10, 200)) == 0) {
                tap = open(device, O_RDWR | O_NONBLOCK | O_CLOEXEC);
                unlink(device);
            }
            rmdir(path);
        }
    }
    return tap >= 0 ? tap : wrong("/dev/net/tun");
}

static int bring_up(int control, const char *name, uint32_t address) {
    struct ifreq request = {0};
    strcpy(request.ifr_name, name);
    struct sockaddr_in in = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(address)};
    memcpy(&request.ifr_addr, &in, sizeof in);
    if (address != 0 && ioctl(control, SIOCSIFADDR, &request) != 0) {
        return wrong("SIOCSIFADDR");
    }
    in.sin_addr.s_addr = htonl(0xffffff00u);
    memcpy(&request.ifr_netmask, &in, sizeof in);
    if (address != 0 && ioctl(control, SIOCSIFNETMASK, &request) != 0) {
        return wrong("SIOCSIFNETMASK");
    }
    request.ifr_flags = IFF_UP | IFF_RUNNING;
    return ioctl(control, SIOCSIFFLAGS, &request) == 0 ? 0 : wrong("SIOCSIFFLAGS");
}

int tap_open(uint32_t address) {
    struct ifreq request = {.ifr_flags = IFF_TAP | IFF_NO_PI};
    int result = enter_namespace();
    if (result != 0) {
        return result;
    }
    const int tap = open_device(), control = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (tap < 0 || control < 0) {
        return tap < 0 ? tap : wrong("socket");
    }
    strcpy(request.ifr_name, NAME);
    if (ioctl(tap, TUNSETIFF, &request) != 0) {
        result = wrong("TUNSETIFF");
    } else {
        result = bring_up(control, NAME, address);
        result = result != 0 ? result : bring_up(control, "lo", 0);
    }
    close(control);
    if (result != 0) {
        close(tap);
        return result;
    }
    return tap;
}
