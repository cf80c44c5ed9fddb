/* SPDX-License-Identifier: MIT */
#include "cli/live.h"

#include <errno.h>
#include <string.h>

#include "base/host_clock.h"
#include "base/say.h"
#include "base/stop.h"
#include "cli/convert.h"
#include "cli/silence.h"
#include "cli/summary.h"
#include "platform/poll.h"
#include "wire/command.h"
#include "wire/compose.h"
#include "wire/unpack.h"

#define PIECE_BYTES 65536u
#define TURN_MS 100
/* A board sends nothing after its final status; bytes on the way arrive within this time. */
#define FINAL_SILENCE_NS (200 * NS_PER_MS)
#define FINAL_LIMIT_NS (NS_PER_S)
/* At any setting of the board, so many bytes hold several packets. */
#define HINT_BYTES 4096u
#define HINT_NS (5 * NS_PER_S)
#define PACKET_SIZE 128u
/* One line that a board printed, with the board's name. */
#define CONSOLE_BYTES 4352u
/* A board that was silent for so long has nothing to send that is older than its last packet. */
#define QUIET_NS (300 * NS_PER_MS)
/* A USB device needs about a second to come back. */
#define RETRY_EVERY_NS (200 * NS_PER_MS)
#define OBSTACLE_NS (3 * NS_PER_S)
#define CHILD_END_MS 500u

static int on_event(void *context, const struct event *event) {
    struct live *live = context;
    if (event->kind == EVENT_SESSION) {
        dialogue_restart(&live->dialogue);
    }
    for (size_t i = 0; i < live->viewer_count; i++) {
        const struct consumer *consumer = &live->viewers[i]->consumer;
        int error = consumer->event(consumer->state, event);
        if (error) {
            say("%s: %s; the capture goes on without it", consumer->name, strerror(-error));
            live->viewers[i--] = live->viewers[--live->viewer_count];
        }
    }
    return 0;
}

static int on_large(void *context, const struct large *large, const uint8_t *bytes, size_t length) {
    const struct live *live = context;
    for (size_t i = 0; i < live->viewer_count; i++) {
        const struct consumer *consumer = &live->viewers[i]->consumer;
        if (consumer->large) {
            (void)consumer->large(consumer->state, large, bytes, length); /* shows at its step */
        }
    }
    return 0;
}

static void on_console(void *context, const char *text, size_t length) {
    const struct live *live = context;
    if (live->board) {
        char line[CONSOLE_BYTES];
        const int count = snprintf(line, sizeof line, "%s: %.*s", live->board, (int)length, text);
        say_board(live->board_out, line, strnlen(line, count < 0 ? 0 : (size_t)count));
        return;
    }
    say_board(live->board_out, text, length);
}

static void on_pong(void *context, uint64_t cookie, uint64_t board_ticks) {
    struct live *live = context;
    (void)board_ticks;
    live->answered = true;
    dialogue_pong(&live->dialogue, cookie, live->now_ns);
}

static void on_param(void *context, uint32_t index, const char *name, int32_t value,
                     int32_t minimum, int32_t maximum) {
    struct live *live = context;
    dialogue_param(&live->dialogue, index, name, value, minimum, maximum);
    for (size_t i = 0; i < live->viewer_count; i++) {
        struct viewer *viewer = live->viewers[i];
        if (viewer->param) {
            (void)viewer->param(viewer->consumer.state, index, name, value,
                                minimum == 0 && maximum == 1); /* an error shows at its step */
        }
    }
}

/* Prints a line about the guard once, and greets a board that begins to obey. */
static void on_guard(void *context, uint64_t refused, uint64_t accepted, const uint8_t *challenge) {
    struct live *live = context;
    enum guard_state before = live->guard.state;
    guard_answered(&live->guard, refused, accepted, challenge, live->now_ns);
    enum guard_state state = live->guard.state;
    const char *text = live->commands ? guard_text(state) : NULL;
    if (text && (live->guard_said & 1u << state) == 0) {
        say("%s", text);
        live->guard_said |= 1u << state;
    }
    if (state == GUARD_SIGNING && before != GUARD_SIGNING) {
        live->dialogue.started = false;
    }
}

/* Bytes that the line does not take now are sent again later. Reading finds a dead line. After a ping that was answered
 * nothing is left to be ended: the zero before the next one would only come between its time and the board's. */
