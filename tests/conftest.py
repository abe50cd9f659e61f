"""Fixtures of all Python tests."""

import pytest
from jupyter_client.kernelspec import KernelSpecManager, NoSuchKernel

import ports
from places import KERNEL, shared_folder

ports.use_for_kernels()


def pytest_report_header():
    try:
        where = KernelSpecManager().get_kernel_spec(KERNEL).resource_dir
    except NoSuchKernel:
        where = "not installed: run `make kernel`, and pytest with that environment's python"
    return [f"kernel {KERNEL}: {where}", f"recorded answers: {shared_folder()}"]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """With workers (`make pytest`), `schedule.py` decides which tests run on the same one, and the order."""
    from schedule import Schedule

    config.option.loadscopereorder = False
    return Schedule(config, log)


def pytest_collection_modifyitems(config, items):
    if hasattr(config, "workerinput"):
        from schedule import rank_of

        items.sort(key=lambda item: rank_of(item.nodeid))


@pytest.fixture(scope="session", autouse=True)
def no_history_of_the_users(tmp_path_factory):
    """Separates the history of kernels under test from that of the user."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        yield


@pytest.fixture(scope="session", autouse=True)
def no_cache_of_the_user():
    """Separates kernels under test from the user's cache of loaded traces; tests of the cache set their own folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TRACEBOOK_CACHE", "off")
        yield


@pytest.fixture(scope="session")
def shared():
    """The folder of third-party traces and HTA's recorded results; without it, tests that need it are skipped."""
    folder = shared_folder()
    if not folder.is_dir():
        pytest.skip(f"no folder of recorded answers at {folder} (TRACEBOOK_SHARED)")
    return folder
