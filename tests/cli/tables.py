"""What the tables of hostlink stats must have. python3 tables.py WHAT ..., in a folder with x.csv and x.json, the
table as CSV and as JSON."""
import csv
import json
import sys


def read(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def same(table):
    """JSON has the rows of CSV, by the same names."""
    rows, others = read("x.csv"), json.load(open("x.json"))[table]
    assert len(rows) == len(others), (len(rows), len(others))
    for row, other in zip(rows, others):
        assert row.keys() <= other.keys(), (row, other)
        for key, text in row.items():
            value = other[key]
            assert text == ("" if value is None else value) or float(text) == value, (key, text, value)


globals()[sys.argv[1]](*sys.argv[2:])
