"""A headless Chromium, driven over a pipe by its DevTools protocol."""

import base64
import json
import os
import signal
import subprocess
import tempfile
import time


class Chromium:
    """One page in a browser of its own; to be used in a `with` block."""

    def __init__(self, width=1280, height=800, dark=False):
        self._folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        to_read, self._to = os.pipe()
        self._from, from_write = os.pipe()
        # The browser reads commands from descriptor 3 and writes answers to 4.
        shell = f'exec "$@" 3<&{to_read} 4>&{from_write}'
        words = ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run",
                 "--disable-dev-shm-usage", "--remote-debugging-pipe", "--hide-scrollbars",
                 f"--user-data-dir={self._folder.name}", f"--window-size={width},{height}"]
        if dark:
            words.append("--blink-settings=preferredColorScheme=0")
        self._process = subprocess.Popen(
            ["bash", "-c", shell, "bash", *words], pass_fds=(to_read, from_write),
            env=dict(os.environ, HOME=self._folder.name), stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, start_new_session=True)
        os.close(to_read)
        os.close(from_write)
        self._rest, self._number, self.messages = b"", 0, []
        target = self._send("Target.createTarget", url="about:blank")["targetId"]
        self._session = self._send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=width < 600)
        if dark:
            self.call("Emulation.setEmulatedMedia",
                      features=[{"name": "prefers-color-scheme", "value": "dark"}])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.killpg(self._process.pid, signal.SIGKILL)  # with the processes that it started
        self._process.wait()
        os.close(self._to)
        os.close(self._from)
        self._folder.cleanup()

    def _receive(self):
        while b"\0" not in self._rest:
            read = os.read(self._from, 1 << 20)
            if not read:
                raise RuntimeError("the browser is gone")
            self._rest += read
        message, self._rest = self._rest.split(b"\0", 1)
        return json.loads(message)

    def _send(self, method, session=None, **parameters):
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self._to, data):]
        while True:
            answer = self._receive()
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self._note(answer)

    def _note(self, event):
        """Keeps what the page complains of."""
        parameters = event.get("params", {})
        if event.get("method") == "Runtime.exceptionThrown":
            details = parameters["exceptionDetails"]
            self.messages.append(details.get("exception", {}).get("description", details["text"]))
        elif event.get("method") == "Log.entryAdded":
            self.messages.append(parameters["entry"]["text"])

    def call(self, method, **parameters):
        """A command of the page."""
        return self._send(method, self._session, **parameters)

    def open(self, path):
        """Loads a page; returns the seconds until it was ready."""
        begin = time.monotonic()
        self.call("Page.navigate", url="file://" + os.path.abspath(path))
        while self.run("document.body?.dataset.ready ?? ''") != "true":
            if self.messages or time.monotonic() - begin > 60:
                raise RuntimeError(f"the page is not ready: {self.messages}")
            time.sleep(0.01)
        return time.monotonic() - begin

    def run(self, script):
        """The value of a JavaScript expression."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True,
                           awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"]["exception"]["description"])
        return answer["result"].get("value")

    def press(self, key, shift=False):
        """A key down and up."""
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, modifiers=8 if shift else 0,
                      **({"text": key} if len(key) == 1 and kind == "keyDown" else {}))

    def click(self, script):
        """A click in the middle of the element that the expression gives."""
        x, y = self.run(f"(() => {{ const e = {script}; e.scrollIntoView({{block: 'center', inline:"
                        "'center'}); const r = e.getBoundingClientRect();"
                        "return [r.x + r.width / 2, r.y + r.height / 2]; })()")
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def screenshot(self, path):
        """Writes what is seen as PNG."""
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("Page.captureScreenshot")["data"]))
