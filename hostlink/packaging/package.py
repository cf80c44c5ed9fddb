#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes archives that depend on nothing but their contents and SOURCE_DATE_EPOCH.

    package.py wheel VERSION TAG BINARY LICENSE FOLDER
    package.py zip OUT NAME=FILE ...
    package.py tar OUT NAME=FILE ...
    package.py sums FOLDER
    package.py sbom VERSION COMMIT FOLDER
"""
import base64
import gzip
import hashlib
import io
import json
import os
import sys
import tarfile
import time
import zipfile

EPOCH = int(os.environ["SOURCE_DATE_EPOCH"])
NAME = "kymo_hostlink"
SUMMARY = "Host tool of kymo, a profiler for firmware: captures a board and writes traces"


def read(path):
    with open(path, "rb") as file:
        return file.read()


def zip_entry(archive, name, content, program=False):
    entry = zipfile.ZipInfo(name, time.gmtime(max(EPOCH, 315532800))[:6])
    entry.create_system = 3
    entry.external_attr = (0o100755 if program else 0o100644) << 16
    entry.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(entry, content)


def is_program(name):
    return os.path.basename(name) in ("hostlink", "hostlink.exe")


def wheel(version, tag, binary, licence, folder):
    info = f"{NAME}-{version}.dist-info"
    program = "hostlink.exe" if tag.startswith("win") else "hostlink"
    tags = "".join(f"Tag: py3-none-{one}\n" for one in tag.split("."))
    files = {
        f"{NAME}-{version}.data/scripts/{program}": read(binary),
        f"{info}/METADATA": (f"Metadata-Version: 2.1\nName: {NAME.replace('_', '-')}\nVersion: {version}\n"
                             f"Summary: {SUMMARY}\nLicense: MIT\nRequires-Python: >=3.7\n").encode(),
        f"{info}/WHEEL": f"Wheel-Version: 1.0\nGenerator: kymo\nRoot-Is-Purelib: false\n{tags}".encode(),
        f"{info}/LICENSE": read(licence),
    }
    record = ""
    for name, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={digest},{len(content)}\n"
    files[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\n").encode()
    with zipfile.ZipFile(os.path.join(folder, f"{NAME}-{version}-py3-none-{tag}.whl"), "w") as archive:
        for name, content in files.items():
            zip_entry(archive, name, content, is_program(name))


def pairs(arguments):
    return [argument.split("=", 1) for argument in arguments]


def make_zip(out, *arguments):
    with zipfile.ZipFile(out, "w") as archive:
        for name, path in pairs(arguments):
            zip_entry(archive, name, read(path), is_program(name))


def make_tar(out, *arguments):
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name, path in pairs(arguments):
            content = read(path)
            entry = tarfile.TarInfo(name)
            entry.size, entry.mtime = len(content), EPOCH
            entry.mode = 0o755 if is_program(name) else 0o644
            archive.addfile(entry, io.BytesIO(content))
    with open(out, "wb") as file, gzip.GzipFile("", "wb", 9, file, EPOCH) as packed:
        packed.write(raw.getvalue())


def artifacts(folder, without):
    names = (os.path.relpath(os.path.join(where, name), folder) for where, _, names in os.walk(folder) for name in names)
    return sorted(name for name in names if not name.endswith(without))


def sums(folder):
    lines = [f"{hashlib.sha256(read(os.path.join(folder, name))).hexdigest()}  {name}\n" for name in artifacts(folder, "SHA256SUMS")]
    with open(os.path.join(folder, "SHA256SUMS"), "w", encoding="ascii") as file:
        file.writelines(lines)


def spdx_package(identifier, name, version, licence):
    return {"SPDXID": f"SPDXRef-{identifier}", "name": name, "versionInfo": version, "licenseConcluded": licence,
            "licenseDeclared": licence, "copyrightText": "NOASSERTION", "downloadLocation": "NOASSERTION",
            "filesAnalyzed": False}


def sbom(version, commit, folder):
    """What is linked into the programs: kymo itself, the C libraries and the compiler's runtime."""
    names = artifacts(folder, ("SHA256SUMS", ".spdx.json"))
    packages = [spdx_package("hostlink", "hostlink", f"{version}+{commit}", "MIT"),
                spdx_package("musl", "musl", "NOASSERTION", "MIT"),
                spdx_package("mingw", "mingw-w64-runtime", "NOASSERTION", "ZPL-2.1"),
                spdx_package("libgcc", "libgcc", "NOASSERTION", "GPL-3.0-or-later WITH GCC-exception-3.1")]
    files = [{"SPDXID": f"SPDXRef-file-{number}", "fileName": f"./{name}", "copyrightText": "NOASSERTION",
              "licenseConcluded": "MIT", "licenseInfoInFiles": ["MIT"],
              "checksums": [{"algorithm": algorithm, "checksumValue": make(read(os.path.join(folder, name))).hexdigest()}
                            for algorithm, make in (("SHA1", hashlib.sha1), ("SHA256", hashlib.sha256))]}
             for number, name in enumerate(names)]
    document = {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"hostlink-{version}", "documentNamespace": f"urn:kymo:hostlink:{version}:{commit}",
        "creationInfo": {"created": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(EPOCH)),
                         "creators": ["Tool: kymo-release"]},
        "packages": packages, "files": files,
        "relationships": [{"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES",
                           "relatedSpdxElement": "SPDXRef-hostlink"}] +
                         [{"spdxElementId": "SPDXRef-hostlink", "relationshipType": "STATIC_LINK",
                           "relatedSpdxElement": f"SPDXRef-{one}"} for one in ("musl", "mingw", "libgcc")] +
                         [{"spdxElementId": "SPDXRef-hostlink", "relationshipType": "GENERATES",
                           "relatedSpdxElement": file["SPDXID"]} for file in files],
    }
    with open(os.path.join(folder, f"hostlink-{version}.spdx.json"), "w", encoding="utf-8") as file:
        json.dump(document, file, indent=1)
        file.write("\n")


if __name__ == "__main__":
    {"wheel": wheel, "zip": make_zip, "tar": make_tar, "sums": sums, "sbom": sbom}[sys.argv[1]](*sys.argv[2:])