static void send_command(struct live *live, const uint8_t *command, size_t length, bool ended) {
    uint8_t bytes[PACKET_SIZE];
    size_t count = guard_line(&live->guard, bytes, sizeof bytes, command, length, live->now_ns);
    if (count > 0) {
        (void)source_write(live->source, bytes + ended, count - ended);
    }
}

/* It goes with the next turn. */
static void set_param(void *board, uint32_t index, int32_t value) {
    struct live *live = board;
    (void)params_ask(&live->dialogue.params, index, value);
}

static bool wants_params(const struct live *live) {
    for (size_t i = 0; i < live->viewer_count; i++) {
        const struct viewer *viewer = live->viewers[i];
        if (viewer->wants_param && viewer->wants_param(viewer->consumer.state)) {
            return true;
        }
    }
    return false;
}

static void on_notice(void *context, const char *text) {
    (void)context;
    say("%s", text);
}

static void keep(struct live *live, const uint8_t *bytes, size_t length) {
    struct capture *capture = live->capture;
    bool good = capture && !capture->error;
    if (capture && live->board) {
        uint8_t head[BOARD_PACKET_BYTES];
        (void)capture_write(capture, head,
                            packet_board(head, sizeof head, live->number, length, live->board));
    }
    if (capture && capture_write(capture, bytes, length) != 0 && good) {
        capture_say_error(capture);
    }
}

/* The image's names as if the board had sent them, so that the capture needs no ELF file; once in
 * a session. A zero byte before them, as a piece of a packet may be there. */
static void keep_names(struct live *live) {
    static struct compose packet;
    static uint8_t framed[UNPACK_CHUNK_BYTES];
    const struct names_from_elf *from_elf = pipeline_names_from_elf(live->pipeline);
    if (!from_elf->is_lent || from_elf->number == live->elf_names_kept) {
        return;
    }
    live->elf_names_kept = from_elf->number;
    keep(live, &(const uint8_t){0}, 1);
    if (live->in_piece) { /* these symbols of nothing tell that the piece is no damage */
        compose_begin(&packet, KYMO_PACKET_SYMBOLS, 0);
        keep(live, framed, packet_encode(framed, sizeof framed, packet.bytes, packet.at));
    }
    for (uint32_t next = 0; next < live->image->sites.count;) {
        compose_sites(&packet, 0, &live->image->sites, &next);
        keep(live, framed, packet_encode(framed, sizeof framed, packet.bytes, packet.at));
    }
}

/* Written to the file first, so that everything shown is also saved. */
static void pass_on(struct live *live, const uint8_t *bytes, size_t length) {
    keep(live, bytes, length);
    live->in_piece = length > 0 ? bytes[length - 1] != 0 : live->in_piece;
    pipeline_feed(live->pipeline, bytes, length);
}

static void write_stamp(struct live *live, uint64_t ns) {
    uint8_t packet[PACKET_SIZE];
    const uint64_t unix_ns = host_unix_ns() - (live->now_ns - ns);
    pass_on(live, packet, packet_host_clock(packet, sizeof packet, ns, unix_ns));
}

/* An answer has come: the board's time on the host's clock is known as well as the line allows. The board read its
 * clock before the first byte of it left. */
static void stamp_answer(struct live *live) {
    if (live->answered && !live->in_piece) {
        live->answered = false;
        write_stamp(live, live->packet_ns);
    }
}

static void take_part(struct live *live, const uint8_t *bytes, size_t length) {
    const size_t place = stamp_place(&live->stamp, bytes, length, live->now_ns);
    if (place == STAMP_NOT_HERE) {
        pass_on(live, bytes, length);
        stamp_answer(live);
        return;
    }
    pass_on(live, bytes, place);
    stamp_answer(live);
    write_stamp(live, live->now_ns);
    if (pipeline_names_from_elf(live->pipeline)->names_in_elf) {
        keep_names(live);
    }
    pass_on(live, bytes + place, length - place);
    stamp_answer(live);
}

/* While an answer is awaited, packet by packet: so it is known when the first byte of each came. */
static void take(struct live *live, const uint8_t *bytes, size_t length) {
    if (!live->source->live) {
        pass_on(live, bytes, length);
        return;
    }
    while (length > 0) {
        const bool apart = dialogue_awaits(&live->dialogue);
        const uint8_t *zero = apart ? memchr(bytes, 0, length) : NULL;
        const size_t part = zero != NULL ? (size_t)(zero - bytes) + 1 : length;
        live->packet_ns = apart && live->in_piece ? live->packet_ns : live->now_ns;
        take_part(live, bytes, part);
        bytes += part;
        length -= part;
    }
}

