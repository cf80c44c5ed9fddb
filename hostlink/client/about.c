/* SPDX-License-Identifier: MIT */
#include "client/about.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#if defined __x86_64__
#define MACHINE EM_X86_64
#define ARCH "x64"
#elif defined __i386__
#define MACHINE EM_386
#define ARCH "x86"
#elif defined __aarch64__
#define MACHINE EM_AARCH64
#define ARCH "ARM64"
#elif defined __arm__
#define MACHINE EM_ARM
#define ARCH "ARM"
#elif defined __riscv && __riscv_xlen == 64
#define MACHINE EM_NONE
#define ARCH "RISC-V 64"
#else
#define MACHINE EM_NONE
#define ARCH "unknown"
#endif

#ifdef __clang__
#define COMPILER "clang"
#else
#define COMPILER "gcc"
#endif

uint16_t about_machine(void) { return MACHINE; }

/* "model name" on x86, "uarch" or "isa" on RISC-V; Arm gives numbers only. */
static void find_processor(char *name, size_t size) {
    static const char *const keys[] = {"model name", "Model", "uarch", "isa"};
    char line[512];
    FILE *file = fopen("/proc/cpuinfo", "re");
    (void)snprintf(name, size, "unknown");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        char *colon = strchr(line, ':');
        for (size_t i = 0; colon != NULL && i < sizeof keys / sizeof keys[0]; i++) {
            if (strncmp(line, keys[i], strlen(keys[i])) == 0) {
                colon[1 + strcspn(colon + 1, "\n")] = '\0';
                (void)snprintf(name, size, "%.200s", colon + 1 + strspn(colon + 1, " \t"));
                (void)fclose(file);
                return;
            }
        }
    }
    if (file != NULL) {
        (void)fclose(file);
    }
}

void about_host(char *text, size_t size) {
    struct utsname system = {.sysname = "unknown"};
    char processor[208], host[65] = "unknown";
    const char *user = getenv("USER");
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    (void)uname(&system);
    (void)gethostname(host, sizeof host - 1);
    find_processor(processor, sizeof processor);
    (void)snprintf(text, size,
                   "OS: %s %s\nCompiler: " COMPILER " " __VERSION__ "\nUser: %s@%s\nArch: " ARCH
                   "\nCPU: %s\nCPU cores: %ld\nRAM: %llu MB\nClient: kymo\n",
                   system.sysname, system.release, user != NULL ? user : "(unknown)", host,
                   processor, sysconf(_SC_NPROCESSORS_ONLN),
                   (unsigned long long)pages * (unsigned long long)page / (1024u * 1024u));
}
