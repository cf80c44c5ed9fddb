# SPDX-License-Identifier: MIT
"""Symbols agree with the user's addr2line on thousands of addresses of programs in C and C++, and so do
functions by LLVM's programs, where they are there. Usage: agree.py SYMBOLIZE ADDRESSES PROGRAM ..."""
import random
import re
import shutil
import subprocess
import sys

OTHERS = ("llvm-symbolizer", "llvm-addr2line")


def code_of(program):
    """The addresses of the instructions of a program: those that are in a function with a size."""
    lines = subprocess.run(["nm", "--defined-only", "-S", program], stdout=subprocess.PIPE, check=True,
                           universal_newlines=True).stdout.splitlines()
    ranges = []
    for line in lines:
        words = line.split()
        if len(words) == 4 and words[2] in "tTwW":
            ranges.append((int(words[0], 16), int(words[1], 16)))
    return ranges


def by_addr2line(program, addresses):
    """Lists of (function, file, line) by address, asked all at once; addresses are behind the calls."""
    asked = "".join(f"{address - 1:x}\n" for address in addresses)
    output = subprocess.run(["addr2line", "-a", "-f", "-i", "-C", "-e", program], input=asked, check=True,
                            stdout=subprocess.PIPE, universal_newlines=True).stdout.splitlines()
    answers = []
    for line in output:
        if re.fullmatch("0x[0-9a-f]+", line):
            answers.append([])
        else:
            answers[-1].append(line)
    return [without_markup([known(*pair) for pair in zip(lines[::2], lines[1::2])]) for lines in answers]


MARKUP = r"/kymo/(functions|iree|kymo|macros|message_cxx|tracy|zone_counters)\.h$|/common/KymoTracy(C\.h|\.hpp)$"


def without_markup(lines):
    """hostlink leaves out kymo's own headers inside a function."""
    while len(lines) > 1 and re.search(MARKUP, lines[0][1]):
        lines = lines[1:]
    return lines


def known(function, place):
    file, line = re.sub(r" \(discriminator \d+\)$", "", place).rsplit(":", 1)
    return ("" if function == "??" else function, "" if file == "??" else file, int(line) if line.isdigit() else 0)


def by_hostlink(symbolize, program, addresses, tool="addr2line"):
    output = subprocess.run([symbolize, program, tool], check=True, stdout=subprocess.PIPE,
                            input="".join(f"{address:x}\n" for address in addresses),
                            universal_newlines=True).stdout.splitlines()
    answers = []
    for line in output:
        words = line.split("\t")[1:]
        answers.append([(function, *place.rsplit(":", 1)) for function, place in zip(words[::2], words[1::2])])
    return [[(function, file, int(number)) for function, file, number in lines] for lines in answers]


def spelled_alike(lines):
    """Demanglers write a lambda in ways of their own; addr2line has only "operator()" of one with others inlined."""
    names = [re.sub(r"^.*('lambda|\{lambda).*::(operator\(\)).*$", r"\2", function) for function, *_ in lines]
    return [re.sub(r"\{lambda(\([^()]*\))#\d+\}|'lambda\d*'(\([^()]*\))", r"lambda\1\2", name) for name in names]


def main():
    symbolize, count, programs = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
    for program in programs:
        chance = random.Random(1)
        ranges = code_of(program)
        addresses = sorted({start + chance.randrange(size) + 1
                            for start, size in chance.choices(ranges, weights=[size for _, size in ranges], k=count)
                            if size})
        inlined = 0
        theirs = by_addr2line(program, addresses)
        ours = by_hostlink(symbolize, program, addresses)
        assert len(theirs) == len(ours) == len(addresses), (len(theirs), len(ours), len(addresses))
        for address, want, have in zip(addresses, theirs, ours):
            assert [line[:1] + line[1:] for line in want][:32] == have, f"{program} 0x{address:x}: {have} and not {want}"
            inlined += len(want) > 1
        for tool in filter(shutil.which, OTHERS):
            for address, want, have in zip(addresses, ours, by_hostlink(symbolize, program, addresses, tool)):
                assert spelled_alike(want) == spelled_alike(have), f"{program} 0x{address:x}: by {tool} {have} and not {want}"
        print(f"{program.rsplit('/', 1)[-1]}: {len(addresses)} addresses, {inlined} with inlined functions")


main()
