/* SPDX-License-Identifier: MIT */
/* The session with one viewer after another: handshake, stream, queries, end. Owns the encoder
 * for them. */
#ifndef HOSTLINK_TRACY_SESSION_H
#define HOSTLINK_TRACY_SESSION_H

#include "tracy/encode.h"
#include "tracy/query.h"
#include "tracy/server.h"
#include "tracy/viewer.h"

#define TRACY_HELLO_TIMEOUT_MS 2000 /* as Tracy's client has it */
#define TRACY_PROGRAM "kymo"        /* until the board's name is known */

/* GREETED: the welcome waits for the board's session record. */
enum tracy_stage { TRACY_NOBODY, TRACY_HELLO, TRACY_GREETED, TRACY_STREAM };

/* All zero but "viewer.fd" (-1), "viewer.limit" and "answers" is the start. */
struct tracy_session {
    const struct tracy_server_options *options;
    struct tracy_server_totals totals;
    enum tracy_stage stage;
    bool ending;      /* the end was sent */
    bool content;     /* the viewer has confirmed that it has all */
    uint64_t unsaid;  /* refused connections without a line */
    int64_t since_ms; /* the last sign of life */
    int64_t sent_ms;
    struct tracy_proto proto;
    struct tracy_viewer viewer;
    struct tracy_answers answers;
    struct tracy_encode encode;
};

/* Milliseconds of a clock that does not jump. */
int64_t tracy_now_ms(void);

/* A new connection. */
void tracy_session_take(struct tracy_session *session, int fd, const char *name, int64_t now_ms);
/* Reports how many connections were refused without a line of their own. */
void tracy_session_say_refused(struct tracy_session *session);
/* Does all that can be done now. 0, or an error of our own. */
int tracy_session_step(struct tracy_session *session, int64_t now_ms);
/* A viewer that waits for its welcome gets it now: the session's record has come, or none will.
 * 0, or an error of our own. */
int tracy_session_welcome(struct tracy_session *session, int64_t now_ms);
/* The end of the trace goes out; to be followed by steps. 0, or an error of our own. */
int tracy_session_end(struct tracy_session *session, int64_t now_ms);
/* An error of the viewer drops it and becomes 0; our own errors are returned. */
int tracy_session_error(struct tracy_session *session, int error);
/* Drops the viewer and reports why. */
void tracy_session_drop(struct tracy_session *session, const char *why);
/* The name to show for the program. */
const char *tracy_session_program(const struct tracy_session *session);

#endif
