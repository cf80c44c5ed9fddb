# SPDX-License-Identifier: MIT
"""A capture of 45 hours, to standard output: zones in the first and the 38th hour, one that is open in the 40th, one in the
last."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "wire"))
from wire_encoder import on_the_wire  # noqa: E402

HZ = 1000
HOUR = 3600 * HZ
BEGIN, END = "ZONE_BEGIN ticks={} reference=0", "ZONE_END ticks={}"
EVENTS = [text.format(ticks) for ticks, text in (
    (1, BEGIN), (6, END), (38 * HOUR, BEGIN), (38 * HOUR + 5, END), (38 * HOUR + 9, BEGIN), (40 * HOUR, END),
    (45 * HOUR, BEGIN), (45 * HOUR + 5, END))]
PACKETS = (
    f'SESSION sequence=0 session=7 hz={HZ} now=0 flags=1 sites=1 pointer=4 image="long" lanes=1 names=""',
    'SITES sequence=1 first=0\nSITE kind=0 level=0 line=1 detail=0x0 color=0x0 name="work" function="f" file="a.c"',
    f"EVENTS sequence=2 lane=0 slots=8 count={len(EVENTS)} first=0 time=1 context=1\n" + "\n".join(EVENTS))
sys.stdout.buffer.write(b"kymo\4\r\n\0" + b"".join(map(on_the_wire, PACKETS)))
