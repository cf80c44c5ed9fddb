# SPDX-License-Identifier: MIT
"""The table of runtime/TRACY.md: each feature of Tracy's markup, its macros, and what each output makes of it.

Usage: coverage.py [--fix]: fails where the page is not what this makes, where a macro of the headers is in no row, where
one of a row is not in the headers, or where the programs of the tests do not use it. --fix writes the table.
"""
import pathlib
import re
import sys

TOP = pathlib.Path(__file__).resolve().parents[2]
PAGE = TOP / "runtime/TRACY.md"
BEGIN, END = "<!-- begin of the table -->\n", "<!-- end of the table -->\n"
SLICE, INSTANT = "slice", "instant"

# Feature; macros of TracyC.h without "TracyC"; macros of Tracy.hpp; Tracy, Perfetto, Chrome JSON, CSV (.events.csv).
ROWS = [
    ("zones", "Zone ZoneN ZoneC ZoneNC ZoneEnd",
     "ZoneNamed ZoneNamedN ZoneNamedC ZoneNamedNC ZoneScoped ZoneScopedN ZoneScopedC ZoneScopedNC",
     "zone", SLICE, SLICE, "zone begin, zone end; table in .csv"),
    ("zones with a call stack", "ZoneS ZoneNS ZoneCS ZoneNCS",
     "ZoneNamedS ZoneNamedNS ZoneNamedCS ZoneNamedNCS ZoneScopedS ZoneScopedNS ZoneScopedCS ZoneScopedNCS",
     "zone with stack", "slice with stack", "slice with stack", "column stack"),
    ("zones with names of run time", "", "ZoneTransient ZoneTransientN ZoneTransientNC ZoneTransientS ZoneTransientNS",
     "zone", SLICE, SLICE, "as zones"),
    ("zones filtered at run time", "", "ZoneIsActive ZoneIsActiveV", "not there", "not there", "not there", "not there"),
    ("text, name, colour, value of a zone", "ZoneText ZoneName ZoneColor ZoneValue",
     "ZoneText ZoneTextV ZoneName ZoneNameV ZoneColor ZoneColorV ZoneValue ZoneValueV",
     "the same", "argument; first name: the slice's", "argument; first name: the slice's", "zone text and so on"),
    ("formatted text, name of a zone", "ZoneTextF ZoneNameF", "ZoneTextF ZoneTextVF ZoneNameF ZoneNameVF",
     "the same, not with -ffreestanding", "likewise", "likewise", "likewise"),
    ("frames", "FrameMark FrameMarkNamed FrameMarkStart FrameMarkEnd", "FrameMark FrameMarkNamed FrameMarkStart FrameMarkEnd",
     "frames", INSTANT, INSTANT, "frame, frame start, frame end"),
    ("frame images", "FrameImage", "FrameImage", "image of the frame; file", "instant; file", "instant; file", "large; file"),
    ("plots", "Plot PlotF PlotI", "TracyPlot", "plot", "counter", "counter", "plot"),
    ("configuration of a plot", "PlotConfig", "TracyPlotConfig", "the same", INSTANT, INSTANT, "plot config"),
    ("messages", "Message MessageL MessageC MessageLC", "TracyMessage TracyMessageL TracyMessageC TracyMessageLC TracyLogString",
     "message", INSTANT, INSTANT, "message"),
    ("messages with a call stack", "MessageS MessageLS MessageCS MessageLCS",
     "TracyMessageS TracyMessageLS TracyMessageCS TracyMessageLCS", "message with stack", "instant with stack",
     "instant with stack", "column stack"),
    ("application information", "AppInfo", "TracyAppInfo", "the same", INSTANT, INSTANT, "app info"),
    ("memory", "Alloc Free AllocN FreeN SecureAlloc SecureFree SecureAllocN SecureFreeN",
     "TracyAlloc TracyFree TracyAllocN TracyFreeN TracySecureAlloc TracySecureFree TracySecureAllocN TracySecureFreeN",
     "memory", "instant, counter", "instant, counter", "alloc, free"),
    ("memory with a call stack", "AllocS FreeS AllocNS FreeNS SecureAllocS SecureFreeS SecureAllocNS SecureFreeNS",
     "TracyAllocS TracyFreeS TracyAllocNS TracyFreeNS TracySecureAllocS TracySecureFreeS TracySecureAllocNS "
     "TracySecureFreeNS", "memory with stack", "instant with stack", "instant with stack", "column stack"),
    ("discard of a pool", "MemoryDiscard MemoryDiscardS SecureMemoryDiscard SecureMemoryDiscardS",
     "TracyMemoryDiscard TracyMemoryDiscardS TracySecureMemoryDiscard TracySecureMemoryDiscardS", "a free for each block",
     "likewise", "likewise", "likewise"),
    ("locks", "LockAnnounce LockTerminate LockBeforeLock LockAfterLock LockAfterUnlock LockAfterTryLock LockCustomName",
     "TracyLockable TracyLockableN LockableBase LockableName", "lock", "row of its own", INSTANT, "lock wait and so on"),
    ("shared locks",
     "SharedLockAnnounce SharedLockAnnonce SharedLockTerminate SharedLockBeforeLock SharedLockAfterLock SharedLockAfterUnlock "
     "SharedLockAfterTryLock SharedLockBeforeSharedLock SharedLockAfterSharedLock SharedLockAfterSharedUnlock "
     "SharedLockAfterTrySharedLock SharedLockCustomName",
     "TracySharedLockable TracySharedLockableN SharedLockableBase", "lock", "row of its own", INSTANT,
     "shared lock wait and so on"),
    ("place of a lock's use", "LockMark SharedLockMark", "LockMark", "the same", INSTANT, INSTANT, "lock mark"),
    ("fibers", "FiberEnter FiberLeave", "TracyFiberEnter TracyFiberEnterHint TracyFiberLeave", "row of its own", "row of its own",
     "row of its own", "column context"),
    ("names of threads", "SetThreadName", "", "row's name", "row's name", "row's name", "column context"),
    ("parameters", "", "TracyParameterRegister TracyParameterSetup", "slider; hostlink --set", "no", "no", "no"),
    ("connection", "IsConnected IsStarted", "TracyIsConnected TracyIsStarted", *("for the program",) * 4),
    ("nothing", "BeginSamplingProfiling EndSamplingProfiling",
     "TracyNoop TracySourceCallbackRegister TracySetProgramName TracySectionEnter TracySectionEnterCategory "
     "TracySectionLeave TracySectionSetup", *("no",) * 4),
]
# Names that are no markup.
OTHERS = {"TracyFunction", "TracyFile", "TracyLine", "TracyCLockCtx", "TracyCSharedLockCtx", "TracyParamTypeInt",
          "TracyParamTypeBool", "TracyParamTypeTrigger", "SuppressVarShadowWarning"}
