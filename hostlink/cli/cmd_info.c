/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

#include "base/human.h"
#include "base/say.h"
#include "cli/cmd_input.h"
#include "cli/convert.h"
#include "cli/summary.h"
#include "kymo/wire.h"
#include "sink/large_files.h"
#include "sink/zonestats.h"

struct settings {
    struct cmd_input input;
};

static const struct option_spec option_table[] = {
    ELF_NAMES_SPEC(elf_images_add, OPTION_AT(input.elf.images)),
    CMD_INPUT_OPERAND,
};

/* Large things that are listed. */
#define LARGES_MAX 256u

/* Facts from the events, beyond the totals. */
struct facts {
    int64_t epoch_ns;
    struct host_fit fit;
    const struct track **tracks; /* by id - 1 */
    uint32_t track_count;
    struct zonestats *zones;
    struct large large[LARGES_MAX]; /* the first ones */
    uint32_t larges;
};

static const char *kind_name(uint8_t kind) {
    static const char *const names[] = {[KYMO_CONTEXT_MAIN] = "core",
                                        [KYMO_CONTEXT_INTERRUPT] = "interrupt",
                                        [KYMO_CONTEXT_TASK] = "task",
                                        [KYMO_CONTEXT_FIBER] = "fiber",
                                        [KYMO_CONTEXT_IDLE] = "idle task"};
    return kind < sizeof names / sizeof names[0] ? names[kind] : "track";
}

static void print_date(int64_t unix_ns) {
    char text[64];
    struct tm when;
    time_t seconds = (time_t)(unix_ns / 1000000000);
    if (unix_ns <= 0 || !gmtime_r(&seconds, &when) ||
        strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", &when) == 0) {
        printf("captured    at an unknown time: no host clock in it\n");
    } else {
        printf("captured    %s\n", text);
    }
}

static void print_clock(const struct pipeline_totals *totals) {
    if (totals->clock_hz == 0) {
        printf("clock       unknown rate: times are ticks taken for nanoseconds\n");
        return;
    }
    printf("clock       %" PRIu64 " Hz", totals->clock_hz);
    if (totals->clock_measured_hz > 0) {
        printf(", about %" PRIu64 " Hz by the host's clock", totals->clock_measured_hz);
    }
    printf("\n");
    if (totals->clock_changes > 0 || totals->unknown_clocks > 0) {
        printf("            %" PRIu64 " changes of rate or sleeps, %" PRIu64
               " of clocks that this hostlink does not know\n",
               totals->clock_changes, totals->unknown_clocks);
    }
}

static void print_stream(const struct replay *replay, const struct pipeline_totals *totals) {
    char bytes[HUMAN_SIZE], junk[HUMAN_SIZE], packets[HUMAN_COUNT_SIZE];
    double per_event =
        totals->delivered > 0 ? (double)totals->event_bytes / (double)totals->delivered : 0.0;
    printf("stream      %s, %s, %" PRIu64 " damaged, %s outside of packets\n",
           human_number(bytes, (double)replay->bytes, "B"),
           human_count(packets, totals->packets, "packet", "packets"), totals->bad_packets,
           human_number(junk, (double)totals->junk_bytes, "B"));
    printf("            %.2f bytes per event, framing included, names and status not\n", per_event);
}

static void print_span(const struct pipeline_totals *totals) {
    char text[HUMAN_SIZE];
    uint64_t span_ns =
        totals->last_ns > totals->first_ns ? (uint64_t)(totals->last_ns - totals->first_ns) : 0;
    printf(
        "time span   %s%s\n", human_time(text, span_ns),
        totals->final
            ? ", complete: the board has finished"
            : ", no final status: the capture was cut, or the board ended without kymo_finish()");
}

/* Prints the error of the board's times against the host's, where several captures are shown together. */
static void print_bound(struct host_fit *fit) {
    char text[HUMAN_SIZE];
    bool pinged = false;
    if (!fit->known || host_fit_settle(fit) != 0) {
        return;
    }
    human_time(text, (uint64_t)host_fit_bound(fit, &pinged));
    printf("            within %s of the host's clock%s\n", text,
           pinged ? ", by pings" : " if the line takes no longer: no pings in it");
}

static void print_totals(const struct replay *replay, const struct pipeline_totals *totals,
                         struct facts *facts) {
    print_clock(totals);
    print_bound(&facts->fit);
    print_span(totals);
    print_stream(replay, totals);
    printf("sessions    %" PRIu32 "\nlanes       %" PRIu32 "\n", totals->sessions, totals->lanes);
    printf("sites       %" PRIu32 " with names, %" PRIu32 " used without\n", totals->sites,
           totals->unknown_sites);
    printf("lost        %" PRIu64 " in the ring, %" PRIu64 " on the way", totals->lost_ring,
           totals->lost_link);
    if (totals->lost_before > 0) {
        printf(" (%" PRIu64 " before the capture began)", totals->lost_before);
    }
    printf("\nrepairs     %" PRIu64 "\n", totals->repairs);
}

