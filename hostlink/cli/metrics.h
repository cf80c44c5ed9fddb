/* SPDX-License-Identifier: MIT */
/* The figures of a capture so far, served by HTTP to Prometheus while it runs: GET /metrics. */
#ifndef HOSTLINK_METRICS_H
#define HOSTLINK_METRICS_H

#include "base/options.h"
#include "cli/openmetrics.h"
#include "model/viewer.h"
#include "sink/measures.h"
#include "trace/pipeline.h"

#define METRICS_CLIENTS 4u
#define METRICS_REQUEST_BYTES 4096u

struct metrics_client {
    int fd; /* -1: none */
    char request[METRICS_REQUEST_BYTES];
    size_t got;
    char *answer; /* NULL: the request is not complete */
    size_t length, sent;
    uint64_t since_ns; /* it has connected, or took something of the answer */
};

struct metrics {
    /* Set by the options: port 0 is off. */
    char address[64];
    uint16_t port;

    struct viewer viewer;
    struct measures measures;
    const struct pipeline_totals *totals; /* set by the capture before the first step */
    struct openmetrics_images images;
    bool is_open;
    int listener;
    struct metrics_client clients[METRICS_CLIENTS];
};

#define METRICS_SPEC(metrics)                                                                      \
    {                                                                                              \
        "metrics", 0, "WHERE",                                                                     \
            "[ADDR:]PORT where Prometheus reads the measurements, by\nHTTP at /metrics, for "      \
            "example 9464",                                                                        \
            metrics_where, metrics                                                                 \
    }

/* Takes the current option's value. 0 or, with a message, OPTIONS_WRONG. */
int metrics_where(void *metrics, const struct options *options);
/* Listens, if that is wanted. False, with a message, if it cannot. */
bool metrics_open(struct metrics *metrics);
/* A source that is not open stays closed. */
void metrics_close(struct metrics *metrics);

#endif
