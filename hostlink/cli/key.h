/* SPDX-License-Identifier: MIT */
/* The key that commands are signed with. It comes from a file or the environment, never from the command
 * line, which every user of the machine can see. */
#ifndef HOSTLINK_KEY_H
#define HOSTLINK_KEY_H

#include <stdbool.h>
#include <stdint.h>

#include "kymo/siphash.h"

#define KEY_ENVIRONMENT "KYMO_KEY"

struct key {
    uint8_t bytes[KYMO_SIPHASH_KEY_BYTES];
    bool given;
};

/* From the file "path", or with NULL from the environment, if that has one. False: an error, which was reported. */
bool key_read(struct key *key, const char *path);

#endif
