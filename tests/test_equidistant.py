"""The ruler, and points that are equally far apart."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from demo_lib import equidistant as room
from demo_lib.problems import Problem


def test_the_lessons_vectors():
    """(1,1) with (1,1), (2,2), (10,10): 2, 4, 20, and cosine 1 each time."""
    measured = room.ruler([(1, 1), (2, 2), (10, 10)])
    assert measured.dots[0].tolist() == [2, 4, 20]
    np.testing.assert_allclose(measured.cosines[0], 1)
    np.testing.assert_allclose(measured.norms, [math.sqrt(2), math.sqrt(8), math.sqrt(200)])
    np.testing.assert_allclose(measured.distances[0], [0, math.sqrt(2), math.sqrt(162)])


@given(st.lists(st.tuples(*[st.floats(-1e6, 1e6)] * 2), min_size=1, max_size=5))
def test_the_ruler_against_the_definitions(vectors):
    measured = room.ruler(vectors)
    for i, a in enumerate(vectors):
        assert measured.norms[i] == pytest.approx(math.hypot(*a), rel=1e-12, abs=1e-150)
        for j, b in enumerate(vectors):
            assert measured.dots[i, j] == pytest.approx(a[0] * b[0] + a[1] * b[1], rel=1e-9, abs=1e-3)
            assert measured.distances[i, j] == pytest.approx(math.dist(a, b), rel=1e-12, abs=1e-150)
            if measured.norms[i] > 1e-100 and measured.norms[j] > 1e-100:
                angle = math.atan2(a[1], a[0]) - math.atan2(b[1], b[0])
                assert measured.cosines[i, j] == pytest.approx(math.cos(angle), abs=1e-9)


def test_a_vector_of_zeros_has_no_cosine():
    assert np.isnan(room.ruler([(0, 0), (1, 0)]).cosines[0]).all()


@pytest.mark.parametrize(
    "vectors", [[], [(1, 2), (1,)], [(float("nan"), 1)], [(1e200, 1)], "ab", [(1, 1)] * 13, [()], None]
)
def test_what_is_no_vector_is_said(vectors):
    with pytest.raises(Problem):
        room.ruler(vectors)


@pytest.mark.parametrize("dimensions", [1, 2, 3, 26, 64])
def test_d_and_one_points_are_equally_far_apart(dimensions):
    points = room.simplex(dimensions)
    assert points.shape == (dimensions + 1, dimensions)
    distances = np.linalg.norm(points[:, None] - points, axis=-1)[~np.eye(dimensions + 1, dtype=bool)]
    np.testing.assert_allclose(distances, 1, atol=1e-12)
    assert np.linalg.matrix_rank(points[1:] - points[0]) == dimensions  # so that one more would not fit


def test_one_hot_rows_need_one_dimension_less_than_there_are():
    found = room.one_hots(27)
    assert found == room.OneHots(27, math.sqrt(2), 0, 26)


def ratio(points):
    distances = np.linalg.norm(points[:, None] - points, axis=-1)[~np.eye(len(points), dtype=bool)]
    return distances.min() / distances.max()


@pytest.mark.parametrize(
    ("count", "best"),
    # proved: 2 and 3 points can be equally far apart; 4: a square; 5: a pentagon; 7: a hexagon and its centre
    [(2, 1), (3, 1), (4, math.sqrt(1 / 2)), (5, (math.sqrt(5) - 1) / 2), (7, 1 / 2)],
)
def test_few_points_reach_the_best_that_is_known(count, best):
    found = room.packing(count)
    assert found.nearest == pytest.approx(best, abs=2e-3)
    assert found.nearest <= best + 1e-9


def test_twenty_seven_points_in_the_plane():
    found = room.packing(27)
    assert found.points.shape == (27, 2)
    assert found.nearest == pytest.approx(ratio(found.points))
    i, j = np.meshgrid(np.arange(-9, 10), np.arange(-9, 10))
    grid = np.stack([i + j / 2, j * math.sqrt(3) / 2], -1).reshape(-1, 2)
    centres = np.random.default_rng(0).random((300, 2))
    pieces = [grid[np.argsort(np.linalg.norm(grid - centre, axis=1))[:27]] for centre in centres]
    assert found.nearest >= max(map(ratio, pieces)) - 1e-3
    # 27 discs of diameter `nearest` with centres within 1 of each other lie in a region no larger than the disc of
    # diameter 1 + nearest (isodiametric), and fill at most pi / sqrt 12 of the plane (Thue)
    assert 27 * found.nearest**2 <= math.pi / math.sqrt(12) * (1 + found.nearest) ** 2 + found.nearest
    assert room.packing(27) is found


@pytest.mark.parametrize("count", [1, 41, 2.5, True, "27"])
def test_counts_out_of_range_are_refused(count):
    with pytest.raises(Problem):
        room.packing(count)
