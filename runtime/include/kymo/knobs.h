/* SPDX-License-Identifier: MIT */
/* Makes the link fail if firmware and runtime were compiled with different knobs. Each file of the firmware refers to
 * symbols that only a runtime with the same knobs defines, and the message of GNU ld or gold names the knob; lld does
 * not check. The references are in a section that takes no memory, a note, which --gc-sections keeps. Not under Zephyr
 * and ESP-IDF, which compile all sources with one configuration and warn of unknown sections or refuse them; nor under
 * Linux, where a program that links with a library that has a recorder of its own would find the symbols there, which
 * GNU ld refuses. Included by kymo.h; not for direct use. */
#ifndef KYMO_KNOBS_H
#define KYMO_KNOBS_H

#include "kymo/config.h"

#define KYMO_KNOB_(knob) "kymo_runtime_was_not_built_with_" knob

#if KYMO_NAMES
#define KYMO_KNOB_NAMES_ KYMO_KNOB_("KYMO_NAMES_1")
#else
#define KYMO_KNOB_NAMES_ KYMO_KNOB_("KYMO_NAMES_0")
#endif
#define KYMO_KNOB_CALLSTACKS_ KYMO_KNOB_("KYMO_CALLSTACKS")
#define KYMO_KNOB_MEMORY_ KYMO_KNOB_("KYMO_TRACING_MODE_2")

/* In the runtime: defines the symbol of a knob. A number, as symbolizers take labels of a section at address 0 for
 * functions of firmware that begins there. */
#define KYMO_HAS_KNOB_(name) __asm__(".globl " name "\n.set " name ", 0")

#if KYMO_ENABLE && defined(__ELF__) && !defined(__ZEPHYR__) && !defined(ESP_PLATFORM) &&           \
    !defined(__linux__)
#define KYMO_ASKS_FOR_(name)                                                                       \
    __asm__(".pushsection .kymo_knobs,\"\",%note\n.4byte " name "\n.popsection")
KYMO_ASKS_FOR_(KYMO_KNOB_NAMES_);
#if KYMO_CALLSTACKS
KYMO_ASKS_FOR_(KYMO_KNOB_CALLSTACKS_);
#endif
#if KYMO_TRACING_MODE >= 2
KYMO_ASKS_FOR_(KYMO_KNOB_MEMORY_);
#endif
#endif

#endif
