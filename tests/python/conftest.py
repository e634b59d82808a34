"""Fixtures: a context of each backend that is here, of those in KILN_TEST_BACKENDS.

Those in KILN_TEST_REQUIRE must be here, but for those that the build has no compiler for (KILN_TEST_WITHOUT).
"""
import os

import pytest

import kiln

REQUIRED = os.environ.get("KILN_TEST_REQUIRE", "").split(",")
BACKENDS = os.environ.get("KILN_TEST_BACKENDS", "cpu,interp,opencl").split(",")
WITHOUT = os.environ.get("KILN_TEST_WITHOUT", "").split(",")


def open_context(backend, **options):
    if backend in WITHOUT:
        pytest.skip(f"the build has no compiler for {backend}")
    try:
        context = kiln.Context(backend, **options)
        context.devices
    except (kiln.UnavailableError, kiln.NotFoundError) as error:
        if backend in REQUIRED:
            raise
        pytest.skip(str(error))
    return context


@pytest.fixture(params=BACKENDS)
def context(request):
    """Of each backend."""
    return open_context(request.param)


@pytest.fixture
def interp():
    """Of the backend that is everywhere."""
    return kiln.Context("interp")


@pytest.fixture
def cpu():
    """Of the processor. Tests that open their own in another process take it for the skip."""
    return open_context("cpu")


@pytest.fixture(params=["cpu", "interp"])
def host(request):
    """The name of each backend whose device is the process itself."""
    open_context(request.param)
    return request.param