/* A recording that is fed through a pipe: its bytes came at another time than now. */
static bool is_recording(const uint8_t *bytes, size_t length) {
    return length >= CAPTURE_MAGIC_BYTES && memcmp(bytes, capture_magic, CAPTURE_MAGIC_BYTES) == 0;
}

static void begin(struct live *live, const uint8_t **bytes, size_t *length) {
    if (!live->begun && is_recording(*bytes, *length)) {
        *bytes += CAPTURE_MAGIC_BYTES;
        *length -= CAPTURE_MAGIC_BYTES;
        live->source->live = false;
    }
    live->begun = true;
}

static bool is_worth_waiting(const struct live *live) {
    enum source_return returns = live->source->returns;
    return live->wait == LIVE_WAIT_ALWAYS      ? returns != SOURCE_STAYS_AWAY
           : live->wait == LIVE_WAIT_UNPLUGGED ? returns == SOURCE_RETURNS
                                               : false;
}

/* Lines about one of several boards have its name before them. */
static const char *subject(const struct live *live) {
    return live->board ? "the source" : live->source->name;
}

/* The last packet may be incomplete: a zero byte separates it from the next one. */
static void leave(struct live *live) {
    const uint8_t zero = 0;
    say("%s is gone: waiting for it to come back; Ctrl-C ends the capture", subject(live));
    live->was_there = true;
    source_close(live->source);
    take(live, &zero, 1);
    live->away = true;
    live->obstacle_said = false;
    live->away_ns = live->now_ns;
    live->retry_ns = live->now_ns + RETRY_EVERY_NS;
}

/* Reports a device that exists but cannot be opened. Just after it was plugged in, this is normal for a moment. */
static void say_obstacle(struct live *live, int error) {
    bool obstacle = error == -EACCES || error == -EBUSY;
    if (obstacle && !live->obstacle_said && live->now_ns - live->away_ns >= OBSTACLE_NS) {
        say("%s: %s", subject(live), live->source->why);
        live->obstacle_said = true;
    }
}

/* It may have been reset, or have forgotten the host: it is greeted like a new board. */
static void look_for_return(struct live *live) {
    const struct source *source = live->source;
    if (live->now_ns < live->retry_ns) {
        return;
    }
    int error = source_reopen(live->source);
    live->now_ns = host_monotonic_ns();
    live->retry_ns = live->now_ns + RETRY_EVERY_NS;
    if (error) {
        say_obstacle(live, error);
        return;
    }
    const char *path = source->serial ? source->port.path : "";
    bool renamed = path[0] != '\0' && strcmp(path, source->name) != 0;
    say("%s is %s%s%s", subject(live), live->was_there ? "back" : "there", renamed ? ": " : "",
        renamed ? path : "");
    live->away = false;
    live->last_bytes_ns = live->now_ns;
    live->dialogue.started = false;
    live->guard = (struct guard){.key = live->key};
}

/* Its connections close before it has ended. */
static bool ends_soon(struct child *child) {
    for (unsigned i = 0; i < CHILD_END_MS && !child_has_ended(child); i++) {
        sys_sleep_ms(1);
    }
    return child_has_ended(child);
}

/* An emulator goes when its board has finished: that is no failure. */
static void end_of_source(struct live *live, int error) {
    pipeline_totals(live->pipeline, &live->totals);
    bool final = live->totals.final && live->source->live;
    if (is_worth_waiting(live) && (!final || live->keep)) {
        leave(live);
        return;
    }
    /* The end of a command may cut its connection. */
    const bool expected = live->child && ends_soon(live->child);
    live->error = expected ? 0 : error;
    live->end = final      ? LIVE_FINAL
                : expected ? LIVE_COMMAND_ENDED
                : error    ? LIVE_SOURCE_FAILED
                           : LIVE_END_OF_DATA;
}

static void read_source(struct live *live) {
    static uint8_t piece[PIECE_BYTES];
    const uint8_t *bytes = piece;
    ssize_t count = source_read(live->source, piece, sizeof piece);
    live->now_ns = host_monotonic_ns();
    if (count > 0) {
        size_t length = (size_t)count;
        live->last_bytes_ns = live->now_ns;
        begin(live, &bytes, &length);
        take(live, bytes, length);
    } else if (count != -EAGAIN) {
        end_of_source(live, (int)count);
    }
}

