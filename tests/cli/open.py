# SPDX-License-Identifier: MIT
"""hostlink open: what a browser gets of it, and what nobody else does.

  open.py HOSTLINK SCENE TRACY_VIEWER FOLDER
"""
import atexit
import http.client
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import time

HOSTLINK, SCENE, VIEWER = (str(pathlib.Path(arg).resolve()) for arg in sys.argv[1:4])
FOLDER = pathlib.Path(sys.argv[4]).resolve()
PAGE = "https://ui.perfetto.dev"


def program(name, text):
    path = FOLDER / "bin" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text("#!/bin/sh\n" + text)
    path.chmod(0o755)


def start(*arguments, **more):
    (FOLDER / "tmp").mkdir(exist_ok=True)
    environment = dict(os.environ, PATH=f"{FOLDER}/bin:{os.environ['PATH']}", TMPDIR=f"{FOLDER}/tmp", DISPLAY=":0", **more)
    process = subprocess.Popen([HOSTLINK, "open", *arguments], cwd=FOLDER, env=environment, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
    atexit.register(process.kill)
    return process


def ask(port, path, method="GET", **fields):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    headers = {name.replace("_", "-"): value for name, value in fields.items()}
    connection.putrequest(method, path, skip_host="Host" in headers)
    for name, value in headers.items():
        connection.putheader(name, value)
    connection.endheaders()
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer, body


def converted():
    subprocess.run([HOSTLINK, "convert", "-q", "x.kymo", "-o", "x.pftrace"], cwd=FOLDER, check=True, stderr=subprocess.DEVNULL)
    return (FOLDER / "x.pftrace").read_bytes()


def await_that(what, is_so):
    end = time.monotonic() + 120
    while not is_so():
        assert time.monotonic() < end, f"not {what}"
        time.sleep(0.05)


def start_alone(*arguments):
    """The port is the same for all that run on this machine."""
    for _ in range(600):
        process = start(*arguments)
        address = process.stdout.readline().strip()
        if address or "port 9001" not in process.stderr.read():
            break
        time.sleep(0.2)
    return process, address


def test_perfetto(trace):
    process, address = start_alone("-q", "x.kymo")
    assert address == f"{PAGE}/#!/?url=http://127.0.0.1:9001/x.pftrace", address
    idle = [socket.create_connection(("127.0.0.1", 9001)) for _ in range(20)]
    refused = [
        (403, "/x.pftrace", {}), (403, "/x.pftrace", {"Origin": "https://example.com"}), (403, "/x.pftrace", {"Origin": "null"}),
        (403, "/x.pftrace", {"Origin": PAGE, "Host": "example.com:9001"}), (404, "/", {"Origin": PAGE}),
        (404, "/x.kymo", {"Origin": PAGE}), (404, "/../x.kymo", {"Origin": PAGE}), (404, "//x.pftrace", {"Origin": PAGE}),
    ]
    for status, path, fields in refused:
        answer, body = ask(9001, path, **fields)
        assert answer.status == status and body == b"", (path, fields, answer.status)
        assert status == 404 or answer.getheader("Access-Control-Allow-Origin") is None, fields
    assert ask(9001, "/x.pftrace", "POST", Origin=PAGE)[0].status == 405
    answer, _ = ask(9001, "/x.pftrace", "OPTIONS", Origin=PAGE, Access_Control_Request_Private_Network="true")
    assert answer.status == 204 and answer.getheader("Access-Control-Allow-Private-Network") == "true"
    answer, body = ask(9001, "/x.pftrace", "HEAD", Origin=PAGE)
    assert answer.status == 200 and body == b"" and process.poll() is None
    answer, body = ask(9001, "/x.pftrace", Origin=PAGE)
    assert answer.getheader("Access-Control-Allow-Origin") == PAGE and body == trace, "not the trace"
    assert process.wait(60) == 0, process.stderr.read()
    assert not list((FOLDER / "tmp").iterdir()), "the trace is left behind"
    await_that("the browser asked", (FOLDER / "asked").exists)
    assert (FOLDER / "asked").read_text().strip() == address, "the browser was asked for something else"
    for one in idle:
        one.close()


def can_bind(taken):
    try:
        taken.bind(("127.0.0.1", 9001))
        return True
    except OSError:
        return False


def test_taken():
    with socket.socket() as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        await_that("the port free", lambda: can_bind(taken))
        taken.listen()
        process = start("x.kymo")
        assert process.wait(60) == 1 and "port 9001 of this machine" in process.stderr.read()


def test_viewer(trace):
    page = FOLDER / "page"
    (page / "v1").mkdir(parents=True, exist_ok=True)
    (page / "index.html").write_text("<p>page")
    (page / "v1" / "engine.wasm").write_text("engine")
    (page / "link").symlink_to("../x.kymo")
    process = start("-q", "--viewer", "page", "x.kymo")
    port, name = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/#!/\?url=http://127\.0\.0\.1:\1/(.*)\n", process.stdout.readline()).groups()
    for path, status, kind, text in [("/", 200, "text/html; charset=utf-8", b"<p>page"), ("/v1/engine.wasm?x", 200, "application/wasm", b"engine"),
                                     (f"/{name}", 200, "application/octet-stream", trace), ("/v1", 404, "text/plain", b""),
                                     ("/../x.kymo", 404, "text/plain", b""), ("/link", 404, "text/plain", b""), ("/none", 404, "text/plain", b"")]:
        answer, body = ask(int(port), path)
        assert (answer.status, answer.getheader("Content-Type"), body) == (status, kind, text), (path, answer.status)
    assert ask(int(port), f"/{name}", Origin="https://example.com")[0].status == 403
    process.send_signal(signal.SIGTERM)
    assert process.wait(60) == 0
    process = start("--viewer", "bin", "x.kymo")
    assert process.wait(60) == 3 and "perfetto-ui.zip" in process.stderr.read()


def test_report():
    process = start("-q", "--report", "x.kymo")
    address = process.communicate()[0].strip()
    assert process.returncode == 0 and address.startswith(f"file://{FOLDER}/tmp/"), address
    assert pathlib.Path(address[7:]).read_text().startswith("<!DOCTYPE html>")


def test_tracy():
    process = start("-q", "--tracy", "x.kymo")
    assert process.wait(60) == 0, process.stderr.read()
    assert re.fullmatch(r"-a 127\.0\.0\.1 -p \d+\n", (FOLDER / "profiler").read_text())


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    for left in [*(FOLDER / "tmp").glob("*/*"), *(FOLDER / "tmp").glob("*"), FOLDER / "page" / "link", FOLDER / "asked"]:
        left.rmdir() if left.is_dir() else left.unlink(missing_ok=True)
    with open(FOLDER / "x.kymo", "wb") as capture:
        subprocess.run([SCENE], stdout=capture, check=True)
    program("xdg-open", f'printf "%s\\n" "$1" >"{FOLDER}/asked.part" && mv "{FOLDER}/asked.part" "{FOLDER}/asked"\n')
    program("tracy-profiler", f'echo "$@" >"{FOLDER}/profiler"\nexec >/dev/null 2>&1\n'
            f'for try in $(seq 300); do "{VIEWER}" "$4" 76 && exit; sleep 0.1; done\n')
    trace = converted()
    test_perfetto(trace)
    test_taken()
    test_viewer(trace)
    test_report()
    test_tracy()


if __name__ == "__main__":
    main()
