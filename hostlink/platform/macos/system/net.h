/* SPDX-License-Identifier: MIT */
/* Addresses of sockets, getaddrinfo() and inet_ntop(). */
#ifndef HOSTLINK_PLATFORM_SYSTEM_NET_H
#define HOSTLINK_PLATFORM_SYSTEM_NET_H

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/un.h>

/* Sockets are made with SO_NOSIGPIPE. */
#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0
#endif

#endif
