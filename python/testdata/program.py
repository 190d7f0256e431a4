"""What Python has of BSPlib, and how programs end. Prints: ok."""
import array
import ctypes
import sys

import migbsp as bsp


def primitives():
    p, s = bsp.nprocs(), bsp.pid()
    right, left = (s + 1) % p, (s + p - 1) % p
    area, data, got = array.array("q", [0] * p), array.array("q", [s * s]), bytearray(8)
    with bsp.registered(area):
        for i in range(p):
            bsp.put(i, data, area, s)
        data[0] = -1
        bsp.sync()
        assert list(area) == [i * i for i in range(p)], area
        bsp.hpput(right, memoryview(b"12345678---"), memoryview(area).cast("B"), 0, 8)
        bsp.sync()
        bsp.get(right, memoryview(area).cast("B"), 0, got)
        bsp.sync()
        assert got == b"12345678", got
        bsp.hpget(left, memoryview(area).cast("B"), 0, memoryview(got)[4:], 4)
        bsp.sync()
        assert got == b"12341234", got
        refused(BufferError, area.append, 3)
        refused(ValueError, bsp.put, 0, b"abc", bytearray(4), 0, 4)
    area.append(3)
    refused(BufferError, bsp.push_reg, b"cannot be written")
    assert bsp.set_tagsize(4) == 0
    bsp.sync()
    bsp.send(right, b"from %d" % s, b"%4d" % s)
    refused(ValueError, bsp.send, right, b"tag", b"too long")
    bsp.sync()
    assert bsp.qsize() == (1, len(b"from %d" % left))
    assert bsp.get_tag() == (len(b"from %d" % left), b"%4d" % left)
    assert list(bsp.messages()) == [(b"%4d" % left, b"from %d" % left)]
    assert bsp.get_tag() == (None, b"") and bsp.time() >= 0
    assert bsp.set_tagsize(0) == 4
    bsp.sync()
    bsp.send(right, b"abcdef")
    bsp.sync()
    assert bsp.move(bytearray(3)) == b"abc"
    return p


def refused(error, function, *args):
    try:
        function(*args)
    except error:
        return
    raise AssertionError("%s(%r) has not raised %s" % (function.__name__, args, error.__name__))


class Comm:
    """What hook needs of a communicator of mpi4py, which is not everywhere: a handle of Fortran."""

    mpi = ctypes.CDLL(None)
    open_mpi = hasattr(mpi, "ompi_mpi_comm_world")
    handle = ctypes.c_void_p if open_mpi else ctypes.c_int

    def __init__(self, handle):
        self.at = handle
        rank, size = ctypes.c_int(), ctypes.c_int()
        self.mpi.MPI_Comm_rank(handle, ctypes.byref(rank))
        self.mpi.MPI_Comm_size(handle, ctypes.byref(size))
        self.rank, self.size = rank.value, size.value

    @classmethod
    def world(cls):
        cls.mpi.MPI_Init(None, None)
        if cls.open_mpi:
            return cls(cls.handle(ctypes.addressof(ctypes.c_char.in_dll(cls.mpi, "ompi_mpi_comm_world"))))
        return cls(cls.handle(0x44000000))

    def split(self, color):
        part = self.handle()
        self.mpi.MPI_Comm_split(self.at, color, 0, ctypes.byref(part))
        return Comm(part)

    def free(self):
        self.mpi.MPI_Comm_free(ctypes.byref(self.at))

    def py2f(self):
        return self.mpi.MPI_Comm_c2f(self.at) if self.open_mpi else self.at.value


def hooks():
    world = Comm.world()
    for _ in range(3):
        assert bsp.hook(world, primitives) == world.size
        part = world.split(world.rank % 2)
        assert bsp.hook(part, primitives) == part.size
        part.free()
    if world.rank == 0:
        print("ok")
    Comm.mpi.MPI_Finalize()


def main(how):
    if how == "hook":
        return hooks()
    if how == "early":
        sys.exit(7)
    with bsp.section():
        n = primitives()
        if how == "put":
            bsp.put(n, b"x", bytearray(1))  # WRONG
        if how == "raise":
            raise RuntimeError("not so")
        if how == "exit":
            sys.exit(3)
        if how == "abort":
            print("before")
            bsp.abort("given up by %d" % bsp.pid())
        if bsp.pid() == 0:
            print("ok")


main(sys.argv[1] if len(sys.argv) > 1 else "")
