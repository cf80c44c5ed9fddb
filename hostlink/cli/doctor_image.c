/* SPDX-License-Identifier: MIT */
/* Findings in an ELF file. */
#include <inttypes.h>
#include <stdio.h>

#include "base/human.h"
#include "base/say.h"
#include "cli/doctor.h"
#include "elf/program.h"
#include "kymo/wire.h"

static void take_line(void *context, const char *line) {
    const struct findings *to = context;
    to->take(to->context, FINDING_IMAGE, line);
}

/* ---- sites ---- */

static const char *const site_words[][2] = {[KYMO_SITE_ZONE] = {"zone", "zones"},
                                            [KYMO_SITE_MESSAGE] = {"message", "messages"},
                                            [KYMO_SITE_PLOT] = {"plot", "plots"},
                                            [KYMO_SITE_FRAME] = {"frame", "frames"},
                                            [KYMO_SITE_POOL] = {"pool", "pools"},
                                            [KYMO_SITE_CONTEXT] = {"context", "contexts"},
                                            [KYMO_SITE_PARAM] = {"parameter", "parameters"},
                                            [KYMO_SITE_STRING] = {"text", "texts"}};
#define SITE_KINDS (sizeof site_words / sizeof *site_words)

static void say_sites(struct doctor *doctor, const struct sites *sites) {
    uint32_t counts[SITE_KINDS] = {0};
    char text[256] = "", word[HUMAN_COUNT_SIZE];
    size_t used = 0;
    for (uint32_t i = 0; i < sites_count(sites); i++) {
        struct site_entry entry;
        sites_get(sites, i, &entry);
        counts[entry.kind < SITE_KINDS ? entry.kind : KYMO_SITE_STRING]++;
    }
    for (size_t i = 0; i < SITE_KINDS && used < sizeof text; i++) {
        if (counts[i] > 0) {
            used +=
                (size_t)snprintf(text + used, sizeof text - used, "%s%s", used > 0 ? ", " : "",
                                 human_count(word, counts[i], site_words[i][0], site_words[i][1]));
        }
    }
    doctor_well(doctor, "sites", "%" PRIu32 ": %s; their names are %s", sites_count(sites),
                used > 0 ? text : "none",
                sites->layout.names_in_elf ? "in this file only: give it as --elf"
                                           : "in the board's memory");
}

/* ---- the recorder ---- */

static void say_recorder(struct doctor *doctor, const struct elf *elf, const struct sites *sites) {
    struct program_share share;
    char ring[HUMAN_SIZE], code[HUMAN_SIZE], constants[HUMAN_SIZE], ram[HUMAN_SIZE];
    const struct kymo_layout *layout = &sites->layout;
    doctor_well(doctor, "recorder", "%" PRIu32 " %s of %s%s", layout->lanes,
                human_noun(layout->lanes, "ring", "rings"),
                human_number(ring, layout->ring_bytes, "B"),
                layout->ring_kind == KYMO_RING_NEWEST ? ", which keep the newest events" : "");
    if (program_share(elf, &share) == 0 && share.code > 0) {
        doctor_well(doctor, "size", "kymo takes %s of code, %s of constants, %s of RAM; sites %s",
                    human_number(code, (double)share.code, "B"),
                    human_number(constants, (double)share.constants, "B"),
                    human_number(ram, (double)share.variables, "B"),
                    human_number(ring, (double)(sites->stop - sites->start), "B"));
    }
}

static void look_at_kernel(struct doctor *doctor, const struct elf *elf) {
    const struct findings to = doctor_findings(doctor);
    bool told = false;
    const char *kernel = program_kernel(elf, &told);
    if (kernel && told) {
        doctor_well(doctor, "kernel", "%s, with kymo's port", kernel);
    } else if (kernel) {
        findings_add(&to, FINDING_NOTE,
                     "%s is linked, and kymo's port for it is not, so that the trace has no tasks "
                     "but those that the firmware names: see ports/rtos and kymo/tasks.h",
                     kernel);
    }
}

/* ---- how it was built ---- */

