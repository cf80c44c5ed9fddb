#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A formula and a manifest are what Homebrew's audit and the published schemas of winget (1.6.0) require, and name the
files of this release. Usage: manifests.py FOLDER, of version 1.2.3 at https://example.org/kymo"""
import hashlib
import os
import re
import sys
import zipfile

FOLDER = sys.argv[1]
ARCHIVE = "hostlink-1.2.3-windows-x86_64.zip"
REQUIRED = {"version": ["DefaultLocale"], "installer": ["Installers"],
            "defaultLocale": ["PackageLocale", "Publisher", "PackageName", "License", "ShortDescription"]}
NAMES = {"version": "", "installer": ".installer", "defaultLocale": ".locale.en-US"}


def read(*names):
    with open(os.path.join(FOLDER, *names), encoding="utf-8") as file:
        return file.read()


def digest(name):
    with open(os.path.join(FOLDER, name), "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def fields(text):
    """What these files use of YAML: keys with a word each, of which none is there twice."""
    found = {}
    for line in text.splitlines():
        parts = re.fullmatch(r"(?:- |  )?(\w+):(?: (\S.*))?", line)
        assert parts or line.startswith("# yaml-language-server: $schema=https://aka.ms/winget-manifest."), line
        if parts:
            assert parts[1] not in found, line
            found[parts[1]] = parts[2] or ""
    return found


def check_winget():
    seen = {}
    for name in os.listdir(os.path.join(FOLDER, "winget")):
        found = fields(read("winget", name))
        kind = found["ManifestType"]
        seen[kind] = found
        assert name == f"kymo.hostlink{NAMES[kind]}.yaml", name
        assert all(one in found for one in REQUIRED[kind]), (name, found)
        assert found["PackageIdentifier"] == "kymo.hostlink" and found["PackageVersion"] == "1.2.3"
        assert found["ManifestVersion"] == "1.6.0"
    assert seen.keys() == REQUIRED.keys(), seen.keys()
    assert 3 <= len(seen["defaultLocale"]["ShortDescription"]) <= 256
    installer = seen["installer"]
    assert (installer["InstallerType"], installer["NestedInstallerType"]) == ("zip", "portable")
    assert installer["Architecture"] == "x64"
    assert installer["InstallerUrl"] == f"https://example.org/kymo/{ARCHIVE}"
    assert installer["InstallerSha256"] == digest(ARCHIVE).upper()
    inside = zipfile.ZipFile(os.path.join(FOLDER, ARCHIVE)).namelist()
    assert installer["RelativeFilePath"].replace("\\", "/") in inside, inside


def check_formula():
    text = read("hostlink.rb")
    found = dict(re.findall(r'^  (\w+) "([^"]+)"', text, re.M))
    assert text.startswith("class Hostlink < Formula\n")
    assert re.search(r"^  def install\n", text, re.M) and re.search(r"^  test do\n", text, re.M)
    assert found["url"] == "https://example.org/kymo/kymo-1.2.3.tar.gz"
    assert found["sha256"] == digest("kymo-1.2.3.tar.gz")
    assert found["homepage"].startswith("https://") and found["license"] == "MIT"
    description = found["desc"]
    assert len(description) <= 80 and description[-1] != "." and not re.match(r"(?i)(an?|the|hostlink)\b", description)
    assert len(re.findall(r"^ *(?:class|def) |\bdo$", text, re.M)) == len(re.findall(r"^ *end$", text, re.M))


check_winget()
check_formula()
