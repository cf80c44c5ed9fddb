/* SPDX-License-Identifier: MIT */
/* A capture in a viewer, at one command. */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/say.h"
#include "base/stop.h"
#include "cli/cmd.h"
#include "cli/cmd_input.h"
#include "cli/elf_images.h"
#include "platform/file.h"
#include "platform/net.h"
#include "platform/poll.h"
#include "platform/process.h"
#include "tracy/listen.h"

/* ---- handing out ---- */

/* A server on this machine alone that hands files to a browser: one trace to Perfetto's page, and that page itself if
 * a folder with it is given. All other requests, and other pages, are refused. */
#define HANDOUT_NAME_BYTES 128u

struct handout {
    const char *trace;             /* the file */
    char name[HANDOUT_NAME_BYTES]; /* its name: letters, digits, '.', '-' and '_' */
    const char *origin;            /* of the page that may have it; NULL: this server's own */
    const char *folder;            /* of the page, "" or NULL: none */
    uint16_t port;                 /* 127.0.0.1 */
};

/* Browsers open some connections more than they use. */
#define PEERS 16u
#define REQUEST_BYTES 4096u
#define HEAD_BYTES 768u
#define PIECE_BYTES 65536u

struct peer {
    int fd; /* -1: free place */
    char request[REQUEST_BYTES + 1];
    size_t used;
    char head[HEAD_BYTES]; /* of the answer */
    size_t head_size, head_sent;
    int file; /* what follows it, -1: nothing */
    uint64_t left;
    bool is_trace;
    unsigned age; /* connections that came since */
};

struct server {
    const struct handout *handout;
    struct peer peers[PEERS];
    bool handed_out;
};

/* ---- the request ---- */

/* The value of a header field, its length in *length; NULL: not in the request. */
static const char *field(const char *request, const char *name, size_t *length) {
    const size_t name_length = strlen(name);
    for (const char *line = strstr(request, "\r\n"); line; line = strstr(line + 2, "\r\n")) {
        if (strncasecmp(line + 2, name, name_length) == 0 && line[2 + name_length] == ':') {
            const char *value = line + 3 + name_length;
            value += strspn(value, " \t");
            *length = strcspn(value, "\r\n");
            while (*length > 0 && (value[*length - 1] == ' ' || value[*length - 1] == '\t')) {
                (*length)--;
            }
            return value;
        }
    }
    return NULL;
}

static bool field_is(const char *request, const char *name, const char *wanted) {
    size_t length = 0;
    const char *value = field(request, name, &length);
    return value && length == strlen(wanted) && strncmp(value, wanted, length) == 0;
}

/* A page of elsewhere could name this machine as its own server: then the host would be another. */
static bool is_for_us(const struct handout *handout, const char *request) {
    char host[64];
    (void)snprintf(host, sizeof host, "127.0.0.1:%u", (unsigned)handout->port);
    if (field_is(request, "host", host)) {
        return true;
    }
    (void)snprintf(host, sizeof host, "localhost:%u", (unsigned)handout->port);
    return field_is(request, "host", host);
}

/* This server's own page sends no origin, or this one. */
static bool may_have(const struct handout *handout, const char *request) {
    char own[64];
    size_t length;
    if (handout->origin) {
        return field_is(request, "origin", handout->origin);
    }
    (void)snprintf(own, sizeof own, "http://127.0.0.1:%u", (unsigned)handout->port);
    return !field(request, "origin", &length) || field_is(request, "origin", own);
}

/* The path of a request, without its query; false: it is of another form. */
static bool path_of(const char *request, char *path, size_t size) {
    const char *start = strchr(request, ' ');
    const size_t length = start ? strcspn(start + 1, " ?\r\n") : 0;
    if (length == 0 || length >= size || start[1] != '/') {
        return false;
    }
    memcpy(path, start + 1, length);
    path[length] = '\0';
    return true;
}

