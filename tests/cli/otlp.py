# SPDX-License-Identifier: MIT
"""Spans of OpenTelemetry against the table of events: otlp.py FILE.otlp.json FILE.events.csv [KEY=VALUE ...]. The form is that of
opentelemetry-proto (trace/v1/trace.proto) in JSON, a request a line: ids in hexadecimal, integers of 64 bits as text."""
import csv
import json
import re
import sys

SAID = [tuple(one.split("=", 1)) for one in sys.argv[3:]]  # of the resource
SPAN = {"traceId", "spanId", "parentSpanId", "name", "kind", "startTimeUnixNano", "endTimeUnixNano", "attributes"}


def attributes(pairs):
    found = {}
    for pair in pairs:
        assert pair.keys() == {"key", "value"} and pair["key"] not in found, pair
        (kind, value), = pair["value"].items()
        assert isinstance(value, str) and kind in ("stringValue", "intValue"), pair
        found[pair["key"]] = int(value) if kind == "intValue" else value
    return found


def spans_of(path):
    spans = {}
    for line in open(path, encoding="utf-8"):
        request = json.loads(line)
        (resource,) = request.pop("resourceSpans")
        about = attributes(resource["resource"]["attributes"])
        assert not request and about["service.name"] and "kymo.session" in about, about
        assert all(one in about.items() for one in SAID), (about, SAID)
        (scope,) = resource["scopeSpans"]
        assert scope["scope"]["name"] == "kymo" and 0 < len(scope["spans"]) <= 500
        for span in scope["spans"]:
            assert span.keys() <= SPAN and span["kind"] == 1, span
            assert re.fullmatch("[0-9a-f]{32}", span["traceId"]) and re.fullmatch("[0-9a-f]{16}", span["spanId"]), span
            assert int(span["traceId"], 16) and int(span["spanId"], 16) and span["spanId"] not in spans, span
            spans[span["spanId"]] = span
    return spans


def zones_of(path):
    """(row, name, begin, end, name of the one around it), of rows that nothing else is called."""
    open_zones, zones = {}, []
    for row in csv.DictReader(open(path, newline="", encoding="utf-8")):
        stack = open_zones.setdefault((row["core"], row["context"]), [])
        if row["kind"] == "zone begin":
            stack.append((row["name"], int(row["time_ns"])))
        elif row["kind"] == "zone end":
            name, begin = stack.pop()
            zones.append((row["context"], name, begin, int(row["time_ns"]), stack[-1][0] if stack else None))
    return zones


spans = spans_of(sys.argv[1])
seen = []
for span in spans.values():
    about = attributes(span["attributes"])
    around = spans[span["parentSpanId"]] if "parentSpanId" in span else None
    root = around is None
    assert root or around["traceId"] == span["traceId"], span
    assert not root or span["traceId"].endswith(span["spanId"]), span
    begin, end = int(span["startTimeUnixNano"]), int(span["endTimeUnixNano"])
    assert 0 <= about["kymo.self_ns"] <= end - begin, span
    assert root or (int(around["startTimeUnixNano"]) <= begin and end <= int(around["endTimeUnixNano"])), span
    seen.append((about["thread.name"], span["name"], begin, end, None if root else around["name"]))
wanted = zones_of(sys.argv[2])
first = min(zone[2] for zone in wanted) - min(zone[2] for zone in seen)  # the board's first event has a Unix time
seen = [(row, name, begin + first, end + first, around) for row, name, begin, end, around in seen]
assert seen == wanted, [pair for pair in zip(seen, wanted) if pair[0] != pair[1]][:3]
print(len(seen), "spans")