static void look_at_script(struct doctor *doctor, const struct elf *elf) {
    const struct findings to = doctor_findings(doctor);
    struct start_data_found found;
    switch (start_data_look(elf, &found)) {
    case START_DATA_WRONG:
        findings_add(&to, FINDING_IMAGE,
                     "initialised variables will hold wrong values: their values are at 0x%" PRIx64
                     ", and %s, from which the start-up code copies them, is 0x%" PRIx64
                     ": take the address from LOADADDR(.data) in the linker script; see 'Linker "
                     "scripts' in kymo's doc/your-own-board.md",
                     found.linked, found.symbol, found.copied);
        break;
    case START_DATA_RIGHT:
        doctor_well(doctor, ".data", "%s is where the initial values are, 0x%" PRIx64, found.symbol,
                    found.linked);
        break;
    case START_DATA_UNKNOWN:
        findings_add(&to, FINDING_NOTE,
                     "the initial values of variables are at 0x%" PRIx64
                     ": the symbol from which the start-up code copies them must be that address",
                     found.linked);
        break;
    case START_DATA_IN_PLACE:
    default:
        doctor_well(doctor, ".data", "is loaded in place, nothing copies it");
        break;
    }
    if (start_data_sites_lost(elf)) {
        findings_add(&to, FINDING_IMAGE,
                     "the sites follow constants that are copied to RAM, and nothing copies them, "
                     "so that nothing has a name: place kymo_sites at the end of .text; see "
                     "'Linker scripts' in kymo's doc/your-own-board.md");
    }
}

static void look_at_build(struct doctor *doctor, const struct elf *elf) {
    const struct findings to = doctor_findings(doctor);
    struct program_options options;
    uint64_t address;
    program_options(elf, &options);
    if (options.sets > 0 && options.unoptimised == options.sets) {
        findings_add(&to, FINDING_IMAGE,
                     "it is compiled without optimisation (-O0), which makes kymo's calls several "
                     "times slower: compile at least kymo's runtime with -O2 or -Os");
    } else if (options.unoptimised > 0) {
        findings_add(&to, FINDING_NOTE,
                     "a part of it is compiled without optimisation (-O0): make sure that kymo's "
                     "runtime is not");
    } else if (options.sets > 0) {
        doctor_well(doctor, "compiler", "all of it that has debug information is optimised");
    }
    if (elf_symbol(elf, "kymo_check_failed", &address)) {
        findings_add(&to, FINDING_NOTE,
                     "it checks each zone (KYMO_CHECK), which takes time: build without it to "
                     "measure");
    }
}

#define EM_ARM 40 /* 32-bit Arm, which walks stacks by tables */

static void look_at_stacks(struct doctor *doctor, const struct elf *elf) {
    const struct findings to = doctor_findings(doctor);
    uint64_t address;
    if (elf->machine == EM_ARM && elf_symbol(elf, "kymo_arch_unwind", &address) &&
        !elf_symbol(elf, "__exidx_start", &address)) {
        findings_add(&to, FINDING_IMAGE,
                     "it records call stacks, which stay empty: the linker script does not keep "
                     ".ARM.exidx between __exidx_start and __exidx_end; compile with "
                     "-funwind-tables, too");
    }
}

static void look_at_program(struct doctor *doctor) {
    const struct elf *elf = &doctor->live.elf.images.list[0].elf;
    say_sites(doctor, &doctor->live.elf.sites);
    say_recorder(doctor, elf, &doctor->live.elf.sites);
    look_at_kernel(doctor, elf);
    look_at_script(doctor, elf);
    look_at_build(doctor, elf);
    look_at_stacks(doctor, elf);
}

void doctor_image(struct doctor *doctor) {
    struct findings to = doctor_findings(doctor);
    say_to(take_line, &to);
    doctor->elf_is_open = elf_names_open(&doctor->live.elf, "none");
    say_to(NULL, NULL);
    if (doctor->elf_is_open && doctor->live.elf.images.count > 0) {
        look_at_program(doctor);
    }
}
