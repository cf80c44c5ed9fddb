/* SPDX-License-Identifier: MIT */
// A program with Tracy's markup under Linux. Its first argument says what it does; run.sh says what a viewer must find
// of it.
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "tracy/Tracy.hpp"

static TracyLockable(std::mutex, shared_lock);
static std::atomic<int> turn{0};
static char blocks[400];

static void rest(int ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); }

// One thread allocates, another one frees: the order must hold.
static void work(int number) {
    tracy::SetThreadName(number == 0 ? "first" : "second");
    for (int i = 0; i < 200; i++) {
        while (turn.load() % 2 != number) {
            std::this_thread::yield();
        }
        ZoneScopedN("turn");
        {
            std::lock_guard<LockableBase(std::mutex)> lock(shared_lock);
            ZoneScopedNC("held", 0x112233);
            ZoneValue(i);
        }
        if (number == 0) {
            TracyAlloc(&blocks[i], 1);
        } else {
            TracyFree(&blocks[i]);
        }
        TracyPlot("number", static_cast<int64_t>(i));
        std::string text = "number " + std::to_string(i);
        TracyMessage(text.c_str(), text.size());
        FrameMark;
        turn++;
    }
}

static void counted() {
    std::thread a(work, 0), b(work, 1);
    a.join();
    b.join();
    TracyMessageL("the end");
}

// Each frame's picture is of one colour. Of those that come too fast some are left out.
static void pictures() {
    static uint32_t pixels[64 * 32];
    for (uint32_t frame = 0; frame < 40; frame++) {
        for (uint32_t &pixel : pixels) {
            pixel = 0xff000000u | (frame * 6u) << 16 | 0x20u;
        }
        FrameImage(pixels, 64, 32, 0, false);
        FrameMark;
        rest(10);
    }
    for (uint32_t frame = 0; frame < 1000; frame++) {
        FrameImage(pixels, 64, 32, 0, false);
        FrameMark;
    }
    TracyMessageL("drawn");
}

static void some_zones(int count) {
    for (int i = 0; i < count; i++) {
        ZoneScopedN("some");
    }
}

// A hundred threads, one after the other; then as many as have lanes, at a time.
static void threads() {
    std::mutex mutex;
    std::condition_variable all_there;
    int there = 0;
    const int most = 60;
    for (int i = 0; i < 100; i++) {
        std::thread(some_zones, 10).join();
    }
    std::vector<std::thread> together;
    for (int i = 0; i < most; i++) {
        together.emplace_back([&] {
            some_zones(5);
            std::unique_lock<std::mutex> lock(mutex);
            there++;
            all_there.notify_all();
            all_there.wait(lock, [&] { return there == most; });
            lock.unlock();
            some_zones(5);
        });
    }
    for (auto &thread : together) {
        thread.join();
    }
}

// More than there are lanes: what does not fit is counted.
static void too_many() {
    std::atomic<int> there{0};
    std::vector<std::thread> together;
    for (int i = 0; i < 100; i++) {
        together.emplace_back([&] {
            some_zones(10);
            there++;
            while (there.load() != 100) {
                rest(1);
            }
        });
    }
    for (auto &thread : together) {
        thread.join();
    }
}

// The child records, and outlives the parent: neither comes to the viewer, and the port is free meanwhile.
static void forked(const char *file) {
    some_zones(10);
    const pid_t child = fork();
    if (child == 0) {
        some_zones(1000);
        for (int i = 0; i < 3000 && access(file, F_OK) != 0; i++) {
            rest(10);
        }
        exit(0);
    }
    some_zones(10);
}

// A signal for the process waits for the thread that wants it.
static int signalled() {
    sigset_t wanted;
    const struct timespec limit = {10, 0};
    sigemptyset(&wanted);
    sigaddset(&wanted, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &wanted, NULL);
    some_zones(10);
    kill(getpid(), SIGUSR1);
    return sigtimedwait(&wanted, NULL, &limit) == SIGUSR1 ? 0 : 1;
}

#define COROUTINE_BYTES 65536
static ucontext_t main_context, first_context, second_context;
static char *second_stack;

static void second_coroutine() { ZoneScopedNS("its successor", 20); }

// Coroutines of a coroutine that is gone, with its stack: the frames of the second one lead there.
static void first_coroutine() {
    ZoneScopedNS("coroutine", 20);
    getcontext(&second_context);
    second_context.uc_stack.ss_sp = second_stack;
    second_context.uc_stack.ss_size = COROUTINE_BYTES;
    second_context.uc_link = &main_context;
    makecontext(&second_context, second_coroutine, 0);
}

