"""Element types, offsets and collective operations. Prints: ok. With "skipped" process 0 leaves an
operation out."""
import array
import operator
import sys

import migbsp as bsp

try:
    import numpy
except ImportError:
    numpy = None


def refused(error, words, function, *args, **named):
    try:
        function(*args, **named)
    except error as e:
        assert words in str(e), e
        return
    raise AssertionError("%s %r is not refused" % (function.__name__, args))


def elements(p, s):
    """Offsets and sizes count elements of all types, in one dimension or more."""
    right, left = (s + 1) % p, (s + p - 1) % p
    for code in "bBhHiIlLqQfd":
        area, got = array.array(code, range(4 * p)), array.array(code, [0, 0])
        with bsp.registered(area):
            bsp.put(right, array.array(code, [s, s + 1, s + 2]), area, 4 * s, 2)
            bsp.put(right, s + 9, area, 4 * s + 3)
            bsp.sync()
            assert list(area[4 * left : 4 * left + 4]) == [left, left + 1, 4 * left + 2, left + 9], (code, area)
            bsp.get(right, area, 4 * s + 1, got)
            bsp.sync()
            assert list(got) == [s + 1, 4 * s + 2], got
    grid = memoryview(bytearray(8 * 3 * p)).cast("d", [p, 3])
    with bsp.registered(grid):
        bsp.put(right, array.array("d", [1, 2, 3]), grid, 3 * s)
        bsp.hpput(right, 5, grid, 3 * s + 1)
        bsp.sync()
        assert grid.tolist()[left][::2] == [1, 3], grid.tolist()
        refused(TypeError, "data of int64 and an area of float64", bsp.put, 0, array.array("q", [1]), grid)
        refused(TypeError, "data of float64 and an area of float32", bsp.get, 0, array.array("f", [1]), 0, grid)
        refused(TypeError, "data of uint8", bsp.put, 0, b"12345678", grid)
        refused(TypeError, "cannot be an element of float64", bsp.put, 0, 1j, grid)
        refused(TypeError, "a str has no buffer", bsp.put, 0, "text", grid)
        refused(TypeError, "offset 1.0 is no integer", bsp.put, 0, 1.0, grid, 1.0)
        refused(TypeError, "process 0.0 is no integer", bsp.put, 0.0, 1.0, grid)
        refused(ValueError, "beyond all areas", bsp.put, 0, 1.0, grid, 2**61)
        refused(ValueError, "size 2, and the data has 1 element", bsp.put, 0, 1.0, grid, 0, 2)
        refused(BufferError, "is read-only", bsp.get, 0, memoryview(b"12").cast("B"), 0, b"12")
    refused(TypeError, "3.5 cannot be an element of int64", bsp.put, 0, 3.5, array.array("q", [1]))
    refused(TypeError, "300 cannot be an element of uint8", bsp.put, 0, 300, bytearray(1))
    refused(ValueError, "numpy.ascontiguousarray", bsp.push_reg, memoryview(bytearray(8))[::2])
    refused(ValueError, "numpy.ascontiguousarray", bsp.put, 0, memoryview(bytearray(8))[::2], bytearray(8))
    refused(TypeError, "a list has no buffer", bsp.push_reg, [1, 2])
    mixed = array.array("d" if s == p - 1 and p > 1 else "q", [0] * 8)
    with bsp.registered(mixed):
        if s < p - 1:
            refused(TypeError, "elements of int64 here and of float64 on process %d" % (p - 1), bsp.put, p - 1, 1, mixed)
            bsp.put(0, 1, mixed)