static void print_number(const struct board_info *info, enum kymo_info type, const char *what) {
    if (info->has[type]) {
        printf("            %s %" PRIu32 "\n", what, info->number[type][0]);
    }
}

static void print_rings(const struct board_info *info, uint32_t lanes) {
    char most[HUMAN_SIZE], all[HUMAN_SIZE];
    const uint32_t ring_bytes = info->number[KYMO_INFO_RING_BYTES][0];
    for (uint32_t i = 0; i < lanes && i < BOARD_INFO_LANES && ring_bytes != 0; i++) {
        printf("            ring of lane %" PRIu32 ": at most %s of %s in use\n", i,
               human_number(most, (double)info->most_bytes[i], "B"),
               human_number(all, (double)ring_bytes, "B"));
    }
}

/* Clocks of cores with counters of their own. */
static void print_core_clocks(const struct pipeline_totals *totals) {
    const struct board_info *info = &totals->info;
    for (uint32_t i = 0; i < BOARD_INFO_LANES; i++) {
        const uint32_t error = info->core_clock_error[i];
        char most[HUMAN_SIZE];
        if (info->core_clock_times[i] == 0) {
            if (info->core_clock_asked[i]) {
                printf("            clock of lane %" PRIu32 ": never set, lane 0 did not answer\n",
                       i);
            }
            continue;
        }
        printf("            clock of lane %" PRIu32 ": set by lane 0's, %" PRIu32
               " times; error %s%" PRIu32 " ticks",
               i, info->core_clock_times[i], error == UINT32_MAX ? "at least " : "up to ", error);
        if (totals->clock_hz != 0) {
            human_time(most, (uint64_t)board_info_clock_ns(info, i, totals->clock_hz));
            printf(", since the first time %s", most);
        }
        printf("\n");
    }
}

/* Facts that the board reported. */
static void print_board(const struct pipeline_totals *totals) {
    const struct board_info *info = &totals->info;
    if (!info->has[KYMO_INFO_RUNTIME]) {
        return;
    }
    printf("board       kymo %s, %s\n", info->text[KYMO_INFO_RUNTIME],
           info->has[KYMO_INFO_ARCH] ? info->text[KYMO_INFO_ARCH] : "unknown core");
    print_rings(info, totals->lanes);
    print_core_clocks(totals);
    print_number(info, KYMO_INFO_PACKET_BYTES, "KYMO_PACKET_BYTES");
    print_number(info, KYMO_INFO_PAYLOAD_WORDS, "KYMO_PAYLOAD_WORDS");
    print_number(info, KYMO_INFO_DRAIN, "KYMO_DRAIN_INSTRUCTIONS");
    print_number(info, KYMO_INFO_LATENCY_MS, "KYMO_LATENCY_MS");
    print_number(info, KYMO_INFO_CHECK, "KYMO_CHECK");
    print_number(info, KYMO_INFO_CONTEXTS, "KYMO_CONTEXTS");
    print_number(info, KYMO_INFO_KEEPS_NEWEST, "KYMO_KEEP_NEWEST");
    if (info->has[KYMO_INFO_DYNAMIC_SITES]) {
        const uint32_t *number = info->number[KYMO_INFO_DYNAMIC_SITES];
        printf("            KYMO_DYNAMIC_SITES %" PRIu32 ": %" PRIu32 " made, %" PRIu32
               " calls found no room\n",
               number[0], number[1], number[2]);
    }
    if (info->unknown > 0) {
        printf("            %" PRIu64 " facts that this hostlink does not know\n", info->unknown);
    }
}

static int add_track(struct facts *facts, const struct track *track) {
    if (track->id <= facts->track_count) {
        return 0; /* its name became known */
    }
    const struct track **grown = realloc(facts->tracks, track->id * sizeof *facts->tracks);
    if (!grown) {
        return -ENOMEM;
    }
    facts->tracks = grown;
    while (facts->track_count < track->id) {
        grown[facts->track_count++] = NULL;
    }
    grown[track->id - 1] = track;
    return 0;
}

static int on_event(void *context, const struct event *event) {
    struct facts *facts = context;
    if (event->kind == EVENT_SESSION && facts->epoch_ns == 0) {
        facts->epoch_ns = event->u.session.epoch_ns;
    }
    int error = zonestats_event(facts->zones, event);
    return error || event->kind != EVENT_TRACK ? error : add_track(facts, event->track);
}

static int on_host(void *context, const struct host_mark *mark) {
    return host_fit_take(&((struct facts *)context)->fit, mark);
}

static void on_large(void *context, const struct large *large) {
    struct facts *facts = context;
    if (facts->larges < LARGES_MAX) {
        facts->large[facts->larges++] = *large;
    }
}

