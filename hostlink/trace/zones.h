/* The open zones of the tracks: begins and ends are matched, and what the firmware or a loss left
 * unmatched is closed or left out, marked with the reason and counted.
 *
 * An end does not say which zone it ends: it ends the innermost one of its track. So a zone without an
 * end takes the end of the zone around it, and that one stays open. This shows when the outer zone begins
 * again inside itself, again and again, and never ends: a recursive zone ends at some time. What one pass over a
 * capture learns so, if it lost nothing, is kept at the site. The next pass closes the outer zone at the end that was
 * taken, which is its true end, and marks the inner one. A zone that is open when its interrupt returns
 * is closed there. */
#ifndef HOSTLINK_ZONES_H
#define HOSTLINK_ZONES_H

#include "trace/event.h"
#include "trace/names.h"
#include "trace/tracks.h"

struct zones {
    struct names *names;
    int (*send)(void *context, struct track_state *state, struct event *event);
    void *context;
    uint64_t repairs;
    uint64_t unmatched; /* ends that may still come of zones whose begins were lost */
    bool lossy;         /* events of this session were lost, perhaps switches between contexts */
    uint32_t *open;     /* by site: zones that are open, on all tracks */
    uint32_t open_count;
};

void zones_free(struct zones *zones);
/* So many events were lost. */
void zones_lost(struct zones *zones, uint64_t events);
/* Another session begins; no zone is open. */
void zones_restart(struct zones *zones);

/* The calls return 0, or what "send" returned. */
int zones_begin(struct zones *zones, struct track_state *state, struct event *event);
int zones_end(struct zones *zones, struct track_state *state, int64_t time_ns);
/* An attribute of the innermost zone. */
int zones_note(struct zones *zones, struct track_state *state, struct event *event);
/* Ends that were held back are what they seem: goes before what is sent on the track by another way. */
int zones_settle(struct zones *zones, struct track_state *state);
/* The same; and the firmware has recorded something that is no zone. */
int zones_other(struct zones *zones, struct track_state *state);
/* Closes all zones of the track. */
int zones_close(struct zones *zones, struct track_state *state, int64_t time_ns,
                enum zone_repair why);
/* The track's interrupt returns: the firmware should have ended all of its zones. */
int zones_return(struct zones *zones, struct track_state *state, int64_t time_ns);
/* The track's interrupt has not returned when the session ends. */
int zones_not_left(struct zones *zones, struct track_state *state, int64_t time_ns);

#endif
