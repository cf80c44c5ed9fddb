/* SPDX-License-Identifier: MIT */
/* Addresses of sockets, getaddrinfo() and inet_ntop(). */
#ifndef HOSTLINK_PLATFORM_SYSTEM_NET_H
#define HOSTLINK_PLATFORM_SYSTEM_NET_H

#include <winsock2.h>
#include <ws2tcpip.h>

#undef gai_strerror
#define gai_strerror libc_lookup_error

/* The same as in afunix.h of Windows 10. */
struct sockaddr_un {
    unsigned short sun_family;
    char sun_path[108];
};

#endif
