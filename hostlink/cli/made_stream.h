/* SPDX-License-Identifier: MIT */
/* Common code of the commands that convert their input to a stream (dump, import): it goes to the outputs, and to a
 * capture file. */
#ifndef HOSTLINK_MADE_STREAM_H
#define HOSTLINK_MADE_STREAM_H

#include "capture/replay.h"
#include "cli/cmd.h"
#include "model/symbols.h"
#include "sink/output.h"

/* A write callback: "fd" is that of replay_make(). 0 or -errno. */
int made_stream_put(void *fd, const uint8_t *bytes, size_t length);
#define MADE_STREAM_NO_ROOM "no temporary file can be written: %s; set TMPDIR to a folder with room"

/* The outputs, and a table of zones if not "quiet". "symbols" may be NULL; *delivered: how many events there were. */
enum exit_code made_stream_convert(struct replay *replay, struct outputs *outputs,
                                   const struct symbols *symbols, bool quiet, uint64_t *delivered);
/* Writes the capture file. False, with a message, if it cannot. */
bool made_stream_keep(struct replay *replay, const char *path);

#endif
