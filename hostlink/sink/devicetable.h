/* SPDX-License-Identifier: MIT */
/* Rows of devices (runtime/DEVICE.md): the work of each, its losses, and the accuracy of its times. */
#ifndef HOSTLINK_DEVICETABLE_H
#define HOSTLINK_DEVICETABLE_H

#include "model/event.h"
#include "sink/table.h"

struct selection;

struct device_sum {
    const struct track *track; /* NULL: this id is not a device's */
    uint64_t zones, busy_ns, dropped, lost;
};

/* All zero but "selection" is empty; tracks live as long as the pipeline. */
struct devicetable {
    const struct selection *selection;
    struct device_sum *rows; /* by id of the track */
    uint32_t capacity;
    int64_t last_ns;
};

/* All events: it takes those that are selected. 0 or -ENOMEM. */
int devicetable_event(struct devicetable *table, const struct event *event);
int devicetable_write(const struct devicetable *table, struct table_to *to);
void devicetable_free(struct devicetable *table);

#endif
