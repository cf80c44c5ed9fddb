# SPDX-License-Identifier: MIT
"""The files of 'hostlink check' for servers of CI, against its table: ci_forms.py SCHEMA TABLE.csv SARIF BENCHER GITHUB_BENCHMARK.
SCHEMA is SARIF's own; needs the module jsonschema, so it runs by the system's Python."""
import csv
import json
import math
import pathlib
import sys

import jsonschema

SCHEMA, TABLE, SARIF, BENCHER, GITHUB = (pathlib.Path(name) for name in sys.argv[1:6])
with open(TABLE, newline="", encoding="utf-8") as file:
    LIMITS = list(csv.DictReader(file))
UNITS = {"ns": "ns", "%": "percent", "": ""}


def constant(name):
    raise ValueError(f"{name} is not JSON")


def once(pairs):
    """A key that comes twice is what no reader of these files expects."""
    assert len({key for key, _ in pairs}) == len(pairs), pairs
    return dict(pairs)


def load(path):
    return json.loads(path.read_text(encoding="utf-8"), parse_constant=constant, object_pairs_hook=once)


def check_sarif():
    document = load(SARIF)
    jsonschema.validate(document, load(SCHEMA))
    run, = document["runs"]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    exceeded = [limit for limit in LIMITS if limit["result"] != "ok"]
    assert len(run["results"]) == len(exceeded), (len(run["results"]), len(exceeded))
    for result, limit in zip(run["results"], exceeded):
        assert result["ruleId"] == rules[result["ruleIndex"]] == f"{limit['kind']}-{limit['limit_of']}", result
        place, = result["locations"]
        assert place["physicalLocation"]["region"]["startLine"] == int(limit["line"]), result
        assert place["physicalLocation"]["artifactLocation"]["uri"] == "a%20budget.txt", result
        text = result["message"]["text"]
        assert text.startswith(limit["kind"] + " ") and limit["limit_of"] + ": " in text, text
        # A bracket of a name makes no link.
        assert "[" not in text.replace("\\[", ""), text
        if limit["kind"] == "zone" and limit["result"] == "over":
            assert result["relatedLocations"][0]["physicalLocation"]["artifactLocation"]["uri"].endswith(".c"), result
    prints = [result["partialFingerprints"]["primaryLocationLineHash"] for result in run["results"]]
    keys = [(limit["kind"], limit["name"], limit["limit_of"]) for limit in exceeded]
    assert len(set(prints)) == len(set(keys)), "one fingerprint for two results"


def worst():
    """Of each name and limit the worst value."""
    values = {}
    for limit in LIMITS:
        value = float(limit["measured"] or "nan")
        if math.isfinite(value):
            name = f"{limit['kind']} {limit['name']}".rstrip() if not limit["name"] else f"{limit['kind']} {limit['name'][:1000]}"
            key = name, limit["limit_of"], UNITS[limit["unit"]]
            pick = min if limit["limit_of"] == "min" else max
            values[key] = pick(value, values.get(key, value))
    return values


def check_values():
    wanted = worst()
    seen = {}
    for name, measures in load(BENCHER).items():
        for measure, metric in measures.items():
            assert len(measure) <= 64 and len(name) <= 1024
            assert metric.get("lower_value", metric["value"]) <= metric["value"] <= metric.get("upper_value", metric["value"])
            seen[name, measure] = metric["value"]
    assert seen == {(name, word + ("-" + unit if unit else "")): value for (name, word, unit), value in wanted.items()}, seen
    seen = [((entry["name"], entry["unit"]), entry["value"]) for entry in load(GITHUB)]
    assert len(dict(seen)) == len(seen)
    assert dict(seen) == {(f"{name} {word}", unit): value for (name, word, unit), value in wanted.items() if word != "min"}, seen


check_sarif()
check_values()
