# SPDX-License-Identifier: MIT
"""The examples of runtime/WIRE.md, section 9, as its fenced blocks have them."""
import os
import re

PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "runtime", "WIRE.md")


class Example:
    def __init__(self, title, blocks):
        self.title = title
        self.lines = blocks["lines"]
        self.packet = bytes.fromhex(blocks["packet"])
        self.wire = bytes.fromhex(blocks["wire"])
        self.walk = blocks.get("walk")


def examples():
    with open(PAGE, encoding="utf-8") as page:
        section = page.read().split("\n## 9. ")[1]
    return [Example(part.splitlines()[0], dict(re.findall(r"^```(\w+)\n(.*?)\n```$", part, re.M | re.S)))
            for part in re.split(r"^### ", section, flags=re.M)[1:]]
