# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A headless Chromium, driven over its DevTools pipe (https://chromedevtools.github.io/devtools-protocol/): no port, no driver."""

from __future__ import annotations

import base64
import fcntl
import json
import os
import select
import subprocess
import time

SECONDS = 60
OPTIONS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--disable-extensions", "--no-default-browser-check", "--remote-debugging-pipe",
)  # fmt: skip


class Chromium:
    """One browser with one page. messages: what the page's console and its policy said; requests: the addresses it asked for."""

    def __init__(self, scratch, width=1440, height=1000):
        """scratch: a directory for its profile and home."""
        theirs_in, self._write = (fcntl.fcntl(each, fcntl.F_DUPFD, 20) for each in os.pipe())
        self._read, theirs_out = (fcntl.fcntl(each, fcntl.F_DUPFD, 20) for each in os.pipe())
        command = ["bash", "-c", 'exec "$@" 3<&%d 4>&%d' % (theirs_in, theirs_out), "bash", "chromium", *OPTIONS]
        command += ["--user-data-dir=%s" % (scratch / "profile"), "--window-size=%d,%d" % (width, height), "about:blank"]
        environ = {"HOME": str(scratch), "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}
        self._log = open(str(scratch / "chromium.log"), "wb")
        self._process = subprocess.Popen(
            command, env=environ, pass_fds=(theirs_in, theirs_out), stdin=subprocess.DEVNULL, stdout=self._log, stderr=self._log, start_new_session=True
        )
        os.close(theirs_in)
        os.close(theirs_out)
        self._buffer, self._number, self._session = b"", 0, None
        self.messages, self.requests, self._loaded = [], [], False
        page = self._call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self._call("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self._call(domain + ".enable")

    def open(self, url):
        """Load a page and wait until it is there."""
        self.messages, self.requests, self._loaded = [], [], False
        self._call("Page.navigate", url=url)
        while not self._loaded:
            self._event()

    def run(self, script):
        """Return what a JavaScript expression comes to, as plain data. Raises AssertionError for one that throws."""
        done = self._call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True, userGesture=True)
        assert "exceptionDetails" not in done, done
        return done["result"].get("value")

    def media(self, scheme):
        """Show the page as somebody sees it who prefers "dark" or "light"."""
        self._call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def size(self, width, height):
        """Show the page in a window of that many pixels."""
        self._call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def screenshot(self, path, whole=False):
        """Write a PNG of what is seen, or of the whole page."""
        path.write_bytes(base64.b64decode(self._call("Page.captureScreenshot", captureBeyondViewport=whole)["data"]))

    def close(self):
        """End the browser."""
        try:
            self._session = None
            self._call("Browser.close")
        except (AssertionError, OSError):
            self._process.kill()
        self._process.wait(timeout=SECONDS)
        os.close(self._read)
        os.close(self._write)
        self._log.close()

    def _call(self, method, **parameters):
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode("utf-8") + b"\0")
        wanted = self._number
        while True:
            answer = self._event()
            if answer.get("id") == wanted:
                assert "error" not in answer, answer
                return answer["result"]

    def _event(self):
        """Return the next message, noted where it is an event."""
        end = time.monotonic() + SECONDS
        while b"\0" not in self._buffer:
            ready = select.select([self._read], [], [], max(0, end - time.monotonic()))[0]
            data = os.read(self._read, 1 << 16) if ready else b""
            assert data, "Chromium gives no answer; see chromium.log in its scratch directory"
            self._buffer += data
        text, _zero, self._buffer = self._buffer.partition(b"\0")
        message = json.loads(text.decode("utf-8"))
        method, parameters = message.get("method"), message.get("params", {})
        if method in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"):
            self.messages.append(parameters)
        elif method == "Network.requestWillBeSent":
            self.requests.append(parameters["request"]["url"])
        elif method == "Page.loadEventFired":
            self._loaded = True
        return message
