/* The fields of the board's frames other than EVENTS, in their order (runtime/WIRE.md). */
#ifndef HOSTLINK_FRAMES_H
#define HOSTLINK_FRAMES_H

#include "kymo/wire.h"
#include "trace/decode.h"
#include "trace/names.h"

/* Type with version, and sequence number, before the fields. */
#define FRAME_HEAD_BYTES 2u

/* A correct frame. */
struct wire_frame {
    const uint8_t *bytes; /* without the CRC */
    size_t length;
    uint32_t crc;
};

static inline uint8_t frame_type(const uint8_t *frame) { return frame[0] & KYMO_WIRE_TYPE_MASK; }

/* At the fields of a frame. */
static inline struct reader frame_fields(const uint8_t *frame, size_t length) {
    return (struct reader){.bytes = frame, .length = length, .at = FRAME_HEAD_BYTES};
}

struct session_frame {
    uint32_t id;
    uint64_t clock_hz, ticks;
    uint8_t flags;
    uint32_t sites;
    uint8_t pointer_bytes;
    uint32_t identity; /* with KYMO_SESSION_NAMES_IN_ELF */
    const char *image; /* not ended by NUL */
    size_t image_bytes;
    uint32_t lanes; /* the reader stands at their names, and ends behind them */
};
struct status_frame {
    uint8_t flags;
    uint64_t ticks;
    uint32_t lanes; /* the reader stands at their numbers */
};
struct pong_frame {
    uint64_t cookie, ticks;
};

/* What a frame is too short for is 0, and reader->bad is set. */
void read_session(struct reader *reader, struct session_frame *session);
void read_status(struct reader *reader, struct status_frame *status);
/* What is behind the lanes' numbers: how the firmware called the runtime wrongly, bits of enum kymo_usage. */
uint64_t read_status_usage(struct reader *reader, const struct status_frame *status);
void read_pong(struct reader *reader, struct pong_frame *pong);

/* Flags of an entry of SITES. */
enum { SITE_HAS_NAME = 1, SITE_SAME_FUNCTION = 2, SITE_SAME_FILE = 4 };

/* The next entry of SITES; "entry" holds the one before. False: there is none. */
bool read_site(struct reader *reader, struct site_entry *entry);

#endif