/* Opens a file that is below the folder, also after its links are resolved; -1: no such file. */
static int open_below(const char *folder, const char *path) {
    char joined[SYS_PATH_BYTES], real[SYS_PATH_BYTES], top[SYS_PATH_BYTES];
    struct sys_status status;
    const char *name = strcmp(path, "/") == 0 ? "/index.html" : path;
    if (snprintf(joined, sizeof joined, "%s%s", folder, name) >= (int)sizeof joined ||
        !sys_real_path(joined, real) || !sys_real_path(folder, top)) {
        return -1;
    }
    const size_t length = strcmp(top, "/") == 0 ? 0 : strlen(top);
    if (strncmp(real, top, length) != 0 || real[length] != '/' ||
        sys_status_of(real, &status) != 0 || status.type != SYS_REGULAR) {
        return -1;
    }
    return sys_open(real, SYS_READ);
}

static const char *type_of(const char *path) {
    static const char *const types[][2] = {{".html", "text/html; charset=utf-8"},
                                           {".js", "text/javascript"},
                                           {".css", "text/css"},
                                           {".wasm", "application/wasm"},
                                           {".json", "application/json"},
                                           {".svg", "image/svg+xml"},
                                           {".png", "image/png"},
                                           {".woff2", "font/woff2"}};
    const char *suffix = strcmp(path, "/") == 0 ? types[0][0] : strrchr(path, '.');
    for (size_t i = 0; suffix && i < sizeof types / sizeof *types; i++) {
        if (strcmp(suffix, types[i][0]) == 0) {
            return types[i][1];
        }
    }
    return "application/octet-stream";
}

/* ---- answers ---- */

/* "type" NULL: without a body. */
static void answer(struct peer *peer, const struct handout *handout, const char *status,
                   const char *type) {
    /* Not even as a script of another page. */
    char origin[256] = "Cross-Origin-Resource-Policy: same-origin\r\n";
    if (handout->origin) {
        (void)snprintf(origin, sizeof origin,
                       "Access-Control-Allow-Origin: %s\r\nVary: Origin\r\n"
                       "Access-Control-Allow-Methods: GET, HEAD\r\n"
                       "Access-Control-Allow-Private-Network: true\r\n",
                       handout->origin);
    }
    peer->head_size = (size_t)snprintf(
        peer->head, sizeof peer->head,
        "HTTP/1.1 %s\r\n%sContent-Type: %s\r\nContent-Length: %llu\r\nCache-Control: no-store\r\n"
        "X-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n",
        status, origin, type ? type : "text/plain", (unsigned long long)peer->left);
}

static void answer_file(struct peer *peer, const struct handout *handout, const char *path,
                        bool body) {
    struct sys_status status;
    char trace[HANDOUT_NAME_BYTES + 2];
    (void)snprintf(trace, sizeof trace, "/%s", handout->name);
    peer->is_trace = strcmp(path, trace) == 0;
    peer->file = peer->is_trace    ? sys_open(handout->trace, SYS_READ)
                 : handout->folder ? open_below(handout->folder, path)
                                   : -1;
    if (peer->file < 0 || sys_status(peer->file, &status) != 0) {
        answer(peer, handout, "404 Not Found", NULL);
        return;
    }
    peer->left = status.bytes;
    answer(peer, handout, "200 OK", type_of(path));
    if (!body) {
        (void)sys_close(peer->file);
        peer->file = -1;
        peer->is_trace = false;
    }
    peer->left = body ? peer->left : 0;
}

static void take_request(struct peer *peer, const struct handout *handout) {
    char path[1024];
    const bool get = strncmp(peer->request, "GET ", 4) == 0;
    const bool head = strncmp(peer->request, "HEAD ", 5) == 0;
    static const struct handout nobody;
    if (!is_for_us(handout, peer->request) || !may_have(handout, peer->request)) {
        answer(peer, &nobody, "403 Forbidden", NULL);
    } else if (strncmp(peer->request, "OPTIONS ", 8) == 0) {
        answer(peer, handout, "204 No Content", NULL);
    } else if (!get && !head) {
        answer(peer, handout, "405 Method Not Allowed", NULL);
    } else if (!path_of(peer->request, path, sizeof path)) {
        answer(peer, handout, "400 Bad Request", NULL);
    } else {
        answer_file(peer, handout, path, get);
    }
}

