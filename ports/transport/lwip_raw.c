/* SPDX-License-Identifier: MIT */
#include "lwip_raw.h"

#if NO_SYS
#define ENTER()
#define LEAVE()
#else
#include "lwip/tcpip.h"
#define ENTER() LOCK_TCPIP_CORE()
#define LEAVE() UNLOCK_TCPIP_CORE()
#endif

/* Milliseconds of silence, milliseconds between questions, questions. */
#define KEEP_IDLE_MS 10000u
#define KEEP_INTERVAL_MS 2000u
#define KEEP_COUNT 10u

/* ---- called by lwIP, in its context ---- */

static void forget_host(struct kymo_lwip_raw *server) {
    if (server->received != NULL) {
        pbuf_free(server->received);
    }
    server->received = NULL;
    server->read = 0u;
    server->host = NULL;
}

/* lwIP has freed the connection already. */
static void on_error(void *argument, err_t error) {
    (void)error;
    forget_host(argument);
}

/* No more bytes, and a NULL for them, say that the host has closed. */
static err_t on_received(void *argument, struct tcp_pcb *host, struct pbuf *bytes, err_t error) {
    struct kymo_lwip_raw *server = argument;
    if (bytes == NULL || error != ERR_OK) {
        if (bytes != NULL) {
            pbuf_free(bytes);
        }
        forget_host(server);
        tcp_arg(host, NULL);
        tcp_recv(host, NULL);
        tcp_err(host, NULL);
        if (tcp_close(host) != ERR_OK) {
            tcp_abort(host);
            return ERR_ABRT;
        }
        return ERR_OK;
    }
    if (server->received == NULL) {
        server->received = bytes;
    } else {
        pbuf_cat(server->received, bytes);
    }
    return ERR_OK;
}

static err_t on_accept(void *argument, struct tcp_pcb *host, err_t error) {
    struct kymo_lwip_raw *server = argument;
    if (error != ERR_OK || host == NULL) {
        return ERR_VAL;
    }
    if (server->host != NULL) {
        tcp_abort(host);
        return ERR_ABRT;
    }
    server->host = host;
    kymo_whole_packets_restart(&server->packets);
    tcp_arg(host, server);
    tcp_recv(host, on_received);
    tcp_err(host, on_error);
    ip_set_option(host, SOF_KEEPALIVE);
    host->keep_idle = KEEP_IDLE_MS;
#if LWIP_TCP_KEEPALIVE
    host->keep_intvl = KEEP_INTERVAL_MS;
    host->keep_cnt = KEEP_COUNT;
#endif
    return ERR_OK;
}

/* ---- the transport ---- */

/* Bytes for which lwIP has no memory now are left to a later call. */
static size_t send(struct tcp_pcb *host, const uint8_t *bytes, size_t length) {
    const size_t room = tcp_sndbuf(host);
    const u16_t count = (u16_t)(length < room ? length : room);
    if (count == 0u || tcp_write(host, bytes, count, TCP_WRITE_FLAG_COPY) != ERR_OK) {
        return 0u;
    }
    (void)tcp_output(host);
    return count;
}

static size_t port_write(void *context, const uint8_t *bytes, size_t length) {
    struct kymo_lwip_raw *server = context;
    size_t taken = 0u;
    ENTER();
    if (server->host != NULL) {
        taken = kymo_whole_packets_skip(&server->packets, bytes, length);
        taken += send(server->host, bytes + taken, length - taken);
        kymo_whole_packets_taken(&server->packets, bytes, taken);
    }
    LEAVE();
    return taken;
}

/* Frees the pbufs that have been read to their end; the next one then begins the chain. */
static void drop_read(struct kymo_lwip_raw *server) {
    while (server->received != NULL && server->read >= server->received->len) {
        struct pbuf *first = server->received;
        server->received = first->next;
        server->read = (uint16_t)(server->read - first->len);
        if (server->received != NULL) {
            pbuf_ref(server->received);
        }
        pbuf_free(first);
    }
}

static size_t port_read(void *context, uint8_t *bytes, size_t length) {
    struct kymo_lwip_raw *server = context;
    u16_t count = 0u;
    ENTER();
    if (server->received != NULL) {
        count = pbuf_copy_partial(server->received, bytes,
                                  (u16_t)(length < 0xffffu ? length : 0xffffu), server->read);
        server->read = (uint16_t)(server->read + count);
        tcp_recved(server->host, count);
        drop_read(server);
    }
    LEAVE();
    return count;
}

err_t kymo_lwip_raw_listen(struct kymo_lwip_raw *server, uint16_t port) {
    *server = (struct kymo_lwip_raw){
        .transport = {.write = port_write, .read = port_read, .context = server, .network = true}};
    ENTER();
    err_t error = ERR_MEM;
    struct tcp_pcb *own = tcp_new();
    if (own != NULL) {
        error = tcp_bind(own, IP_ADDR_ANY, port);
        server->listener = error == ERR_OK ? tcp_listen_with_backlog_and_err(own, 1, &error) : NULL;
        if (server->listener != NULL) {
            tcp_arg(server->listener, server);
            tcp_accept(server->listener, on_accept);
        } else {
            (void)tcp_close(own);
        }
    }
    LEAVE();
    return error;
}