def collectives(p, s, n):
    """All operations on numbers and objects, and on arrays of n elements."""
    assert bsp.allreduce(s + 1) == p * (p + 1) // 2
    assert bsp.allreduce(10**30 + s, "max") == 10**30 + p - 1
    assert bsp.allreduce(0.5) == p / 2 and type(bsp.allreduce(0.5)) is float
    assert bsp.allreduce(1j) == p * 1j
    assert bsp.allreduce(True) == p and bsp.allreduce(s == 0, "max") is True
    assert bsp.allreduce("%d," % s, operator.add) == "".join("%d," % i for i in range(p))
    assert bsp.reduce(2, "prod", p - 1) == (2**p if s == p - 1 else None)
    assert bsp.scan(s) == s * (s + 1) // 2
    assert bsp.broadcast({"of": s}, p - 1) == {"of": p - 1}
    assert bsp.allgather("x" * s * n) == ["x" * i * n for i in range(p)]
    assert bsp.gather((s, None)) == ([(i, None) for i in range(p)] if s == 0 else None)
    assert bsp.scatter([str(i) * n for i in range(p)] if s == 0 else None) == str(s) * n
    for code in "iqfd":
        mine = array.array(code, (i % 7 + s for i in range(n)))
        both = array.array(code, (p * (i % 7) + p * (p - 1) // 2 for i in range(n)))
        assert bsp.allreduce(mine) == both
        assert bsp.reduce(mine, root=p - 1) == (both if s == p - 1 else None)
        assert bsp.allreduce(mine, "min") == array.array(code, (i % 7 for i in range(n)))
        assert bsp.allreduce(mine, lambda a, b: b) == array.array(code, (i % 7 + p - 1 for i in range(n)))
        assert bsp.scan(mine, "max") == mine
        assert bsp.broadcast(mine if s == 0 else None) == array.array(code, (i % 7 for i in range(n)))
        assert bsp.allgather(mine[s:]) == [array.array(code, (k % 7 + i for k in range(i, n))) for i in range(p)]
    refused(ValueError, "expected one of sum, prod, max, min", bsp.allreduce, 1, "mean")
    refused(ValueError, "root %d, and there are %d processes" % (p, p), bsp.broadcast, 1, p)
    refused(TypeError, "a list has no sum", bsp.allreduce, [1])
    refused(TypeError, "cannot be sent", bsp.allgather, sys)
    if s == 0:
        refused(ValueError, "values for %d processes" % p, bsp.scatter, [1] * (p + 1))
    if p > 1:
        refused(TypeError, "op sum, array, d, %d" % (n + 1 if s == 0 else n), bsp.allreduce, array.array("d", [0] * (n if s == 0 else n + 1)))
        refused(TypeError, "calls gather(root 0)" if s == 0 else "calls broadcast(root 0)", bsp.broadcast if s == 0 else bsp.gather, 1)


def arrays(p, s, n):
    """The same for NumPy, whose types stay."""
    right, left = (s + 1) % p, (s + p - 1) % p
    for name in ["bool", "int8", "int32", "uint16", "int64", "float32", "float64", "complex64", "complex128"]:
        area = numpy.zeros((p, 3), name)
        with bsp.registered(area):
            bsp.put(right, numpy.ones(2, name), area, 3 * s + 1)
            bsp.put(right, 1, area, 3 * s)
            bsp.sync()
            assert (area[left] == 1).all() and area.sum() == 3, area
        mine = (numpy.arange(2 * n).reshape(2, n) % 2).astype(name)
        got = bsp.allreduce(mine, "max")
        assert got.dtype == mine.dtype and got.shape == mine.shape and (got == mine).all() and got.flags.writeable
        got = bsp.allreduce(mine)
        assert got.dtype == ("int64" if name == "bool" else name) and (got == sum([mine] * p, 0 * mine.astype(got.dtype))).all()
        got = bsp.broadcast(mine * s, p - 1)
        assert got.dtype == (mine * s).dtype and (got == mine * (p - 1)).all()
        rows = bsp.scatter(numpy.full((p, n), 1, name) if s == 0 else None)
        assert rows.dtype == name and rows.shape == (n,) and rows.all()
        assert [g.tolist() for g in bsp.allgather(mine.T)] == [mine.T.tolist()] * p
        one = numpy.ones(1, name)[0]
        assert bsp.allreduce(one) == p and type(bsp.allreduce(one, "max")) is type(one)
    assert bsp.allreduce(numpy.float32(1), numpy.add).dtype == "float32"
    assert bsp.allreduce(numpy.array(2.0)) == 2 * p
    assert (bsp.allreduce(numpy.full((2, 2), 1.0), numpy.matmul) == 2 ** (p - 1)).all()
    assert bsp.allgather(numpy.zeros((0, 3)))[p - 1].shape == (0, 3)
    floats = numpy.zeros(n)
    with bsp.registered(floats):
        bsp.put(right, numpy.float32(0.5), floats, numpy.int64(1))
        bsp.sync()
        assert floats[1] == 0.5
    refused(ValueError, "numpy.ascontiguousarray", bsp.push_reg, numpy.zeros((4, 4))[:, 1])
    refused(ValueError, "numpy.ascontiguousarray", bsp.push_reg, numpy.asfortranarray(numpy.zeros((4, 4))))
    refused(BufferError, "read-only", bsp.push_reg, numpy.broadcast_to(numpy.zeros(1), 1))
    pairs = numpy.zeros(4, [("Odd", "i4"), ("x", "f8", 2)])
    with bsp.registered(pairs):
        bsp.put(right, numpy.ones(1, pairs.dtype), pairs, 3)
        bsp.sync()
        assert pairs["x"].sum() == 2 and pairs[3]["Odd"] == 1
    for objects in numpy.array([None]), numpy.zeros(1, [("a", "i4"), ("b", "O")]), numpy.array([1, "a"], object):
        refused(TypeError, "Python objects", bsp.push_reg, objects)
        refused(TypeError, "Python objects", bsp.send, 0, objects)
        assert bsp.allgather(objects)[p - 1].tolist() == objects.tolist()
    refused(TypeError, "cannot be used", bsp.push_reg, numpy.zeros(3, "M8[s]"))
    refused(TypeError, "data of big-endian float64", bsp.put, 0, numpy.zeros(1, ">f8"), floats)


def main(how):
    with bsp.section():
        p, s = bsp.nprocs(), bsp.pid()
        if how == "skipped":
            bsp.allreduce(s)
            bsp.sync() if s == 0 else bsp.allreduce(s)
        elements(p, s)
        for n in (5, 700):
            collectives(p, s, n)
            if numpy:
                arrays(p, s, n)
        if s == 0:
            print("ok" if numpy else "ok without NumPy")


main(sys.argv[1] if len(sys.argv) > 1 else "")
