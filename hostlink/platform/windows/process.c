/* SPDX-License-Identifier: MIT */
#include "platform/process.h"

#include "windows/descriptors.h"

#include <errno.h>
#include <io.h>
#include <shellapi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/file.h"
#include "windows/names.h"

#define CHILDREN 64
#define COMMAND_WIDE 32768 /* the most that CreateProcess() takes */
/* The status in a shell of an end by Ctrl-C, 128 + SIGINT; and here by TerminateProcess(). */
#define STATUS_INTERRUPTED 130
#define STATUS_KILLED 137

static struct child_process {
    DWORD pid;
    HANDLE process, job; /* the job holds all processes that the child has started */
} children[CHILDREN];

static struct child_process *find(pid_t pid) {
    for (size_t i = 0; i < CHILDREN; i++) {
        if (children[i].pid == (DWORD)pid) {
            return &children[i];
        }
    }
    return NULL;
}

/* ---- the command line ---- */

/* CommandLineToArgvW(): a quote is escaped, and the backslashes before one are doubled. An argument is quoted only if
 * it must be: cmd takes "exit" in quotes for the name of a program. */
static size_t quote(char *to, const char *argument) {
    size_t used = 0, slashes = 0;
    if (*argument != '\0' && !strpbrk(argument, " \t\n\v\"")) {
        return strlen(strcpy(to, argument));
    }
    to[used++] = '"';
    for (; *argument != '\0'; argument++) {
        if (*argument == '"') {
            memset(to + used, '\\', slashes + 1);
            used += slashes + 1;
        }
        slashes = *argument == '\\' ? slashes + 1 : 0;
        to[used++] = *argument;
    }
    memset(to + used, '\\', slashes);
    used += slashes;
    to[used++] = '"';
    to[used] = '\0';
    return used;
}

/* NULL: too long, or not enough memory. */
static wchar_t *make_command(const char *const *argv) {
    size_t room = 1, used = 0;
    for (size_t i = 0; argv[i]; i++) {
        room += 2 * strlen(argv[i]) + 3;
    }
    char *text = malloc(room);
    wchar_t *wide = malloc(COMMAND_WIDE * sizeof *wide);
    for (size_t i = 0; text && argv[i]; i++) {
        used += i > 0 ? (text[used] = ' ', 1u) : 0;
        used += quote(text + used, argv[i]);
    }
    if (!text || !wide || MultiByteToWideChar(CP_UTF8, 0, text, -1, wide, COMMAND_WIDE) == 0) {
        free(wide);
        wide = NULL;
    }
    free(text);
    return wide;
}

/* ---- start ---- */

static HANDLE standard(int fd) {
    const intptr_t handle = _get_osfhandle(fd);
    return handle < 0 ? NULL : (HANDLE)handle;
}

static void set_streams(STARTUPINFOW *start, const struct spawn *spawn, HANDLE nothing) {
    const struct descriptor *both = descriptor_of(spawn->in_out_fd);
    start->dwFlags = STARTF_USESTDHANDLES;
    start->hStdInput = both ? (HANDLE)both->socket : standard(SYS_STDIN);
    start->hStdOutput = both ? (HANDLE)both->socket : standard(SYS_STDOUT);
    start->hStdError = spawn->apart ? nothing : standard(SYS_STDERR);
}

static void let_inherit(const STARTUPINFOW *start, DWORD flag) {
    (void)SetHandleInformation(start->hStdInput, HANDLE_FLAG_INHERIT, flag);
    (void)SetHandleInformation(start->hStdOutput, HANDLE_FLAG_INHERIT, flag);
    (void)SetHandleInformation(start->hStdError, HANDLE_FLAG_INHERIT, flag);
}

/* Whatever is left of it ends with this program. */
static HANDLE make_job(void) {
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits = {.BasicLimitInformation.LimitFlags =
                                                       JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE};
    HANDLE job = CreateJobObjectW(NULL, NULL);
    (void)SetInformationJobObject(job, JobObjectExtendedLimitInformation, &limits, sizeof limits);
    return job;
}