/* ---- connections ---- */

static void drop(struct peer *peer) {
    if (peer->fd >= 0) {
        (void)sys_close(peer->fd);
    }
    if (peer->file >= 0) {
        (void)sys_close(peer->file);
    }
    *peer = (struct peer){.fd = -1, .file = -1};
}

static void receive(struct server *server, struct peer *peer) {
    const ssize_t count =
        sys_read(peer->fd, peer->request + peer->used, REQUEST_BYTES - peer->used);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) {
        return;
    }
    peer->used += count > 0 ? (size_t)count : 0;
    peer->request[peer->used] = '\0';
    if (strstr(peer->request, "\r\n\r\n")) {
        take_request(peer, server->handout);
    } else if (count <= 0 || peer->used == REQUEST_BYTES) {
        drop(peer);
    }
}

/* A piece of the file; false: the connection is over. */
static bool send_piece(struct peer *peer) {
    static char piece[PIECE_BYTES];
    const int64_t at = sys_seek(peer->file, 0, SEEK_CUR);
    const size_t wanted = peer->left < sizeof piece ? (size_t)peer->left : sizeof piece;
    const ssize_t have = sys_read_at(peer->file, piece, wanted, at);
    const ssize_t sent = have > 0 ? sys_send(peer->fd, piece, (size_t)have) : -1;
    if (sent < 0) {
        return have > 0 && (errno == EAGAIN || errno == EINTR);
    }
    peer->left -= (uint64_t)sent;
    return sys_seek(peer->file, at + sent, SEEK_SET) >= 0;
}

static void send_answer(struct server *server, struct peer *peer) {
    bool goes_on = true;
    if (peer->head_sent < peer->head_size) {
        const ssize_t sent =
            sys_send(peer->fd, peer->head + peer->head_sent, peer->head_size - peer->head_sent);
        goes_on = sent >= 0 || errno == EAGAIN || errno == EINTR;
        peer->head_sent += sent > 0 ? (size_t)sent : 0;
    } else if (peer->left > 0) {
        goes_on = send_piece(peer);
    }
    const bool all = goes_on && peer->head_sent == peer->head_size && peer->left == 0;
    server->handed_out = server->handed_out || (all && peer->is_trace);
    if (all || !goes_on) {
        (void)sys_shut_write(peer->fd);
        drop(peer);
    }
}

/* The place that is free, or of the connection that has been silent longest. */
static struct peer *place(struct server *server) {
    struct peer *best = NULL;
    for (size_t i = 0; i < PEERS; i++) {
        struct peer *peer = &server->peers[i];
        peer->age++;
        if (peer->fd < 0) {
            return peer;
        }
        best = peer->head_size == 0 && (!best || peer->age > best->age) ? peer : best;
    }
    return best;
}

static void accept_peer(struct server *server, int listener) {
    char name[64];
    const int fd = tracy_accept(listener, name, sizeof name);
    struct peer *peer = fd >= 0 ? place(server) : NULL;
    if (peer) {
        drop(peer);
        peer->fd = fd;
    } else if (fd >= 0) {
        (void)sys_close(fd);
    }
}

static void look_after(struct server *server, const struct sys_poll *fds) {
    for (size_t i = 0; i < PEERS; i++) {
        struct peer *peer = &server->peers[i];
        if (peer->fd < 0 || fds[i].revents == 0) {
            continue;
        }
        if (peer->head_size == 0) {
            receive(server, peer);
        } else {
            send_answer(server, peer);
        }
    }
}

