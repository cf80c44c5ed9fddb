# SPDX-License-Identifier: MIT
"""A capture whose names would be markup, scripts or noise if a page took them for more than text.

  hostile.py > CAPTURE
"""
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
from task_scenes import LOCK, Scene  # noqa: E402

NAMES = [
    "</script><img src=x onerror=document.title='hacked'>",
    "<!--<script>document.title='hacked'</script>",
    "\u2028document.title='hacked'\u2029//",
    "]]>&lt;b&gt;&amp;' onclick='x",
    "\u202egnirts desrever\u202c",
    "@SCRIPT@ @DATA@ ${document.title='hacked'}",
    "__proto__",
    "a\tb\x01c\x7fd",
    "x" * 1300,
    "",
    "\U0001f525 zone",
]


def main():
    scene = Scene()
    zones = [scene.site(0, json.dumps(name)[1:-1]) for name in NAMES]
    tasks = [scene.task(name[:150] or "none", 1 + at) for at, name in enumerate(NAMES)]
    for at, name in enumerate(NAMES):
        scene.name(0x20001000 + 16 * at, name[:150], of=1)
    for task, zone, at in zip(tasks, zones, range(len(NAMES))):
        scene.run(task)
        scene.event("ZONE_BEGIN", zone)
        scene.event("LOCK_OBTAIN", 0x20001000 + 16 * at, [0])
        scene.wait(50)
        scene.event("LOCK_RELEASE", 0x20001000 + 16 * at, [0])
        scene.wait(50)
        scene.event("ZONE_END", 0)
    scene.block(LOCK, tasks[0], 0x20001000)
    sys.stdout.buffer.write(scene.capture())


if __name__ == "__main__":
    main()
