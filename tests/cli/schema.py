# SPDX-License-Identifier: MIT
"""Whether a document is as its JSON schema says: python3 schema.py SCHEMA DOCUMENT, or check(SCHEMA, DOCUMENT). Of the words of JSON Schema those
that hostlink/doc/*.schema.json use; another one is an error."""
import json
import sys

TYPES = {"object": dict, "array": list, "string": str, "integer": int, "number": (int, float), "null": type(None)}
KNOWN = {"$schema", "title", "description", "type", "required", "additionalProperties", "properties", "items", "const",
         "enum"}


def wrong(schema, value, place):
    assert set(schema) <= KNOWN, set(schema) - KNOWN
    if "const" in schema and value != schema["const"] or "enum" in schema and value not in schema["enum"]:
        yield f"{place}: {value!r}"
    types = schema.get("type", [])
    types = [types] if isinstance(types, str) else types
    if types and (isinstance(value, bool) or not any(isinstance(value, TYPES[name]) for name in types)):
        yield f"{place}: {value!r} is not of {types}"
        return
    if isinstance(value, list):
        for number, item in enumerate(value):
            yield from wrong(schema.get("items", {}), item, f"{place}[{number}]")
    if isinstance(value, dict):
        others = schema.get("additionalProperties", {})
        yield from (f"{place}: no '{key}'" for key in schema.get("required", []) if key not in value)
        for key, item in value.items():
            inner = schema.get("properties", {}).get(key, others)
            if inner is False:
                yield f"{place}: unknown '{key}'"
            else:
                yield from wrong(inner, item, f"{place}.{key}")


def check(schema_path, path):
    """The faults of a document, a line each."""
    with open(schema_path) as schema, open(path) as document:
        return list(wrong(json.load(schema), json.load(document), "$"))


if __name__ == "__main__":
    faults = check(*sys.argv[1:])
    print(*faults, sep="\n")
    sys.exit(1 if faults else 0)
