# SPDX-License-Identifier: MIT
"""OpenMetrics text of hostlink, by the reader of Prometheus' own client for Python: openmetrics.py TEXT [FOLDER]. With a
folder: every value is that of the tables FOLDER/zones.csv, frames.csv ... and of events.json."""
import csv
import json
import math
import pathlib
import sys

sys.path.append("/usr/lib/python3/dist-packages")  # Debian's
from prometheus_client.openmetrics.parser import text_string_to_metric_families  # noqa: E402


def read(path):
    """{(sample, its labels): value}; a sample that comes twice is an error."""
    values = {}
    for family in text_string_to_metric_families(pathlib.Path(path).read_text(encoding="utf-8")):
        assert family.documentation and family.type != "unknown", family
        for sample in family.samples:
            key = sample.name, tuple(sorted(sample.labels.items()))
            assert key not in values, key
            values[key] = sample.value
    return values


def table(folder, name):
    with open(folder / f"{name}.csv", newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def times(wanted, metric, labels, row, columns):
    """columns: what the table calls it, by the end of the metric's name."""
    def key(name, **more):
        return name, tuple(sorted({**labels, **more}.items()))

    stem = metric.removesuffix("_seconds")
    names = {"count": key(f"{metric}_count"), "total": key(f"{metric}_sum"), "max": key(f"{stem}_max_seconds"),
             "self": key(f"{stem}_self_seconds_total"), "p50": key(metric, quantile="0.5"), "p99": key(metric, quantile="0.99")}
    for what, column in columns.items():
        wanted[names[what]] = int(row[column]) / (1 if what == "count" else 1e9)


def expected(folder):
    wanted = {}
    for row in table(folder, "zones"):
        if row["counts"] != "0":
            times(wanted, "kymo_zone_seconds", {"zone": row["name"]}, row,
                  {"count": "counts", "total": "total_ns", "max": "max_ns", "self": "self_ns"})
    for row in table(folder, "frames"):
        times(wanted, "kymo_frame_seconds", {"set": row["name"]}, row,
              {"count": "count", "max": "max_ns", "p50": "p50_ns", "p99": "p99_ns"})
    for row in table(folder, "interrupts"):
        times(wanted, "kymo_interrupt_seconds", {"interrupt": row["name"], "core": row["core"]}, row,
              {"count": "count", "total": "total_ns", "max": "max_ns", "self": "self_ns", "p99": "p99_ns"})
    for row in table(folder, "locks"):
        times(wanted, "kymo_lock_hold_seconds", {"lock": row["name"]}, row,
              {"count": "holds", "total": "hold_total_ns", "max": "hold_max_ns"})
        if row["waits"] != "0":
            times(wanted, "kymo_lock_wait_seconds", {"lock": row["name"]}, row,
                  {"count": "waits", "total": "wait_total_ns", "max": "wait_max_ns"})
    for row in table(folder, "flows"):
        if row["count"] != "0":
            metric, label = ("kymo_flow_seconds", "flow") if row["is"] == "flow" else ("kymo_async_seconds", "zone")
            times(wanted, metric, {label: row["name"]}, row, {"count": "count", "max": "max_ns", "p50": "p50_ns", "p99": "p99_ns"})
    for row in table(folder, "plots"):
        label = (("plot", row["name"]),)
        wanted |= {("kymo_plot", label): float(row["last"]), ("kymo_plot_min", label): float(row["min"]),
                   ("kymo_plot_max", label): float(row["max"]), ("kymo_plot_values_total", label): int(row["count"])}
    events = json.loads((folder / "events.json").read_text(encoding="utf-8"))["events"]
    wanted |= {("kymo_events_emitted_total", ()): events["emitted"], ("kymo_events_delivered_total", ()): events["delivered"]}
    return wanted


def main():
    values = read(sys.argv[1])
    if len(sys.argv) < 3:
        return
    folder = pathlib.Path(sys.argv[2])
    wanted = expected(folder)
    for key, value in wanted.items():
        seen = values.get(key, math.inf)
        assert seen == value or math.isclose(seen, value, rel_tol=1e-12) or math.isnan(seen) and math.isnan(value), (key, seen, value)
    lost = sum(value for (name, _), value in values.items() if name == "kymo_events_lost_total")
    assert lost == json.loads((folder / "events.json").read_text(encoding="utf-8"))["events"]["lost"], lost
    # And no row that the tables do not have; those of tasks are hostlink check's.
    extra = {key for key in values if key[1] and key not in wanted and "quantile" not in dict(key[1])
             and not key[0].startswith(("kymo_trace_info", "kymo_events_lost", "kymo_task_")) and not key[0].endswith("_sum")}
    assert not extra, extra


main()
