/* SPDX-License-Identifier: MIT */
/* The open zones of the tracks. Begins and ends are matched; zones and ends that the firmware or a loss left
 * unmatched are closed or left out, marked with the reason and counted.
 *
 * An end does not say which zone it ends: it ends the innermost one of its track. So a zone without an end takes the
 * end of the zone around it, and that one stays open. This shows when the outer zone begins again inside itself,
 * again and again, and never ends: a recursive zone ends at some time. A pass that follows the events, and lost none,
 * keeps this finding at the site. The next pass with these names closes the outer zone at the end that was taken,
 * which is its true end, and marks the inner one. A live session is such a pass for its own capture; the first pass
 * over a file reads only names. A zone that is open when its interrupt returns is closed there.
 *
 * The end of a function says which function ends: zones that began inside it and have not ended were left. */
#ifndef HOSTLINK_ZONES_H
#define HOSTLINK_ZONES_H

#include "model/event.h"
#include "model/names.h"
#include "model/tracks.h"

/* All zero, except "send" and "context", is the start. */
struct zones {
    int (*send)(void *context, struct track_state *state, struct event *event);
    void *context;
    uint64_t repairs;
    uint64_t unfound;   /* ends that found no zone and are not reported yet */
    uint64_t unmatched; /* ends that may still come of zones whose begins were lost */
    bool lossy;         /* events of this session were lost, perhaps switches between contexts */
};

/* So many events were lost. */
void zones_lost(struct zones *zones, uint64_t events);
/* Another session begins; no zone is open. */
void zones_restart(struct zones *zones);

/* The calls return 0, or the value of "send". */
/* "site": the event's. */
int zones_begin(struct zones *zones, struct track_state *state, struct site *site,
                struct event *event);
int zones_end(struct zones *zones, struct track_state *state, int64_t time_ns);
/* The same of functions; "site" is the function's. */
int zones_function_begin(struct zones *zones, struct track_state *state, struct site *site,
                         struct event *event);
int zones_function_end(struct zones *zones, struct track_state *state, struct site *site,
                       int64_t time_ns, enum zone_repair why);
/* An attribute of the innermost zone. */
int zones_note(struct zones *zones, struct track_state *state, struct event *event);
/* Reports ends that were held back as they are. Call before sending on the track by another way. */
int zones_settle(struct zones *zones, struct track_state *state);
/* The same; and the firmware has recorded something that is no zone. */
int zones_other(struct zones *zones, struct track_state *state);
/* No switch was lost before the track's ends that found no zone: they are reported. */
int zones_report_unfound(struct zones *zones, struct track_state *state);
/* Closes all zones of the track. Where events were lost, ends without a zone may be another context's. */
int zones_close(struct zones *zones, struct track_state *state, int64_t time_ns,
                enum zone_repair why);
/* The track's interrupt returns: the firmware should have ended all of its zones. */
int zones_return(struct zones *zones, struct track_state *state, int64_t time_ns);
/* The track's interrupt has not returned when the session ends. */
int zones_not_left(struct zones *zones, struct track_state *state, int64_t time_ns);

#endif