static pid_t adopt(const PROCESS_INFORMATION *made, bool apart) {
    struct child_process *child = find(0);
    HANDLE job = child && !apart ? make_job() : NULL;
    if (job && !AssignProcessToJobObject(job, made->hProcess)) {
        (void)CloseHandle(job);
        job = NULL;
    }
    (void)ResumeThread(made->hThread);
    (void)CloseHandle(made->hThread);
    if (!child) {
        (void)CloseHandle(made->hProcess);
        return (pid_t)made->dwProcessId;
    }
    *child =
        (struct child_process){.pid = made->dwProcessId, .process = made->hProcess, .job = job};
    return (pid_t)made->dwProcessId;
}

pid_t process_start(const struct spawn *spawn) {
    STARTUPINFOW start = {.cb = sizeof start};
    PROCESS_INFORMATION made;
    wchar_t *command = make_command(spawn->argv);
    if (!command) {
        return -E2BIG;
    }
    HANDLE nothing = CreateFileW(L"NUL", GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE, NULL,
                                 OPEN_EXISTING, 0, NULL);
    set_streams(&start, spawn, nothing);
    let_inherit(&start, HANDLE_FLAG_INHERIT);
    const DWORD flags =
        CREATE_SUSPENDED | (spawn->group || spawn->apart ? CREATE_NEW_PROCESS_GROUP : 0);
    const bool done =
        CreateProcessW(NULL, command, NULL, NULL, TRUE, flags, NULL, NULL, &start, &made);
    const int error = done ? 0 : (name_error(), errno);
    let_inherit(&start, 0);
    (void)CloseHandle(nothing);
    free(command);
    return done ? adopt(&made, spawn->apart && spawn->in_out_fd < 0) : -error;
}

/* ---- end ---- */

/* Statuses of NTSTATUS are those of exceptions, and of Ctrl-C. */
static int status_of(DWORD code) {
    return code == 0xC000013A   ? STATUS_INTERRUPTED
           : code >= 0xC0000000 ? STATUS_KILLED
                                : (int)(code & 0xff);
}

int process_status(pid_t pid) {
    const struct child_process *child = find(pid);
    DWORD code = 0;
    if (!child || pid <= 0) {
        return PROCESS_UNKNOWN;
    }
    if (WaitForSingleObject(child->process, 0) == WAIT_TIMEOUT) {
        return PROCESS_RUNS;
    }
    return GetExitCodeProcess(child->process, &code) ? status_of(code) : PROCESS_UNKNOWN;
}

void process_end(pid_t pid, bool group, bool at_once) {
    const struct child_process *child = find(pid);
    if (!child || pid <= 0) {
        return;
    }
    const bool runs = WaitForSingleObject(child->process, 0) == WAIT_TIMEOUT;
    if (runs && !at_once && group && GenerateConsoleCtrlEvent(CTRL_BREAK_EVENT, child->pid)) {
        return;
    }
    if (child->job && (at_once || group)) {
        (void)TerminateJobObject(child->job, STATUS_KILLED);
    } else if (runs) {
        (void)TerminateProcess(child->process, STATUS_KILLED);
    }
}

void process_kill(pid_t pid) {
    struct child_process *child = find(pid);
    process_end(pid, true, true);
    if (child && pid > 0) {
        (void)WaitForSingleObject(child->process, INFINITE);
        (void)CloseHandle(child->process);
        if (child->job) {
            (void)CloseHandle(child->job);
        }
        *child = (struct child_process){0};
    }
}

pid_t process_show(const char *address) {
    wchar_t wide[NAME_WIDE];
    if (MultiByteToWideChar(CP_UTF8, 0, address, -1, wide, NAME_WIDE) == 0) {
        return -EINVAL;
    }
    const INT_PTR done = (INT_PTR)ShellExecuteW(NULL, L"open", wide, NULL, NULL, SW_SHOWNORMAL);
    return done > 32 ? 0 : -ENOENT;
}
