/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <string.h>

#include "base/host_clock.h"
#include "base/say.h"
#include "base/stop.h"
#include "cli/cmd_input.h"
#include "cli/doctor.h"
#include "cli/find.h"
#include "cli/live_settings.h"
#include "elf/elf.h"
#include "platform/file.h"

#define LINE_BYTES 1024u

#define LIVE offsetof(struct doctor, live)

static const struct option_spec option_table[] = {
    {"elf", 'e', "IMAGE",
     "the program that the board runs, as the linker wrote it;\nwithout SOURCE it alone is looked "
     "at",
     elf_images_add, offsetof(struct doctor, live.elf.images)},
    LIVE_SPEC_BAUD(LIVE),
    LIVE_SPEC_RTSCTS(LIVE),
    LIVE_SPEC_DTR(LIVE),
    LIVE_SPEC_RTS(LIVE),
    {"duration", 0, "S", "listen for S seconds (default: 6)", option_seconds,
     OPTION_IN(struct doctor, uint64_t, live.duration_ns)},
    LIVE_SPEC_KEY(LIVE),
    LIVE_SPEC_NO_COMMANDS(LIVE),
    {.take = cmd_set_input, .at = offsetof(struct doctor, live.source)},
};

static bool is_program(const char *path) {
    uint8_t head[20];
    const int fd = sys_open(path, SYS_READ | SYS_NO_WAIT);
    const ssize_t count = fd >= 0 ? sys_read(fd, head, sizeof head) : 0;
    struct sys_status status;
    const bool plain = fd >= 0 && sys_status(fd, &status) == 0 && status.type == SYS_REGULAR;
    if (fd >= 0) {
        (void)sys_close(fd);
    }
    return plain && count > 0 && elf_is(head, (size_t)count);
}

static bool is_recording(const char *path) {
    struct sys_status status;
    return strcmp(path, "-") == 0 ||
           (sys_status_of(path, &status) == 0 && status.type == SYS_REGULAR);
}

/* A remark on a file that can be read is not a fault. */
static void take_line(void *context, const char *line) {
    (void)snprintf(context, LINE_BYTES, "%s", line);
}

static void look_at_recording(struct doctor *doctor) {
    const struct findings to = doctor_findings(doctor);
    struct replay replay;
    char line[LINE_BYTES] = "";
    say_to(take_line, line);
    const int error = replay_open(&replay, doctor->live.source);
    say_to(NULL, NULL);
    if (line[0] != '\0') {
        findings_add(&to,
                     error == 0          ? FINDING_NOTE
                     : error == -ENODATA ? FINDING_BYTES
                                         : FINDING_PORT,
                     "%s", line);
    }
    for (uint32_t i = 0; error == 0 && i < replay.board_count; i++) {
        struct replay board;
        replay_view(&board, &replay, i);
        doctor->board = board.name;
        doctor_trace(doctor, &board);
    }
    doctor->board = NULL;
    if (error == 0) {
        if (!replay.boards) {
            doctor_trace(doctor, &replay);
        }
        replay_close(&replay);
    }
}

/* An ELF file in place of a source is one of --elf alone. */
static enum exit_code find_source(struct doctor *doctor) {
    static char path[PORT_PATH_SIZE];
    struct elf_images *images = &doctor->live.elf.images;
    if (doctor->live.source && is_program(doctor->live.source) &&
        images->given_count < ELF_IMAGES_MAX) {
        images->given[images->given_count++] = doctor->live.source;
        doctor->live.source = NULL;
    } else if (!doctor->live.source && images->given_count == 0) {
        const enum find_result found = find_only(path, sizeof path);
        doctor->live.source = path;
        return found == FIND_ONE ? EXIT_OK : found == FIND_NONE ? EXIT_SOURCE : EXIT_USAGE;
    }
    return EXIT_OK;
}

static enum exit_code run(void *state) {
    struct doctor *doctor = state;
    stop_catch();
    enum exit_code code = find_source(doctor);
    if (code != EXIT_OK) {
        return code;
    }
    doctor_image(doctor);
    if (doctor->live.source && is_recording(doctor->live.source)) {
        look_at_recording(doctor);
    } else if (doctor->live.source) {
        doctor_source(doctor);
    }
    code = doctor_print(doctor, stdout);
    if (doctor->elf_is_open) {
        elf_names_close(&doctor->live.elf);
    }
    doctor_free(doctor);
    return cmd_end_stdout() == EXIT_OK ? code : EXIT_OUTPUT;
}

const struct cmd cmd_doctor = {
    .name = "doctor",
    .usage = "[SOURCE | IN.kymo] [--elf IMAGE] [options]",
    .summary = "Says what is wrong with a port, a board, a capture or an ELF file, and the cure",
    .text =
        "Looks at what SOURCE sends for some seconds, at a capture file, or with --elf alone at\n"
        "a program. Faults come first, likely causes before their effects, then what is well.\n"
        "At a serial port it tries the usual baud rates where no packet comes. Exit status: 0\n"
        "nothing is wrong; 3 it cannot be opened; 4 no valid packet; 8 another fault.\n",
    .options = option_table,
    .settings_size = sizeof(struct doctor),
    .defaults = &(const struct doctor){.live = {.line = {.baud = LIVE_BAUD_DEFAULT},
                                                .duration_ns = 6 * NS_PER_S}},
    .run = run,
};
