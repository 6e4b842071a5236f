"""A headless Chromium that is driven over the W3C WebDriver protocol, which is JSON over HTTP."""

import base64
import json
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any, Self

FLAGS = [
    "--headless=new",
    "--no-sandbox",  # tests run as root in containers
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--hide-scrollbars",
]
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # the standard's key for a reference
KEYS = {"right": "\ue014", "left": "\ue012", "down": "\ue015", "home": "\ue011", "tab": "\ue004"}


class Browser:
    """`run` evaluates a function's body in the page; elements that it returns can be typed into."""

    def __init__(self, profile: Path, width: int = 1500, height: int = 1000):
        driver = shutil.which("chromedriver")
        assert driver, "chromedriver is missing: tools/setup --tests installs it"
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self._base = f"http://127.0.0.1:{port}"
        self._driver = subprocess.Popen(
            [driver, f"--port={port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        flags = [*FLAGS, f"--user-data-dir={profile}", f"--window-size={width},{height}"]
        wanted = {
            "browserName": "chrome",
            "goog:chromeOptions": {"args": flags},
            "goog:loggingPrefs": {"browser": "ALL"},
        }
        try:
            self._wait_for_driver()
            answer = self._call("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
        except BaseException:
            self._driver.kill()
            raise
        self._session = f"/session/{answer['sessionId']}"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self._call("DELETE", self._session)
        finally:
            self._driver.terminate()
            self._driver.wait(20)

    def open(self, page: Path) -> None:
        self._call("POST", f"{self._session}/url", {"url": page.resolve().as_uri()})

    def run(self, body: str, *args: Any) -> Any:
        sent = {"script": body, "args": list(args)}
        return self._call("POST", f"{self._session}/execute/sync", sent)

    def text(self, selector: str) -> str:
        return self.run("return document.querySelector(arguments[0]).textContent", selector)

    def type(self, selector: str, *keys: str) -> None:
        """Real key presses, as a user's; `keys` are names in KEYS."""
        found = self.run("return document.querySelector(arguments[0])", selector)
        text = "".join(KEYS.get(key, key) for key in keys)
        self._call("POST", f"{self._session}/element/{found[ELEMENT]}/value", {"text": text})

    def click(self, selector: str) -> None:
        found = self.run("return document.querySelector(arguments[0])", selector)
        self._call("POST", f"{self._session}/element/{found[ELEMENT]}/click", {})

    def be_dark(self, dark: bool = True) -> None:
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        command = {"cmd": "Emulation.setEmulatedMedia", "params": {"features": [scheme]}}
        self._call("POST", f"{self._session}/goog/cdp/execute", command)

    def complaints(self) -> list[str]:
        """Errors and warnings of the page since this was last asked."""
        entries = self._call("POST", f"{self._session}/se/log", {"type": "browser"})
        return [e["message"] for e in entries if e["level"] in ("SEVERE", "WARNING")]

    def screenshot(self, to: Path) -> None:
        to.write_bytes(base64.b64decode(self._call("GET", f"{self._session}/screenshot")))

    def _wait_for_driver(self) -> None:
        for _ in range(200):
            try:
                if self._call("GET", "/status")["ready"]:
                    return
            except OSError:
                time.sleep(0.1)
        raise TimeoutError("chromedriver does not answer")

    def _call(self, verb: str, path: str, content: dict | None = None) -> Any:
        body = None if content is None else json.dumps(content).encode()
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(self._base + path, body, headers, method=verb)
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(json.load(error)["value"]["message"]) from None