static void print_larges(const struct facts *facts, const struct pipeline_totals *totals) {
    const uint64_t all = totals->large_whole + totals->large_cut + totals->large_cancelled;
    if (all == 0) {
        return;
    }
    printf("large       %" PRIu64 " whole, %" PRIu64 " not whole, %" PRIu64 " cancelled\n",
           totals->large_whole, totals->large_cut, totals->large_cancelled);
    for (uint32_t i = 0; i < facts->larges; i++) {
        printf("            ");
        large_print(stdout, &facts->large[i]);
    }
    if (all > facts->larges) {
        printf("            and %" PRIu64 " more\n", all - facts->larges);
    }
}

static void print_devices(const struct device_totals *devices) {
    if (devices->blocks != 0) {
        char error[HUMAN_SIZE];
        human_time(error, (uint64_t)devices->bound_ns);
        printf("devices     %" PRIu32 " blocks, %" PRIu64 " records, %" PRIu64 " lost, %" PRIu64
               " refused; clock error up to %s\n",
               devices->blocks, devices->records, devices->lost, devices->refused, error);
    }
}

static void print_tracks(const struct facts *facts) {
    printf("tracks      %" PRIu32 "\n", facts->track_count);
    for (uint32_t i = 0; i < facts->track_count; i++) {
        const struct track *track = facts->tracks[i];
        if (track && track->device) {
            printf("            %s of %s (device, session %" PRIu32 ")\n", track->name,
                   track->device->name, track->session);
        } else if (track) {
            printf("            %s (%s, lane %" PRIu32 ", session %" PRIu32 ")\n", track->name,
                   kind_name(track->kind), track->core, track->session);
        }
    }
}

static enum exit_code print(const struct replay *replay, const struct conversion *conversion,
                            struct facts *facts) {
    const char *image = pipeline_image(conversion->pipeline);
    printf("%s        %s\n", replay->is_view ? "name" : "file", replay->name);
    printf("image       %s\n", *image ? image : "unknown");
    print_date(facts->epoch_ns);
    print_board(&conversion->totals);
    print_totals(replay, &conversion->totals, facts);
    print_larges(facts, &conversion->totals);
    print_devices(&conversion->totals.devices);
    print_tracks(facts);
    zonestats_repairs(facts->zones, stdout);
    printf("\n");
    summary_faults(&conversion->totals, stdout);
    summary_events(&conversion->totals, stdout);
    return cmd_end_stdout();
}

static enum exit_code inform(struct cmd_input *input, struct replay *replay) {
    static struct facts facts; /* too large for the stack */
    facts = (struct facts){.zones = zonestats_new()};
    struct conversion conversion;
    if (!facts.zones) {
        say(SAY_NO_MEMORY);
        return EXIT_OUTPUT;
    }
    const struct consumer consumer = {.state = &facts, .event = on_event};
    const struct receivers receivers = {.image = elf_names_image(&input->elf),
                                        .consumer = &consumer,
                                        .host = on_host,
                                        .large = on_large,
                                        .large_context = &facts};
    int error = conversion_run(&conversion, replay, NULL, &receivers);
    enum exit_code code = error ? EXIT_OUTPUT : cmd_check_data(replay, &conversion.totals);
    if (code == EXIT_OK) {
        code = print(replay, &conversion, &facts);
    }
    conversion_free(&conversion);
    free(facts.tracks);
    host_fit_free(&facts.fit);
    zonestats_free(facts.zones);
    return code;
}

/* Prints several boards one by one. */
static enum exit_code inform_all(struct cmd_input *input) {
    const struct replay *file = &input->replay;
    if (!file->boards) {
        return inform(input, &input->replay);
    }
    enum exit_code code = EXIT_NO_DATA;
    printf("file        %s\nboards      %" PRIu32 "\n", file->name, file->board_count);
    for (uint32_t i = 0; i < file->board_count; i++) {
        struct replay board;
        replay_view(&board, file, i);
        printf("\n");
        const enum exit_code one = inform(input, &board);
        code = one == EXIT_OUTPUT || code == EXIT_NO_DATA ? one : code;
    }
    return code;
}

static enum exit_code run(void *state) {
    struct settings *settings = state;
    enum exit_code code = cmd_input_open(&settings->input);
    if (code == EXIT_OK) {
        code = inform_all(&settings->input);
        cmd_input_close(&settings->input);
    }
    return code;
}

const struct cmd cmd_info = {
    .name = "info",
    .usage = "IN.kymo [--elf IMAGE]",
    .summary = "Describes a capture file",
    .text = "'-' as IN is standard input.\n",
    .options = option_table,
    .settings_size = sizeof(struct settings),
    .needs = "input file (IN.kymo)",
    .operand = OPTION_AT(input.path),
    .run = run,
};