NOT_CALLED = {"TracyCSharedLockAnnonce"}  # a name that Tracy has only where it is off

wrong = []


def defined(path):
    text = (TOP / path).read_text(encoding="utf-8")
    return {name for name in re.findall(r"^#define (\w+)", text, re.M) if not name.startswith("KYMO_")} - OTHERS


def used(path):
    return set(re.findall(r"\w+", (TOP / path).read_text(encoding="utf-8")))


def compare(what, header, program, rows):
    for name in sorted(header - rows):
        wrong.append(f"{what} {name} is in no row of tests/tracy/coverage.py")
    for name in sorted(rows - header):
        wrong.append(f"{what} {name} of tests/tracy/coverage.py is not in the header")
    for name in sorted(rows - program - NOT_CALLED):
        wrong.append(f"{what} {name} is in no program of tests/tracy")


def table():
    lines = ["| feature | C: `TracyC` and | C++ | Tracy | Perfetto | Chrome JSON | `.events.csv` |\n", "|---" * 7 + "|\n"]
    for feature, c, cxx, *outputs in ROWS:
        names = [" ".join(f"`{name}`" for name in text.split()) for text in (c, cxx)]
        lines.append(f"| {' | '.join([feature, *names, *outputs])} |\n")
    return "".join(lines)


def main():
    rows_c = {"TracyC" + name for _, c, *_ in ROWS for name in c.split()}
    rows_cxx = {name for _, _, cxx, *_ in ROWS for name in cxx.split()}
    compare("C:", defined("runtime/include/tracy/TracyC.h"), used("tests/tracy/markup.c"), rows_c)
    compare("C++:", defined("runtime/include/tracy/Tracy.hpp"), used("tests/tracy/markup.cpp"), rows_cxx)
    on_c, on_cxx = (defined(f"runtime/include/tracy/common/{name}") for name in ("KymoTracyC.h", "KymoTracy.hpp"))
    wrong.extend(f"{name} is only there where Tracy is off" for name in sorted((rows_c - on_c) | (rows_cxx - on_cxx)))
    text = PAGE.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    now, _, after = rest.partition(END)
    if sys.argv[1:] == ["--fix"]:
        PAGE.write_text(before + BEGIN + table() + END + after, encoding="utf-8")
    elif now != table():
        wrong.append("runtime/TRACY.md has another table: tests/tracy/coverage.py --fix")
    for line in wrong:
        print(line)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
