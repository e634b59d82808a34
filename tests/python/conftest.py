"""Fixtures: a context of each backend that is here. Those in KILN_TEST_REQUIRE must be."""
import os

import pytest

import kiln

REQUIRED = os.environ.get("KILN_TEST_REQUIRE", "").split(",")


def open_context(backend, **options):
    try:
        context = kiln.Context(backend, **options)
        context.devices
    except (kiln.UnavailableError, kiln.NotFoundError) as error:
        if backend in REQUIRED:
            raise
        pytest.skip(str(error))
    return context


@pytest.fixture(params=["cpu", "interp", "opencl"])
def context(request):
    """Of each backend."""
    return open_context(request.param)


@pytest.fixture
def interp():
    """Of the backend that is everywhere."""
    return kiln.Context("interp")