static void talk(struct live *live) {
    uint8_t command[PACKET_SIZE];
    struct dialogue_view view = {
        .packets = live->totals.packets,
        .sessions = live->totals.sessions,
        .wants_names = pipeline_wants_names(live->pipeline),
        .wants_params = wants_params(live),
    };
    /* A ping carries its time: right before it leaves. */
    const bool ended = live->dialogue.ended;
    const uint64_t now_ns = host_monotonic_ns();
    size_t length = dialogue_next(&live->dialogue, &view, now_ns, command, sizeof command);
    send_command(live, command, length, ended);
}

static bool bytes_wait(const struct live *live) {
    struct sys_poll source = {.fd = live->source->fd, .events = SYS_POLL_IN};
    return sys_poll(&source, 1, 0) > 0 && (source.revents & SYS_POLL_IN) != 0;
}

/* Bytes that have arrived are read first, however late this program is. */
static bool is_final(struct live *live) {
    if (!live->totals.final || live->keep || !live->source->live) {
        live->final_ns = 0;
        return false;
    }
    if (live->final_ns == 0) {
        live->final_ns = live->now_ns;
    }
    bool ends = live->now_ns - live->last_bytes_ns >= FINAL_SILENCE_NS ||
                live->now_ns - live->final_ns >= FINAL_LIMIT_NS;
    return ends && !bytes_wait(live);
}

/* Its remaining output is read first. */
static bool command_has_ended(struct live *live) {
    if (!live->child || !child_has_ended(live->child)) {
        return false;
    }
    const uint64_t quiet_since_ns =
        live->last_bytes_ns > live->child->ended_ns ? live->last_bytes_ns : live->child->ended_ns;
    return live->now_ns > quiet_since_ns && live->now_ns - quiet_since_ns >= FINAL_SILENCE_NS &&
           !bytes_wait(live);
}

static void look_for_end(struct live *live) {
    if (stop_wanted()) {
        live->end = LIVE_STOPPED;
    } else if (command_has_ended(live)) {
        live->end = LIVE_COMMAND_ENDED;
    } else if (is_final(live)) {
        live->end = LIVE_FINAL;
    } else if (live->duration_ns > 0 && live->now_ns - live->start_ns >= live->duration_ns) {
        live->end = LIVE_DURATION;
    } else if (live->idle_ns > 0 && live->now_ns - live->last_bytes_ns >= live->idle_ns) {
        live->end = LIVE_IDLE;
    }
}

/* Once, if a capture begins with nothing that is of use. */
static void hint(struct live *live) {
    if (live->hinted || totals_heard_board(&live->totals)) {
        return;
    }
    if (live->totals.bytes >= HINT_BYTES) {
        live->hinted = true;
        findings_no_packet(&summary_says, &live->totals, live->totals.bytes,
                           live->source->serial ? FINDINGS_SERIAL : FINDINGS_STREAM, live->baud);
    } else if (live->totals.bytes == 0 && live->now_ns - live->start_ns >= HINT_NS) {
        live->hinted = true;
        say("nothing came so far: is the board running, and is this its port?");
    }
}

/* Given once, and early, as a viewer shows no names. A recording may contain them further on. */
static void hint_names(struct live *live) {
    if (!live->hinted_names && live->totals.names_in_elf && !live->image && live->source->live) {
        live->hinted_names = true;
        say(FINDINGS_GIVE_ELF);
    }
}

static void step_viewers(struct live *live) {
    for (size_t i = 0; i < live->viewer_count; i++) {
        const struct consumer *consumer = &live->viewers[i]->consumer;
        int error = consumer->step ? consumer->step(consumer->state) : 0;
        if (error) {
            say("%s: %s; the capture goes on without it", consumer->name, strerror(-error));
            live->viewers[i--] = live->viewers[--live->viewer_count];
        }
    }
}

uint64_t live_due_ns(const struct live *live) {
    const uint64_t due_ns = dialogue_due_ns(&live->dialogue);
    return live->commands && !live->away && live->end == LIVE_RUNNING && due_ns > live->now_ns
               ? due_ns
               : UINT64_MAX;
}

uint64_t live_watch_ns(const struct live *live) {
    return live->end == LIVE_RUNNING && !live->away ? dialogue_watch_ns(&live->dialogue) : 0;
}

