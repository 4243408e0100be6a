"""One tenant never holds all threads or connections of a process."""

from core.concurrency_limits import ConcurrencyLimit


def test_one_tenant_gets_half_of_the_places_and_all_tenants_no_more_than_the_limit():
    limits = ConcurrencyLimit(4)
    with limits.place(1) as first, limits.place(1) as second, limits.place(1) as third:
        assert (first, second, third) == (True, True, False)
        with limits.place(2) as fourth, limits.place(3) as fifth, limits.place(4) as sixth:
            assert (fourth, fifth, sixth) == (True, True, False)


def test_a_place_is_free_again_when_it_is_given_back():
    limits = ConcurrencyLimit(2)
    for _ in range(5):
        with limits.place(1) as taken:
            assert taken


def test_a_place_is_free_again_after_an_error():
    limits = ConcurrencyLimit(2)
    try:
        with limits.place(1):
            raise ValueError
    except ValueError:
        pass
    with limits.place(1) as taken:
        assert taken
