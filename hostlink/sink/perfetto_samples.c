/* SPDX-License-Identifier: MIT */
#include "sink/perfetto_samples.h"

#include <errno.h>

#include "sink/perfetto_stacks.h"

/* Numbers of protos/perfetto/trace/profiling/profile_packet.proto, PerfSample, as of Perfetto v55. */
enum {
    SAMPLE_CPU = 1,
    SAMPLE_PID = 2,
    SAMPLE_TID = 3,
    SAMPLE_CALLSTACK_IID = 4,
    SAMPLE_CPU_MODE = 5,
    SAMPLE_TIMEBASE_COUNT = 6
};
/* Profiling.CpuMode */
enum { MODE_USER = 2 };

#define NS_A_SECOND 1000000000u

static int write_missed(struct perfetto_writer *writer, const struct perfetto_track *track,
                        const struct event *event) {
    perfetto_event_begin(writer, track->row, PERFETTO_INSTANT, event->time_ns);
    perfetto_name_constant(writer, "samples missed");
    perfetto_category(writer, "sample");
    perfetto_note_number(writer, "missed", event->u.sample.missed);
    return perfetto_event_end(writer);
}

/* An interrupt is no thread: its samples are those of the core's main code, with its functions. */
int perfetto_sample(struct perfetto_rows *rows, const struct perfetto_track *track,
                    const struct event *event) {
    struct perfetto_writer *writer = &rows->writer;
    const struct track *source = event->track;
    const struct perfetto_line *core = perfetto_core(rows, source->session, source->core);
    const uint64_t period_ns = event->u.sample.period_ns;
    const int error = event->u.sample.missed != 0 ? write_missed(writer, track, event) : 0;
    if (core == NULL || error != 0) {
        return core == NULL ? -ENOMEM : error;
    }
    if (rows->samples.sample_hz == 0) {
        rows->samples.sample_hz = period_ns != 0 ? NS_A_SECOND / period_ns : 1;
    }
    rows->sample_count += 1 + event->u.sample.missed;
    perfetto_sample_begin(writer, &rows->samples, event->time_ns);
    protobuf_varint(&writer->event, SAMPLE_CPU, source->core);
    protobuf_varint(&writer->event, SAMPLE_PID, perfetto_pid(rows, source->session));
    protobuf_varint(&writer->event, SAMPLE_TID, track->tid != 0 ? track->tid : core->id);
    if (event->stack != NULL && event->stack->count != 0) {
        protobuf_varint(&writer->event, SAMPLE_CALLSTACK_IID,
                        perfetto_sampled_stack(writer, event->stack));
    }
    protobuf_varint(&writer->event, SAMPLE_CPU_MODE, MODE_USER);
    protobuf_varint(&writer->event, SAMPLE_TIMEBASE_COUNT, rows->sample_count);
    return perfetto_sample_end(writer);
}
