#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes what the package managers of other systems read, for the files of a release in FOLDER, which will be at URL.

    manifests.py VERSION COMMIT URL FOLDER

hostlink.rb is a formula of Homebrew, which builds kymo-VERSION.tar.gz. winget/ is a manifest of winget in three files
of its format 1.6.0, which installs the program of hostlink-VERSION-windows-x86_64.zip.
"""
import hashlib
import os
import sys

SUMMARY = "Host tool of kymo, a profiler for firmware"
SCHEMA = "1.6.0"


def digest(folder, name):
    with open(os.path.join(folder, name), "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def write(folder, name, text):
    with open(os.path.join(folder, name), "w", encoding="ascii", newline="\n") as file:
        file.write(text)


def formula(version, commit, url, folder):
    source = f"kymo-{version}.tar.gz"
    write(folder, "hostlink.rb", f"""class Hostlink < Formula
  desc "{SUMMARY}"
  homepage "{url}"
  url "{url}/{source}"
  sha256 "{digest(folder, source)}"
  license "MIT"

  depends_on "cmake" => :build
  depends_on "ninja" => :build

  def install
    system "cmake", "-S", ".", "-B", "build", "-G", "Ninja", "-DKYMO_TESTS=OFF", "-DKYMO_COMMIT={commit}", *std_cmake_args
    system "cmake", "--build", "build"
    system "cmake", "--install", "build"
  end

  test do
    assert_match version.to_s, shell_output("#{{bin}}/hostlink --version")
  end
end
""")


def manifest(folder, kind, suffix, version, text):
    name = f"kymo.hostlink{suffix}.yaml"
    write(folder, name, f"""# yaml-language-server: $schema=https://aka.ms/winget-manifest.{kind}.{SCHEMA}.schema.json
PackageIdentifier: kymo.hostlink
PackageVersion: {version}
{text}ManifestType: {kind}
ManifestVersion: {SCHEMA}
""")


def winget(version, url, folder):
    program = f"hostlink-{version}-windows-x86_64"
    out = os.path.join(folder, "winget")
    os.makedirs(out, exist_ok=True)
    manifest(out, "version", "", version, "DefaultLocale: en-US\n")
    manifest(out, "defaultLocale", ".locale.en-US", version, f"""PackageLocale: en-US
Publisher: kymo
PackageName: hostlink
PackageUrl: {url}
License: MIT
ShortDescription: {SUMMARY}
""")
    manifest(out, "installer", ".installer", version, f"""MinimumOSVersion: 10.0.18362.0
InstallerType: zip
NestedInstallerType: portable
NestedInstallerFiles:
- RelativeFilePath: {program}\\hostlink.exe
  PortableCommandAlias: hostlink
Installers:
- Architecture: x64
  InstallerUrl: {url}/{program}.zip
  InstallerSha256: {digest(folder, program + ".zip").upper()}
""")


if __name__ == "__main__":
    VERSION, COMMIT, URL, FOLDER = sys.argv[1:]
    if os.path.exists(os.path.join(FOLDER, f"kymo-{VERSION}.tar.gz")):
        formula(VERSION, COMMIT, URL, FOLDER)
    if os.path.exists(os.path.join(FOLDER, f"hostlink-{VERSION}-windows-x86_64.zip")):
        winget(VERSION, URL, FOLDER)