static void coroutines() {
    const size_t bytes = COROUTINE_BYTES;
    char *stacks = static_cast<char *>(
        mmap(NULL, 3 * bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    getcontext(&first_context);
    first_context.uc_stack.ss_sp = stacks + 2 * bytes;
    first_context.uc_link = &main_context;
    first_context.uc_stack.ss_size = bytes;
    makecontext(&first_context, first_coroutine, 0);
    second_stack = stacks;
    swapcontext(&main_context, &first_context);
    munmap(stacks + 2 * bytes, bytes);
    swapcontext(&main_context, &second_context);
}

// Like a daemon: all descriptors are closed, and their numbers become files of the program's own. If the client
// opened one meanwhile, returns false to be called again.
static bool took_all_numbers(const char *file) {
    for (int fd = 3; fd < 64; fd++) {
        close(fd);
    }
    for (int fd = 3; fd < 16; fd++) {
        if (open(file, O_CREAT | O_RDWR, 0600) != fd) {
            return false;
        }
    }
    return true;
}

static int closed(const char *file) {
    some_zones(10);
    while (!took_all_numbers(file)) {}
    // A viewer that came before would have lost its connection.
    if (mkdir((std::string(file) + ".taken").c_str(), 0700) != 0) {
        return 1;
    }
    rest(100);
    for (int fd = 3; fd < 16; fd++) {
        struct stat about;
        if (fstat(fd, &about) != 0 || !S_ISREG(about.st_mode) || about.st_size != 0) {
            return 1;
        }
    }
    some_zones(10);
    return 0;
}

// A library with a client of its own is loaded and unloaded; then its thread-local storage is checked.
static int with_plugin(const char *path) {
    some_zones(10);
    for (int i = 0; i < 20; i++) {
        void *plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        if (plugin == NULL) {
            fprintf(stderr, "%s\n", dlerror());
            return 1;
        }
        std::atomic<int> step{0};
        void (*run)() = reinterpret_cast<void (*)()>(dlsym(plugin, "plugin_run"));
        std::thread user([&] {
            run();
            step = 1;
            while (step != 2) {
                rest(1);
            }
        });
        while (step != 1) {
            rest(1);
        }
        dlclose(plugin);
        step = 2;
        user.join();
    }
    return 0;
}

static int with_calls(int depth) {
    if (depth > 0) {
        const int below = with_calls(depth - 1);
        return below + 1;
    }
    ZoneScopedNS("called", 20);
    return 0;
}

// Until the file is there, and a viewer if one is wanted.
static void until(const char *file) {
    for (int i = 0; i < 6000 && access(file, F_OK) != 0; i++) {
        some_zones(1);
        rest(5);
    }
}

// Ends after what must arrive, by a fault, by abort(), or by a signal from outside.
static void crashes(const std::string &how) {
    for (int i = 0; i < 3000 && !TracyIsConnected; i++) {
        rest(10);
    }
    ZoneScopedN("crashes");
    some_zones(10);
    TracyMessageL("the last words");
    if (how == "fault") {
        int *volatile nowhere = nullptr;
        *nowhere = 1;
    } else if (how == "abort") {
        abort();
    } else if (how == "handled") {
        signal(SIGFPE, [](int) { _exit(7); });
        raise(SIGFPE);
    }
    kill(getpid(), SIGILL);
    rest(60000);
}

int main(int argc, char **argv) {
    const std::string what = argc > 1 ? argv[1] : "";
    const char *argument = argc > 2 ? argv[2] : "";
    if (what == "counted") {
        counted();
    } else if (what == "threads") {
        threads();
    } else if (what == "too_many") {
        too_many();
    } else if (what == "forked") {
        forked(argument);
    } else if (what == "signalled") {
        return signalled();
    } else if (what == "coroutines") {
        coroutines();
    } else if (what == "threads_coroutines") {
        std::thread(coroutines).join();
    } else if (what == "closed") {
        return closed(argument);
    } else if (what == "plugin") {
        return with_plugin(argument);
    } else if (what == "pictures") {
        pictures();
    } else if (what == "calls") {
        return with_calls(5) - 5;
    } else if (what == "calls_and_more") {
        (void)with_calls(5);
        until(argument);
        TracyMessageL("what is recorded meanwhile");
    } else if (what == "until") {
        until(argument);
    } else if (what == "crashes") {
        crashes(argument);
    } else if (what == "flood") {
        some_zones(atoi(argument));
#ifdef TRACY_MANUAL_LIFETIME
    } else if (what == "flood_by_hand") {
        tracy::StartupProfiler();
        some_zones(atoi(argument));
        tracy::ShutdownProfiler();
    } else if (what == "by_hand") {
        for (int i = 0; i < 2; i++) {
            some_zones(1000);
            tracy::StartupProfiler();
            some_zones(10);
            tracy::ShutdownProfiler();
        }
#endif
    } else if (what == "connected") {
        for (int i = 0; i < 3000 && !TracyIsConnected; i++) {
            rest(10);
        }
        some_zones(10);
        rest(200);
    }
    return 0;
}