/* Serves until the trace has been handed out, or, with a folder, until a signal. 1: the trace was handed out; 0: a
 * signal came before; -errno. */
static int handout_serve(const struct handout *handout, int listener) {
    static struct server server; /* too large for the stack */
    struct sys_poll fds[PEERS + 1];
    int error = 0;
    server = (struct server){.handout = handout};
    for (size_t i = 0; i < PEERS; i++) {
        server.peers[i] = (struct peer){.fd = -1, .file = -1};
    }
    while (error == 0 && !stop_wanted() && !(server.handed_out && !handout->folder)) {
        for (size_t i = 0; i < PEERS; i++) {
            const struct peer *peer = &server.peers[i];
            fds[i] = (struct sys_poll){.fd = peer->fd,
                                       .events = peer->head_size == 0 ? SYS_POLL_IN : SYS_POLL_OUT};
        }
        fds[PEERS] = (struct sys_poll){.fd = listener, .events = SYS_POLL_IN};
        if (sys_poll(fds, PEERS + 1, -1) < 0) {
            error = errno == EINTR ? 0 : -errno;
            continue;
        }
        look_after(&server, fds);
        if ((fds[PEERS].revents & SYS_POLL_IN) != 0) {
            accept_peer(&server, listener);
        }
    }
    for (size_t i = 0; i < PEERS; i++) {
        drop(&server.peers[i]);
    }
    return error != 0 ? error : server.handed_out;
}

/* ---- beginning ---- */

