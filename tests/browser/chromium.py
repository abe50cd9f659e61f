"""A headless Chromium, driven by Playwright with real clicks and keys. It collects the errors of the page.

Playwright's wheel contains its driver and Node, and drives the Chromium of the system: nothing else is downloaded.
"""

import contextlib
import os
import shutil

from playwright.sync_api import expect, sync_playwright

NAMES = ["chromium", "chromium-browser", "google-chrome"]
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-dev-shm-usage", "--hide-scrollbars"]
# A slow machine must not fail a test.
SECONDS = 90
expect.set_options(timeout=SECONDS * 1000)
OURS = ("http://127.0.0.1", "http://localhost", "data:", "blob:", "ws:")


def find():
    """The browser's path, or None."""
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)


class Page:
    """A page. Collects its errors, and its requests to other machines."""

    def __init__(self, play):
        self.play = play
        self.errors = []
        self.foreign_requests = []
        play.on("pageerror", lambda error: self.errors.append(f"{error.message}\n{error.stack}"))
        play.on("console", lambda line: self.errors.append(f"{line.text} {line.location}") if line.type == "error" else None)
        play.on("request", lambda request: None if request.url.startswith(OURS) else self.foreign_requests.append(request.url))

    def open(self, url):
        self.play.goto(url, wait_until="commit")

    def size(self, width, height):
        self.play.set_viewport_size({"width": width, "height": height})

    def evaluate(self, script):
        """The value of a JavaScript expression; a promise is awaited."""
        return self.play.evaluate(script)

    def wait(self, script, seconds=SECONDS):
        """Waits until a JavaScript expression is true."""
        try:
            self.play.wait_for_function(script, polling=200, timeout=seconds * 1000)
        except Exception as error:
            raise AssertionError(f"still not true after {seconds} s: {script}\nerrors of the page: {self.errors}") from error

    def screenshot(self, path):
        self.play.screenshot(path=path)


@contextlib.contextmanager
def page(**options):
    """A page in a fresh browser; `options` are those of Playwright's contexts."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find(), args=FLAGS, timeout=SECONDS * 1000)
        try:
            context = browser.new_context(
                viewport={"width": 1400, "height": 1000},
                permissions=["clipboard-read", "clipboard-write"],
                **options,
            )
            context.set_default_timeout(SECONDS * 1000)
            yield Page(context.new_page())
        finally:
            browser.close()
