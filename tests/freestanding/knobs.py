# SPDX-License-Identifier: MIT
"""doc/knobs.md against the sources: its tables have each macro that a firmware can set, and no other; its defaults are theirs; at most 40;
the last sentence names those that no board, document or build file sets. knobs.py, in the tree's root."""
import pathlib
import re
import sys

MOST = 40
# What a port, a test or kymo's own build files say, and no user.
PORTS = r"KYMO_(ARCH|EVENT)_.*"
TESTS = r"KYMO_(\w+_MODEL|WIRE_SLOTS|PAYLOAD_WORDS|USB_MANUFACTURER|NET_RECEIVE_BYTES|(NRF_UARTE|(RP2040_UART|STM32_USART)_DMA|STM32_HAL)_BYTES)"
BUILD = r"KYMO_(CLIENT|IREE_STARTS|POSIX_SOCKET_LWIP|CLOCK_CYCLES|LEVELS|WAY_OWN|WAY_UART)"
# A function of a device's firmware, without which its header does not compile.
GIVEN = "KYMO_DEVICE_CLOCK"


def sources():
    for folder in ("runtime", "ports"):
        for path in sorted(pathlib.Path(folder).rglob("*")):
            if path.suffix in (".c", ".h", ".hpp"):
                text = re.sub(r"/\*.*?\*/", lambda m: "\n" * m[0].count("\n"), path.read_text(encoding="utf-8"), flags=re.S)
                yield text.replace("\\\n", " ")


def settable():
    """Macros that are tested for and that nothing defines but their own default: {name: defaults}."""
    tested, defaults, defined = set(), {}, set()
    default = r"^ *# *ifndef (KYMO_\w+)\n(?: *# *if.*\n)? *# *define \1\b *(.*)"
    for text in sources():
        for line in re.findall(r"^ *# *(?:if|elif)(?:n?def)?\b.*", text, re.M):
            tested.update(re.findall(r"(?:def|defined) *\(? *(KYMO_\w+)", line))
        for name, value in re.findall(default, text, re.M):
            defaults.setdefault(name, set()).add(value.strip())
        defined.update(re.findall(r"^ *# *define (KYMO_\w+)", re.sub(default, "", text, flags=re.M), re.M))
    names = {name for name in tested if not name.endswith(("_", "_H", "_HPP")) and (name in defaults or name not in defined)}
    return {name: defaults.get(name, set()) for name in names
            if name != GIVEN and not any(re.fullmatch(rule, name) for rule in (PORTS, TESTS, BUILD))}


def unset(names, page):
    """Those that nothing but tests sets."""
    texts = ""
    for folder in ("boards", "cmake", "doc", "hostlink/client", "ports", "runtime"):
        for path in sorted(pathlib.Path(folder).rglob("*")):
            if path.is_file() and path != page and path.suffix in (".md", ".cmake", ".txt", ".ini", ".json", ".mk", ""):
                texts += path.read_text(encoding="utf-8", errors="replace")
    texts += pathlib.Path("README.md").read_text(encoding="utf-8") + pathlib.Path("CMakePresets.json").read_text(encoding="utf-8")
    return {name for name in names if not re.search(rf"\b{name}[ =]+[\w\"'$(]", texts.replace("`", ""))}


def main():
    page = pathlib.Path("doc/knobs.md")
    text = page.read_text(encoding="utf-8")
    rows = {name: (default, span) for name, default, span in re.findall(r"^\| `(KYMO_\w+)` \| ([^|]*) \| ([^|]*) \|", text, re.M)}
    knobs = settable()
    wrong = [f"{name} can be set, and is not in the tables" for name in knobs.keys() - rows.keys()]
    wrong += [f"{name} is in the tables, and cannot be set" for name in rows.keys() - knobs.keys()]
    for name in sorted(knobs.keys() & rows.keys()):
        numbers = {value for value in knobs[name] if re.fullmatch(r"\w+", value)}
        if numbers and not numbers & set(re.findall(r"\w+", rows[name][0])):
            wrong.append(f"{name} is {' or '.join(sorted(numbers))} by default, and the table says {rows[name][0]}")
    if len(rows) > MOST:
        wrong.append(f"{len(rows)} knobs, should be at most {MOST}: one that nobody can choose well is a constant")
    said = set(re.findall(r"KYMO_\w+", text[text.rindex("No board, document or build file"):]))
    for name in sorted(said ^ unset(rows, page)):
        wrong.append(f"{name} is set by " + ("a file, and the last sentence says by none" if name in said else "no file, which the last sentence does not say"))
    for line in wrong:
        print(line)
    print(f"{len(rows)} knobs")
    return 1 if wrong else 0


sys.exit(main())
