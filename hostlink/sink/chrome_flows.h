/* SPDX-License-Identifier: MIT */
/* Flows and asynchronous zones in Chrome's JSON. */
#ifndef HOSTLINK_CHROME_FLOWS_H
#define HOSTLINK_CHROME_FLOWS_H

struct chrome;
struct event;

/* An event that carries the id of a flow. */
void chrome_flow_event(struct chrome *chrome, const struct event *event);

#endif
