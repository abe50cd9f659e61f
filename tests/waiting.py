"""Waits for conditions instead of for an amount of time."""

import time

# What does not happen within so many seconds does not happen, however busy the machine is.
AT_MOST = 60


def wait_until(condition, within, failure):
    """Returns the first true value of `condition()`; fails with `failure` after `within` seconds."""
    deadline = time.monotonic() + within
    while not (found := condition()):
        assert time.monotonic() < deadline, f"{failure() if callable(failure) else failure} (waited {within} s)"
        time.sleep(0.01)
    return found