/* The name under which a file is handed out: the last part of "path" without its suffix, then "suffix". */
static void handout_name(struct handout *handout, const char *path, const char *suffix) {
    static const char allowed[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    const char *name = sys_last_part(path);
    const char *point = strrchr(name, '.');
    const size_t length = point && point != name ? (size_t)(point - name) : strlen(name);
    const size_t most = HANDOUT_NAME_BYTES - strlen(suffix) - 1;
    size_t used = 0;
    while (used < length && used < most) {
        handout->name[used] = strchr(allowed, name[used]) ? name[used] : '_';
        used++;
    }
    if (used == 0 || handout->name[0] == '.' || handout->name[0] == '-') {
        used = (size_t)snprintf(handout->name, HANDOUT_NAME_BYTES, "trace");
    }
    (void)snprintf(handout->name + used, HANDOUT_NAME_BYTES - used, "%s", suffix);
}

/* A listening socket on the first free of "ports" ports from handout->port on; or -errno. */
static int handout_listen(struct handout *handout, unsigned ports) {
    return tracy_listen("127.0.0.1", &handout->port, ports);
}

#define PERFETTO "https://ui.perfetto.dev"
#define PERFETTO_PORT 9001u /* the only one of this machine that its page may ask */
#define OWN_PORTS 64u
#define ADDRESS_BYTES 1024u

/* Arguments of another command, which does the larger part. */
#define ARGUMENTS_MAX (2u * ELF_IMAGES_MAX + 16u)

struct settings {
    const char *path;
    const char *viewer;
    bool report, tracy, print, quiet;
    const char *passed[ARGUMENTS_MAX]; /* options on names, which that command gets as they are */
    size_t passed_count;
};

/* ---- options ---- */

static int pass_on(void *context, const struct options *options) {
    struct settings *settings = context;
    if (settings->passed_count + 2 > 2u * ELF_IMAGES_MAX + 2u) {
        return options_wrong(options, "too many files of --elf");
    }
    settings->passed[settings->passed_count++] =
        options->current->name[0] == 'e' ? "--elf" : "--symbolizer";
    settings->passed[settings->passed_count++] = options->value;
    return 0;
}

static const struct option_spec option_table[] = {
    {"viewer", 0, "DIR",
     "Perfetto's page from this folder, where its perfetto-ui.zip\n"
     "was unpacked, in place of " PERFETTO,
     OPTION_TEXT(viewer)},
    {"report", 0, NULL, "the page of 'hostlink report' in the browser", OPTION_FLAG(report)},
    {"tracy", 0, NULL, "in tracy-profiler, which is started", OPTION_FLAG(tracy)},
    {"print", 0, NULL,
     "print the address and serve until the page has the trace; start no browser\nor profiler",
     OPTION_FLAG(print)},
    ELF_NAMES_SPEC(pass_on, 0),
    SYMBOLIZER_SPEC(pass_on, 0),
    {"quiet", 'q', NULL, "only errors, and the address", OPTION_FLAG(quiet)},
    {.take = cmd_set_input, .at = OPTION_AT(path)},
};

static int check(void *state, const struct options *options) {
    const struct settings *settings = state;
    return settings->report + settings->tracy + (settings->viewer != NULL) > 1
               ? options_wrong(options, "one of --viewer, --report and --tracy")
               : 0;
}

/* ---- what other commands and programs do ---- */

/* "last" ends with NULL. */
static enum exit_code run_command(const struct cmd *command, const struct settings *settings,
                                  const char *const *last) {
    const char *argv[ARGUMENTS_MAX + 1];
    size_t count = 0;
    for (size_t i = 0; i < settings->passed_count; i++) {
        argv[count++] = settings->passed[i];
    }
    while (*last && count < ARGUMENTS_MAX) {
        argv[count++] = *last++;
    }
    argv[count++] = "--";
    argv[count++] = settings->path;
    argv[count] = NULL;
    return cmd_start(command, (char **)(uintptr_t)argv);
}

/* The address is printed in any case: a browser may be elsewhere. */
static void show(const struct settings *settings, const char *address) {
    printf("%s\n", address);
    (void)fflush(stdout);
    const pid_t pid = settings->print ? -ENOTSUP : process_show(address);
    if (pid < 0 && !settings->quiet) {
        say("%s%sopen the address above in a browser", pid == -ENOTSUP ? "" : strerror((int)-pid),
            pid == -ENOTSUP ? "" : "; ");
    }
}

/* ---- Perfetto ---- */

static enum exit_code serve(const struct settings *settings, struct handout *handout) {
    char address[ADDRESS_BYTES], own[64];
    handout->port = PERFETTO_PORT;
    const int listener = handout_listen(handout, settings->viewer ? OWN_PORTS : 1);
    if (listener < 0) {
        say("port %u of this machine: %s; end the program that has it (trace_processor?)",
            PERFETTO_PORT, strerror(-listener));
        return EXIT_OUTPUT;
    }
    (void)snprintf(own, sizeof own, "http://127.0.0.1:%u", (unsigned)handout->port);
    (void)snprintf(address, sizeof address, "%s/#!/?url=%s/%s", settings->viewer ? own : PERFETTO,
                   own, handout->name);
    stop_catch();
    show(settings, address);
    if (!settings->quiet) {
        say(settings->viewer ? "serving %s; Ctrl-C ends"
                             : "serving %s until the page has fetched it",
            handout->name);
    }
    const int result = handout_serve(handout, listener);
    stop_release();
    (void)sys_close(listener);
    if (result < 0) {
        say("%s: cannot be served: %s", handout->name, strerror(-result));
    } else if (result == 0) {
        say("%s: no page has fetched it", handout->name);
    }
    return result > 0 ? EXIT_OK : EXIT_OUTPUT;
}

/* Makes a folder for one file, "FOLDER/NAME" in "path". False: an error, which was reported. */
static bool make_folder(char *folder, char *path, size_t size, const char *name) {
    if (sys_make_temporary(folder, size) != 0) {
        say("%s: cannot be made: %s", folder, strerror(errno));
        return false;
    }
    (void)snprintf(path, size + HANDOUT_NAME_BYTES, "%s/%s", folder, name);
    return true;
}

static enum exit_code open_perfetto(const struct settings *settings) {
    char folder[512], path[512 + HANDOUT_NAME_BYTES], output[sizeof path + 16];
    struct handout handout = {
        .trace = path, .origin = settings->viewer ? NULL : PERFETTO, .folder = settings->viewer};
    struct sys_status status;
    char index[4096];
    if (settings->viewer &&
        ((size_t)snprintf(index, sizeof index, "%s/index.html", settings->viewer) >= sizeof index ||
         sys_status_of(index, &status) != 0)) {
        say("%s: has no index.html; give the folder where perfetto-ui.zip was unpacked",
            settings->viewer);
        return EXIT_SOURCE;
    }
    handout_name(&handout, settings->path, ".pftrace");
    if (!make_folder(folder, path, sizeof folder, handout.name)) {
        return EXIT_OUTPUT;
    }
    (void)snprintf(output, sizeof output, "perfetto:%s", path);
    const char *const last[] = {"--output", output, settings->quiet ? "--quiet" : NULL, NULL};
    enum exit_code code = run_command(&cmd_convert, settings, last);
    code = code == EXIT_OK ? serve(settings, &handout) : code;
    (void)sys_remove(path);
    (void)sys_remove_folder(folder);
    return code;
}

/* ---- the others ---- */

/* The page stays: a browser reads it again whenever it likes. */
static enum exit_code open_report(const struct settings *settings) {
    char folder[512], path[512 + HANDOUT_NAME_BYTES], address[sizeof path + 16];
    struct handout handout = {0};
    handout_name(&handout, settings->path, ".html");
    if (!make_folder(folder, path, sizeof folder, handout.name)) {
        return EXIT_OUTPUT;
    }
    const char *const last[] = {"--output", path, settings->quiet ? "--quiet" : NULL, NULL};
    const enum exit_code code = run_command(&cmd_report, settings, last);
    if (code == EXIT_OK) {
        (void)snprintf(address, sizeof address, "file://%s", path);
        show(settings, address);
    } else {
        (void)sys_remove_folder(folder);
    }
    return code;
}

/* The profiler asks again until it is answered. */
static enum exit_code open_tracy(const struct settings *settings) {
    char text[8];
    uint16_t port = 0;
    const int listener = tracy_listen("127.0.0.1", &port, 1);
    if (listener < 0) {
        say("no free port: %s", strerror(-listener));
        return EXIT_OUTPUT;
    }
    (void)sys_close(listener);
    (void)snprintf(text, sizeof text, "%u", (unsigned)port);
    const char *const argv[] = {"tracy-profiler", "-a", "127.0.0.1", "-p", text, NULL};
    const pid_t pid =
        settings->print ? 0 : process_start(&(struct spawn){.argv = argv, .in_out_fd = -1});
    if (pid < 0) {
        say("tracy-profiler: %s; start one and connect it to 127.0.0.1:%s", strerror((int)-pid),
            text);
    }
    const char *const last[] = {"--tracy", text, settings->quiet ? "--quiet" : NULL, NULL};
    return run_command(&cmd_serve, settings, last);
}

static enum exit_code run(void *state) {
    struct settings *settings = state;
    return settings->report  ? open_report(settings)
           : settings->tracy ? open_tracy(settings)
                             : open_perfetto(settings);
}

const struct cmd cmd_open = {
    .name = "open",
    .usage = "IN.kymo [--viewer DIR | --report | --tracy] [--print] [--elf IMAGE]",
    .summary = "Shows a capture file in Perfetto, in Tracy, or as a report",
    .text =
        "Without an option: the trace goes to " PERFETTO " in your browser. It is handed over on\n"
        "this machine, by 127.0.0.1:9001, to that page alone; hostlink ends when the page has it.\n"
        "Nothing is sent anywhere. Without a screen the address is only printed.\n",
    .options = option_table,
    .settings_size = sizeof(struct settings),
    .needs = "input file (IN.kymo)",
    .operand = OPTION_AT(path),
    .check = check,
    .run = run,
};
