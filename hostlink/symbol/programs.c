/* SPDX-License-Identifier: MIT */
#include "symbol/programs.h"

#include <string.h>

/* e_machine, of the "ELF header" of each processor's supplement. */
enum { EM_386 = 3, EM_ARM = 40, EM_X86_64 = 62, EM_XTENSA = 94, EM_AARCH64 = 183, EM_RISCV = 243 };

#define CANDIDATES 10u
/* The longest function that was removed, about. */
#define REMOVED_BYTES 4096u

struct machine {
    uint16_t number;
    const char *programs[CANDIDATES];
};

/* The compiler's own first, then this machine's, which on many systems reads files of other machines too. Those of
 * LLVM read every machine, but take functions that the linker has removed for code at address 0, where the flash of
 * many boards begins. */
#define ANY "llvm-symbolizer", "llvm-addr2line"
static const struct machine machines[] = {
    {EM_RISCV,
     {"riscv64-unknown-elf-addr2line", "riscv32-unknown-elf-addr2line", "riscv-none-elf-addr2line",
      "riscv32-esp-elf-addr2line", "riscv64-zephyr-elf-addr2line", "riscv64-linux-gnu-addr2line",
      "addr2line", ANY}},
    {EM_ARM,
     {"arm-none-eabi-addr2line", "arm-zephyr-eabi-addr2line", "arm-linux-gnueabihf-addr2line",
      "arm-linux-gnueabi-addr2line", "addr2line", ANY}},
    {EM_AARCH64,
     {"aarch64-none-elf-addr2line", "aarch64-elf-addr2line", "aarch64-zephyr-elf-addr2line",
      "aarch64-linux-gnu-addr2line", "addr2line", ANY}},
    {EM_X86_64, {ANY, "addr2line", "x86_64-elf-addr2line", "x86_64-linux-gnu-addr2line"}},
    {EM_386, {ANY, "addr2line", "i686-elf-addr2line", "i686-linux-gnu-addr2line"}},
    {EM_XTENSA, {"xtensa-esp-elf-addr2line", "xtensa-esp32-elf-addr2line", "addr2line"}},
    {0, {ANY, "addr2line"}},
};

const char *program_for(uint16_t machine, size_t index) {
    const struct machine *row = machines;
    while (row->number != 0 && row->number != machine) {
        row++;
    }
    return index < CANDIDATES ? row->programs[index] : NULL;
}

static bool is_called(const char *name, const char *part) {
    const char *slash = strrchr(name, '/');
    return strstr(slash != NULL ? slash + 1 : name, part) != NULL;
}

static bool is_symbolizer(const char *name) { return is_called(name, "symbolizer"); }

bool program_knows(const char *name, uint64_t address) {
    return address >= REMOVED_BYTES || (!is_symbolizer(name) && !is_called(name, "llvm"));
}

void program_arguments(const char *arguments[PROGRAM_ARGUMENTS], const char *name,
                       const char *elf_path) {
    static const char *const llvm[] = {"--output-style=GNU", "--addresses", "--functions=linkage",
                                       "--inlines",          "--demangle",  "-e"};
    static const char *const gnu[] = {"-a", "-f", "-i", "-C", "-e"};
    const bool is_llvm = is_symbolizer(name);
    const size_t count = is_llvm ? sizeof llvm / sizeof *llvm : sizeof gnu / sizeof *gnu;
    arguments[0] = name;
    memcpy(arguments + 1, is_llvm ? llvm : gnu, count * sizeof *arguments);
    arguments[1 + count] = elf_path;
    arguments[2 + count] = NULL;
}
