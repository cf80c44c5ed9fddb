/* SPDX-License-Identifier: MIT */
/* The zones, events and values of devices as a profile_log_device.csv, which tt-metal's profiler writes and its readers
 * take, in each of its forms: with 15 columns, as device_log_schema.py has them since 2026, with 13, as the stored
 * versions of process_device_log.py of 2025 do, and with 12, as older readers do.
 * A device is a slot, the name of a row's core its processor, "time" the ticks of its clock. timer_id numbers places by
 * name and line from 1, so that no two share one. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/intmap.h"
#include "base/keytable.h"
#include "kymo/wire.h"
#include "sink/csv_field.h"
#include "sink/outfile.h"
#include "sink/sink.h"

enum form { FORM_15, FORM_13, FORM_12 };

struct device_log {
    struct outfile *out;
    enum form form;
    bool begun;
    uint64_t board_hz, hz;  /* of the first device */
    struct keytable sites;  /* by name and line */
    struct intmap by_site;  /* the same by pointer: + 1 */
    struct keytable places; /* of cores; and how many each device has */
    uint32_t *cores, devices, most;
};

static const char *const columns[] = {
    "PCIe slot, core_x, core_y, RISC processor type, timer_id, time[cycles since reset], data, run "
    "host ID, trace id, trace id counter, zone name, type, source line, source file, meta data\n",
    "PCIe slot, core_x, core_y, RISC processor type, timer_id, time[cycles since reset], data, run "
    "host ID, zone name, type, source line, source file, meta data\n",
    "PCIe slot, core_x, core_y, RISC processor type, timer_id, time[cycles since reset], stat "
    "value, Run ID, zone name, zone phase, source line, source file\n"};

static void begin(struct device_log *log) {
    const uint64_t hz = log->hz != 0 ? log->hz : log->board_hz;
    const uint64_t mhz = (hz + 500000u) / 1000000u;
    log->begun = true;
    if (log->form != FORM_15) {
        outfile_printf(log->out, "ARCH: kymo, CHIP_FREQ[MHz]: %" PRIu64 "\n", mhz);
    } else {
        outfile_printf(log->out,
                       "ARCH: kymo, CHIP_FREQ[MHz]: %" PRIu64 ", Max Compute Cores: %" PRIu32 "\n",
                       mhz, log->most);
    }
    outfile_write(log->out, columns[log->form], strlen(columns[log->form]));
}

/* Its number from 1; 0: no memory. */
static uint32_t timer_of(struct device_log *log, const struct site *site) {
    const uint64_t pointer = (uint64_t)(uintptr_t)site;
    uint32_t number = intmap_get(&log->by_site, pointer);
    if (number == 0) {
        char key[512];
        const int length = snprintf(key, sizeof key, "%u %.200s %.200s", (unsigned)site->line,
                                    site->name, site->file);
        const int64_t added = keytable_add(&log->sites, key, (size_t)length);
        number = added < 0 || intmap_add(&log->by_site, pointer, (uint32_t)added + 1) != 0
                     ? 0
                     : (uint32_t)added + 1;
    }
    return number;
}

static int row(struct device_log *log, const struct event *event, const char *type, uint64_t data) {
    const struct device *device = event->track->device;
    const struct site *site = event->site;
    const uint32_t timer = timer_of(log, site);
    if (timer == 0) {
        return outfile_fail(log->out, -ENOMEM);
    }
    if (!log->begun) {
        begin(log);
    }
    outfile_printf(log->out, "%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",", device->number, device->x,
                   device->y);
    csv_field(log->out, device->core, strlen(device->core));
    outfile_printf(log->out, ",%" PRIu32 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "%s,", timer,
                   device->ticks, data, device->run, log->form == FORM_15 ? ",," : "");
    csv_field(log->out, site->name, strlen(site->name));
    outfile_printf(log->out, ",%s,%" PRIu32 ",", type, site->line);
    csv_field(log->out, site->file, strlen(site->file));
    return outfile_printf(log->out, log->form == FORM_12 ? "\n" : ",\n");
}

static int learn(struct device_log *log, const struct device *device) {
    const uint32_t place[3] = {device->number, device->x, device->y};
    const uint32_t known = log->places.count;
    log->hz = log->hz != 0 ? log->hz : device->hz;
    if (!grow_zeroed(&log->cores, &log->devices, device->number, sizeof *log->cores)) {
        return outfile_fail(log->out, -ENOMEM);
    }
    if (keytable_add(&log->places, place, sizeof place) < 0) {
        return outfile_fail(log->out, -ENOMEM);
    }
    uint32_t *cores = &log->cores[device->number];
    *cores += log->places.count - known;
    log->most = *cores > log->most ? *cores : log->most;
    return 0;
}

static int log_event(void *state, const struct event *event) {
    static const char *const types[][4] = {{"ZONE_START", "ZONE_END", "TS_EVENT", "TS_DATA"},
                                           {"begin", "end", "event", "data"}};
    struct device_log *log = state;
    const char *const *type = types[log->form == FORM_12];
    if (event->kind == EVENT_SESSION) {
        log->board_hz = log->board_hz != 0 ? log->board_hz : event->u.session.clock_hz;
    }
    if (event->track == NULL || event->track->device == NULL) {
        return log->out->error;
    }
    switch (event->kind) {
    case EVENT_TRACK:
        return learn(log, event->track->device);
    case EVENT_ZONE_BEGIN:
        return row(log, event, type[0], 0);
    case EVENT_ZONE_END:
        return row(log, event, type[1], 0);
    case EVENT_MESSAGE:
        return row(log, event, type[2], 0);
    case EVENT_PLOT_INT:
        return row(log, event, type[3], (uint64_t)event->u.plot.integer);
    default:
        return log->out->error;
    }
}

static int log_end(void *state) {
    struct device_log *log = state;
    if (!log->begun) {
        begin(log);
    }
    keytable_free(&log->sites);
    keytable_free(&log->places);
    free(log->cores);
    intmap_free(&log->by_site);
    return 0;
}

static int begin_13(void *state) {
    ((struct device_log *)state)->form = FORM_13;
    return 0;
}

static int begin_12(void *state) {
    ((struct device_log *)state)->form = FORM_12;
    return 0;
}

const struct sink sink_device_log = {
    .name = "device-log",
    .suffixes = "log_device.csv",
    .help = "zones of devices, as tt-metal's profile_log_device.csv",
    .size = sizeof(struct device_log),
    .event = log_event,
    .end = log_end,
};
const struct sink sink_device_log_13 = {
    .name = "device-log-13",
    .suffixes = "log_device_13.csv",
    .help = "the same with the 13 columns of readers of 2025",
    .size = sizeof(struct device_log),
    .begin = begin_13,
    .event = log_event,
    .end = log_end,
};
const struct sink sink_device_log_12 = {
    .name = "device-log-12",
    .suffixes = "log_device_12.csv",
    .help = "the same with the 12 columns of older readers",
    .size = sizeof(struct device_log),
    .begin = begin_12,
    .event = log_event,
    .end = log_end,
};
