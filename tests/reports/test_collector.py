import gc

import pytest

from reports.collector import uncollected


@pytest.fixture(params=[True, False], ids=["collecting", "not collecting"])
def before(request):
    was = gc.isenabled()
    (gc.enable if request.param else gc.disable)()
    yield request.param
    (gc.enable if was else gc.disable)()


def test_the_collector_rests_meanwhile_and_is_as_it_was_afterwards(before):
    @uncollected()
    def inner():
        return gc.isenabled()

    with uncollected():
        assert [gc.isenabled(), inner(), gc.isenabled()] == [False, False, False]
    assert gc.isenabled() is before
    assert inner() is False and gc.isenabled() is before


def test_an_error_leaves_it_as_it_was(before):
    with pytest.raises(KeyError), uncollected():
        raise KeyError("a blob")
    assert gc.isenabled() is before
