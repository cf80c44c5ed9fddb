# SPDX-License-Identifier: MIT
"""Takes Perfetto's description of its trace format (a FileDescriptorSet) out of its trace processor.

Usage: descriptor.py trace_processor.wasm OUTPUT. The trace processor carries the description of its input as
a constant, a sequence of fields 1, each the description of one .proto file that starts with its name. protoc
reads it with --descriptor_set_in.
"""
import re
import sys

WANTED = "protos/perfetto/trace/trace_packet.proto"


def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 0x7F) << shift
        shift += 7
        at += 1
        if data[at - 1] < 0x80:
            return value, at


def file_at(data, at):
    """The name of the .proto file described at "at" and where its description ends, or None."""
    if data[at] != 0x0A:
        return None
    length, start = varint(data, at + 1)
    if data[start] != 0x0A:
        return None
    name_length, name = varint(data, start + 1)
    text = data[name:name + name_length]
    if name_length > length or not re.fullmatch(rb"[\w./-]+\.proto", text):
        return None
    return text.decode(), start + length


def set_at(data, at):
    names, start = [], at
    while (entry := file_at(data, at)) is not None:
        names.append(entry[0])
        at = entry[1]
    return names, data[start:at]


def main():
    with open(sys.argv[1], "rb") as file:
        data = file.read()
    end = 0
    for name in re.finditer(rb"(protos|google)/[\w./-]+\.proto", data):
        # Before the first name stand its key and length, and the key and length of the file's description.
        for start in range(name.start() - 8, name.start() - 3):
            if start < end:
                continue
            names, found = set_at(data, start)
            if found:
                end = start + len(found)
            if WANTED in names:
                with open(sys.argv[2], "wb") as file:
                    file.write(found)
                return
    sys.exit(f"{sys.argv[1]}: no description of {WANTED} inside")


main()
