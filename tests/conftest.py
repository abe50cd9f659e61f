"""What all Python tests share."""

import pytest
from jupyter_client.kernelspec import KernelSpecManager, NoSuchKernel

from places import KERNEL, shared_folder


def pytest_report_header():
    try:
        where = KernelSpecManager().get_kernel_spec(KERNEL).resource_dir
    except NoSuchKernel:
        where = "not installed: run `make kernel`, and pytest with that environment's python"
    return [f"kernel {KERNEL}: {where}", f"recorded answers: {shared_folder()}"]


@pytest.fixture(scope="session", autouse=True)
def no_history_of_the_users(tmp_path_factory):
    """Kernels under test keep their history of cells apart from that of whoever runs the tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        yield


@pytest.fixture(scope="session")
def shared():
    """The folder of third-party traces and of HTA's recorded answers; tests that need it skip without it."""
    folder = shared_folder()
    if not folder.is_dir():
        pytest.skip(f"no folder of recorded answers at {folder} (TRACEBOOK_SHARED)")
    return folder