/* A signal that comes just before the wait is seen after it: at most a turn late. */
int live_wait(struct sys_poll *fds, size_t count, uint64_t due_ns, uint64_t watch_ns) {
    while (host_monotonic_ns() < watch_ns) {
        const int ready = sys_poll(fds, count, 0);
        if (ready != 0) {
            return ready;
        }
    }
    const uint64_t now_ns = host_monotonic_ns(), turn_ns = TURN_MS * NS_PER_MS;
    const uint64_t left_ns = due_ns > now_ns ? due_ns - now_ns : 0;
    int ready = sys_poll(fds, count, (int)((left_ns < turn_ns ? left_ns : turn_ns) / NS_PER_MS));
    /* Waits end at whole milliseconds after bytes came, as a board's period does: not the ping. */
    while (ready == 0 && left_ns < turn_ns && host_monotonic_ns() < due_ns) {
        ready = sys_poll(fds, count, 0);
    }
    return ready;
}

/* Waits for bytes, viewers or the next turn. */
static void await(struct live *live) {
    struct sys_poll fds[1 + VIEWERS_MAX * CONSUMER_FDS] = {
        {.fd = live->source->fd, .events = SYS_POLL_IN}};
    size_t count = 1;
    for (size_t i = 0; i < live->viewer_count; i++) {
        const struct consumer *consumer = &live->viewers[i]->consumer;
        count += consumer->poll ? consumer->poll(consumer->state, fds + count) : 0;
    }
    const int ready = live_wait(fds, count, live_due_ns(live), live_watch_ns(live));
    live_take(live, ready > 0 && fds[0].revents != 0);
}

void live_take(struct live *live, bool readable) {
    live->now_ns = host_monotonic_ns();
    if (live->away) {
        look_for_return(live);
    } else if (readable) {
        read_source(live);
    }
    if (live->now_ns - live->last_bytes_ns >= QUIET_NS) {
        (void)pipeline_quiet(live->pipeline); /* on_event() never stops it */
    }
}

void live_speak(struct live *live) {
    pipeline_totals(live->pipeline, &live->totals);
    line_load_look(&live->load, &live->totals, live->now_ns);
    if (live->end == LIVE_RUNNING) {
        look_for_end(live);
    }
    if (live->commands && !live->away && live->source->two_way && live->final_ns == 0 &&
        guard_may_speak(&live->guard)) {
        talk(live);
    }
    hint(live);
    hint_names(live);
    silence_hint(live);
    status_update(&live->status, &live->totals, live->now_ns, silence_ns(live));
}

static int on_host(void *context, const struct host_mark *mark) {
    const struct live *live = context;
    return live->host(live->host_context, mark);
}

void live_begin(struct live *live) {
    const struct pipeline_callbacks callbacks = {.context = live,
                                                 .event = on_event,
                                                 .console = on_console,
                                                 .pong = on_pong,
                                                 .param = on_param,
                                                 .guard = on_guard,
                                                 .large = on_large,
                                                 .large_context = live,
                                                 .notice = on_notice,
                                                 .host = live->host ? on_host : NULL};
    live->pipeline = pipeline_new(&callbacks, NULL);
    if (!live->pipeline) {
        live->end = LIVE_NO_MEMORY;
        return;
    }
    pipeline_know(live->pipeline, live->image);
    for (size_t i = 0; i < live->viewer_count && live->commands; i++) {
        live->viewers[i]->set_param = set_param;
        live->viewers[i]->board = live;
    }
    live->guard = (struct guard){.key = live->key};
    live->status = (struct status){.quiet = live->quiet, .period_ns = status_period_ns()};
    live->start_ns = live->last_bytes_ns = live->now_ns = host_monotonic_ns();
}

void live_finish(struct live *live) {
    pipeline_end(live->pipeline);
    keep_names(live); /* after those that the board has sent, which take precedence */
    pipeline_totals(live->pipeline, &live->totals);
}

void live_run(struct live *live) {
    live_begin(live);
    if (live->end == LIVE_NO_MEMORY) {
        return;
    }
    while (live->end == LIVE_RUNNING) {
        await(live);
        step_viewers(live);
        live_speak(live);
    }
    live_finish(live);
    say_status("");
}

const char *live_end_text(const struct live *live) {
    switch (live->end) {
    case LIVE_END_OF_DATA:
        return "the stream ended";
    case LIVE_FINAL:
        return "the board has finished";
    case LIVE_DURATION:
        return "the requested duration has passed";
    case LIVE_IDLE:
        return "the board is silent";
    case LIVE_STOPPED:
        return "stopped";
    case LIVE_COMMAND_ENDED:
        return "the command has ended";
    case LIVE_SOURCE_FAILED:
        return "the source failed";
    case LIVE_NO_MEMORY:
        return "memory is short";
    case LIVE_RUNNING:
    default:
        return "running";
    }
}
