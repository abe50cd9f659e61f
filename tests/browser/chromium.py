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
# The size of a page.
SIZE = (1400, 1000)
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

    def begin(self):
        """Forgets errors, and resets what a test may have changed."""
        self.errors.clear()
        self.foreign_requests.clear()
        self.size(*SIZE)
        self.play.emulate_media(media="null")
        self.play.mouse.move(0, 0)

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
            self.play.wait_for_function(script, polling=50, timeout=seconds * 1000)
        except Exception as error:
            raise AssertionError(f"still not true after {seconds} s: {script}\nerrors of the page: {self.errors}") from error

    def screenshot(self, path):
        self.play.screenshot(path=path)


@contextlib.contextmanager
def browser():
    """A running browser. Only one at a time: Playwright has one event loop in a thread."""
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=find(), args=FLAGS, timeout=SECONDS * 1000)
        try:
            yield running
        finally:
            running.close()


@contextlib.contextmanager
def context(browser, **options):
    """A profile of a browser, with its own cache and storage; `options` are those of Playwright's contexts."""
    made = browser.new_context(
        viewport=dict(zip(("width", "height"), SIZE, strict=True)), permissions=["clipboard-read", "clipboard-write"], **options
    )
    made.set_default_timeout(SECONDS * 1000)
    try:
        yield made
    finally:
        made.close()


@contextlib.contextmanager
def page(browser, **options):
    """A page in a profile of its own."""
    with context(browser, **options) as made:
        yield Page(made.new_page())
