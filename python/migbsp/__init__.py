"""BSPlib in Python: supersteps, puts, gets, messages and collective operations, on ranks of MPI.

    import numpy, migbsp as bsp

    with bsp.section():
        squares = numpy.zeros(bsp.nprocs())
        with bsp.registered(squares):
            bsp.put(0, bsp.pid() ** 2, squares, bsp.pid())
            bsp.sync()
        print(bsp.allreduce(squares.sum()))

Each rank is an interpreter with one process: mpirun -n 4 python program.py. Without a launcher
the program is one process. Processes of Python do not move: their state is in the interpreter of
the rank. The account of the run, its record and all settings are the same as in other programs
of migbsp, by environment variables (MIGBSP_TABLE=sites, MIGBSP_RUN_DIR=run).

Areas and data are contiguous objects with the buffer protocol: NumPy arrays, array.array,
bytearray, memoryview. The library uses their memory without copies. Offsets and sizes count
elements of the area, in C order, as numpy.ravel returns them; for a bytearray these are bytes. Data
and area have the same element type, which is also the area's type on the other process. A number
is converted to the area's type. TypeError, ValueError and BufferError report objects that do not
fit. All other misuse ends the program on all ranks, as in all BSPlibs, with a line that names the
superstep, the process and the function.

The library is libmigbsp.so, which bspcc -static-rank also uses. MIGBSP_LIBRARY names its path or
directory. Otherwise the package takes its own copy, else the one of bspcc in PATH, else the one
below sys.prefix, ~/.local, /usr/local or /usr.
"""

import atexit
import contextlib
import ctypes
import operator
import os
import re
import shutil
import struct
import sys
import zlib

__all__ = [
    "begin", "end", "section", "hook", "nprocs", "pid", "time", "sync", "abort",
    "push_reg", "pop_reg", "registered", "put", "hpput", "get", "hpget",
    "set_tagsize", "send", "qsize", "get_tag", "move", "messages",
    "broadcast", "gather", "allgather", "scatter", "reduce", "allreduce", "scan",
]

_NAME = "libmigbsp.so"
_HERE = os.path.dirname(os.path.abspath(__file__))
_size, _pointer, _unsigned = ctypes.c_size_t, ctypes.c_void_p, ctypes.c_uint
_spmd = ctypes.CFUNCTYPE(None, _pointer)
_ending = ctypes.CFUNCTYPE(None)
_where = ctypes.CFUNCTYPE(None, _pointer, _size, _size)

# Functions of the library, with the sizes of MulticoreBSP: results and arguments.
_FUNCTIONS = {
    "mcbsp_begin": (None, [_unsigned]),
    "mcbsp_end": (None, []),
    "mcbsp_abort": (None, [ctypes.c_char_p, ctypes.c_char_p]),
    "mcbsp_nprocs": (_unsigned, []),
    "mcbsp_pid": (_unsigned, []),
    "mcbsp_time": (ctypes.c_double, []),
    "mcbsp_sync": (None, []),
    "mcbsp_push_reg": (None, [_pointer, _size]),
    "mcbsp_pop_reg": (None, [_pointer]),
    "mcbsp_put": (None, [_unsigned, _pointer, _pointer, _size, _size]),
    "mcbsp_hpput": (None, [_unsigned, _pointer, _pointer, _size, _size]),
    "mcbsp_get": (None, [_unsigned, _pointer, _size, _pointer, _size]),
    "mcbsp_hpget": (None, [_unsigned, _pointer, _size, _pointer, _size]),
    "mcbsp_set_tagsize": (None, [ctypes.POINTER(_size)]),
    "mcbsp_send": (None, [_unsigned, _pointer, _pointer, _size]),
    "mcbsp_qsize": (None, [ctypes.POINTER(_unsigned), ctypes.POINTER(_size)]),
    "mcbsp_get_tag": (None, [ctypes.POINTER(_size), _pointer]),
    "mcbsp_move": (None, [_pointer, _size]),
    "migbsp_area": (ctypes.POINTER(ctypes.c_int64), [_pointer]),
    "bsp_hook_on": (None, [ctypes.c_int, _spmd, _pointer]),
    "migbsp_language": (None, [ctypes.c_char_p, _where, _ending]),
}


def _places():
    """Paths that the library may have."""
    named = os.environ.get("MIGBSP_LIBRARY")
    if named:
        yield os.path.join(named, _NAME) if os.path.isdir(named) else named
        return
    yield os.path.join(_HERE, _NAME)
    prefixes = [sys.prefix]
    bspcc = shutil.which("bspcc")
    if bspcc:
        here = os.path.dirname(os.path.realpath(bspcc))
        yield os.path.join(here, _NAME)
        prefixes.insert(0, os.path.dirname(here))
    for prefix in prefixes + [os.path.expanduser("~/.local"), "/usr/local", "/usr"]:
        for directory in ("lib/migbsp", "lib"):
            yield os.path.join(prefix, directory, _NAME)


def _load():
    tried = list(_places())
    for path in tried:
        if os.path.exists(path):
            try:
                library = ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL)
                break
            except OSError as e:
                raise ImportError("migbsp: %s cannot be loaded: %s" % (path, e)) from None
    else:
        raise ImportError(
            "migbsp: no %s found (tried %s): pip install, scripts/install of migbsp or "
            "scripts/libmigbsp DIRECTORY builds it; MIGBSP_LIBRARY names its directory" % (_NAME, ", ".join(tried)))
    for name, (result, arguments) in _FUNCTIONS.items():
        function = getattr(library, name, None)
        if function is None:
            raise ImportError("migbsp: %s is of another version: it has no %s" % (path, name))
        function.restype, function.argtypes = result, arguments
    return library


_lib = _load()


@_ending
def _before_end():
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):
            stream.flush()


_OWN = (__file__, os.path.join(os.path.dirname(__file__), "collective.py"), contextlib.__file__)
_numbers, _lines = {}, [None]  # of lines of the program that end supersteps, and these


def _place():
    """The file and the line of the program."""
    frame = sys._getframe(1)
    while frame and frame.f_code.co_filename in _OWN:
        frame = frame.f_back
    return frame and (frame.f_code.co_filename, frame.f_lineno)


@_where
def _line(text, size, number):
    place = _lines[number] or _place()
    name = os.fsencode("%s:%d" % (os.path.basename(place[0]), place[1]) if place else "")[: size - 1]
    ctypes.memmove(text, name + b"\0", len(name) + 1)


_line_now = _size.in_dll(_lib, "migbsp_line")
_name = os.fsencode(sys.argv[0] or "python")
_lib.migbsp_language(_name, _line, _before_end)
atexit.register(lambda: _lib.migbsp_language(_name, _where(), _ending()))


class _View(ctypes.Structure):
    """A Py_buffer."""

    _fields_ = [
        ("buf", _pointer), ("obj", ctypes.py_object), ("len", ctypes.c_ssize_t), ("itemsize", ctypes.c_ssize_t),
        ("readonly", ctypes.c_int), ("ndim", ctypes.c_int), ("format", ctypes.c_char_p), ("shape", _pointer),
        ("strides", _pointer), ("suboffsets", _pointer), ("internal", _pointer),
    ]


_get_buffer = ctypes.pythonapi.PyObject_GetBuffer
_get_buffer.argtypes, _get_buffer.restype = [ctypes.py_object, ctypes.POINTER(_View), ctypes.c_int], ctypes.c_int
_release_buffer = ctypes.pythonapi.PyBuffer_Release
_release_buffer.argtypes, _release_buffer.restype = [ctypes.POINTER(_View)], None


_FORMAT, _ND, _WRITABLE = 4, 8, 1  # PyBUF_: with the type of elements, C-contiguous, writable


def _hold(data, writable, name):
    """The buffer of an object, until _release."""
    view = _View()
    try:
        _get_buffer(data, ctypes.byref(view), _FORMAT | _ND | writable)
    except TypeError:
        raise TypeError("%s: a %s has no buffer: expected a NumPy array, array.array or bytearray" % (name, type(data).__name__)) from None
    except (BufferError, ValueError) as e:
        contiguous, readonly = True, False
        with contextlib.suppress(BufferError, TypeError, ValueError), memoryview(data) as seen:
            contiguous, readonly = seen.c_contiguous, seen.readonly
        if not contiguous:
            raise ValueError("%s: the elements of the array do not lie in a row (C order): take numpy.ascontiguousarray(array)" % name) from None
        if writable and readonly:
            raise BufferError("%s: the %s is read-only" % (name, type(data).__name__)) from None
        raise TypeError("%s: the buffer of a %s cannot be used: %s" % (name, type(data).__name__, e)) from None
    if view.format and b"O" in re.sub(b":[^:]*:", b"", view.format):
        _release(view)
        raise TypeError("%s: elements are Python objects, whose addresses mean nothing to another process: send pickle.dumps(...), or take a collective operation" % name)
    return view


def _release(view):
    _release_buffer(ctypes.byref(view))


@contextlib.contextmanager
def _memory(data, name, writable=False):
    """The address of an object's memory and its length in bytes."""
    view = _hold(data, writable, name)
    try:
        yield view.buf, view.len
    finally:
        _release(view)


_KINDS = dict.fromkeys("bhilqn", "int")
_KINDS.update(dict.fromkeys("BHILQN", "uint"))
_KINDS.update({"e": "float", "f": "float", "d": "float", "g": "float", "Zf": "complex", "Zd": "complex", "Zg": "complex"})
_NATIVE = "<" if sys.byteorder == "little" else ">"
_names = {}  # of types, by formats and sizes


def _type(view):
    """The name of a buffer's element type, as NumPy has it."""
    key = view.format, view.itemsize
    name = _names.get(key)
    if name is None:
        text = (view.format or b"B").decode()
        order, kind = (text[0], text[1:]) if text[0] in "@=<>!^" else ("@", text)
        if kind in _KINDS:
            name = "%s%d" % (_KINDS[kind], 8 * view.itemsize)
        else:
            name = "bool" if kind == "?" else kind
        if order in "<>!" and (">" if order == "!" else order) != _NATIVE and view.itemsize > 1:
            name = ("little" if order == "<" else "big") + "-endian " + name
        _names[key] = name
    return name


# Buffers of areas and of the unbuffered operations of this superstep, which stay where they are:
# an object whose buffer is held cannot be resized.
_areas, _popped, _held = {}, [], []


class _Area:
    """A registered area. Its type has a registration of its own, at mark, whose size is the type's
    code: so the library tells each process the types of the others."""

    def __init__(self, view):
        self.view, self.type, self.mark = view, _type(view), ctypes.c_char()
        self.code = _code(self.type)
        self.others = None  # processes whose areas have another type, with its code

    def fits(self, name, process):
        """Refuses an area of another type; false if the registration has no effect yet."""
        if self.others is None:
            codes = _lib.migbsp_area(ctypes.addressof(self.mark))
            if not codes:
                return False
            self.others = {i: code for i, code in enumerate(codes[: nprocs()]) if code != self.code}
        if process in self.others:
            other = next((n for n in _KNOWN if _code(n) == self.others[process]), "another type")
            raise TypeError("%s: the area has elements of %s here and of %s on process %d" % (name, self.type, other, process))
        return True


_KNOWN = ["bool"] + [k + str(n) for k in ("int", "uint", "float", "complex") for n in (8, 16, 32, 64, 128, 256)]


def _code(name):
    return zlib.crc32(name.encode()) >> 1


def _elements(n, size, name, what):
    """n elements in bytes."""
    try:
        n = operator.index(n) * size
    except TypeError:
        raise TypeError("%s: %s %r is no integer" % (name, what, n)) from None
    if not -(2**62) < n < 2**62:
        raise ValueError("%s: %s %d is beyond all areas" % (name, what, n // size))
    return n


def _process(n, name):
    try:
        n = operator.index(n)
    except TypeError:
        raise TypeError("%s: process %r is no integer" % (name, n)) from None
    return n if 0 <= n < 2**31 else 2**32 - 1  # which the library refuses


def _number(data, view, name):
    """A number as an element of the type that a buffer has; None for all else."""
    if getattr(data, "shape", None) == () and hasattr(data, "item"):
        data = data.item()  # of NumPy
    if not isinstance(data, (bool, int, float, complex)):
        return None
    text = (view.format or b"B").decode()
    order, kind = (text[0], text[1:]) if text[0] in "@=<>!" else ("@", text)
    try:
        if kind in ("Zf", "Zd"):
            return struct.pack(order + 2 * kind[1], data.real, data.imag)
        if kind == "?" and data not in (0, 1):
            raise ValueError
        return struct.pack(order + kind, data)
    except (struct.error, ValueError, OverflowError):
        raise TypeError("%s: %r cannot be an element of %s" % (name, data, _type(view))) from None


def _transfer(call, process, area, offset, data, size, reads=False, waits=False):
    """Calls a put or get of the library. The data stays held if the library uses it until the
    superstep ends."""
    name = call.__name__[len("mcbsp_") :]
    there = _hold(area, False, name)
    try:
        number = None if reads else _number(data, there, name)
        here = _hold(data if number is None else number, reads, name)
        try:
            length, each = (here.len, there.itemsize) if number is None else (there.itemsize, there.itemsize)
            if number is None and _type(here) != _type(there):
                raise TypeError("%s: data of %s and an area of %s: convert the data, or take memoryview(...).cast('B') of both for bytes" % (name, _type(here), _type(there)))
            count = length if size is None else _elements(size, each, name, "size")
            if not 0 <= count <= length:
                raise ValueError("%s: size %d, and the data has %d elements" % (name, size, length // (each or 1)))
            offset, process = _elements(offset, each, name, "offset"), _process(process, name)
            for registered in reversed(_areas.get(there.buf, ())):
                if registered.fits(name, process):
                    break
            if reads:
                call(process, there.buf, offset, here.buf, count)
            else:
                call(process, here.buf, there.buf, offset, count)
            if waits:
                _held.append(here)
                here = None
        finally:
            if here is not None:
                _release(here)
    finally:
        _release(there)


def begin(procs=0):
    """Begins the section, with at most so many processes; 0: one on each rank. Ranks without a
    process end here."""
    sys.stdout.flush()
    if operator.index(procs) < 0:
        raise ValueError("begin: %d processes" % procs)
    _lib.mcbsp_begin(min(procs, 2**31 - 1))


def end():
    """Ends the section, and prints the account of the run."""
    sys.stdout.flush()
    _lib.mcbsp_end()
    _forget()


def _forget():
    _finish()
    _tags[:] = [0, 0, 0]
    for registered in list(_areas.values()):
        for area in registered:
            _release(area.view)
    _areas.clear()
    collective.forget()


@contextlib.contextmanager
def section(procs=0):
    """begin and end around a block. An exception in the block ends the program on all ranks."""
    begin(procs)
    yield
    end()


def hook(comm, function, *args):
    """Runs function(*args) as a process on each rank of a communicator of mpi4py and returns the
    function's result. All ranks of the communicator call hook."""
    result = []

    def run(_):
        try:
            result.append(function(*args))
        except BaseException as e:
            if not isinstance(e, SystemExit):
                sys.excepthook(type(e), e, e.__traceback__)
            _before_end()
            abort("%s: %s" % (type(e).__name__, e))

    _lib.bsp_hook_on(comm.py2f(), _spmd(run), None)
    _forget()
    return result[0]


def nprocs():
    """The number of processes; before begin, the largest possible number."""
    return _lib.mcbsp_nprocs()


def pid():
    """The number of this process, from 0."""
    return _lib.mcbsp_pid()


def time():
    """Seconds since begin."""
    return _lib.mcbsp_time()


def abort(text):
    """Ends the program on all ranks."""
    _before_end()
    _lib.mcbsp_abort(b"%s", str(text).encode())


def _finish():
    for view in _held + [area.view for area in _popped]:
        _release(view)
    _held.clear()
    _popped.clear()


def sync():
    """Ends the superstep. When it returns, all puts, gets and messages have arrived."""
    place = _place()
    number = _numbers.get(place)
    if number is None:
        number = _numbers[place] = len(_lines)
        _lines.append(place)
    _line_now.value = number
    _lib.mcbsp_sync()
    _line_now.value = 0
    _tags[:2] = _tags[1:]
    if _held or _popped:
        _finish()


def push_reg(area):
    """Registers an area from the next superstep on. All processes call it in the same order, each
    with an area of any size, and of the same element type where they put or get. The area cannot be
    resized until pop_reg."""
    registered = _Area(_hold(area, True, "push_reg"))
    _areas.setdefault(registered.view.buf, []).append(registered)
    _lib.mcbsp_push_reg(registered.view.buf, registered.view.len)
    _lib.mcbsp_push_reg(ctypes.addressof(registered.mark), registered.code)


def pop_reg(area):
    """Ends the registration with the superstep."""
    with _memory(area, "pop_reg") as (address, _):
        _lib.mcbsp_pop_reg(address)
    registered = _areas[address]
    last = registered.pop()
    _popped.append(last)
    _lib.mcbsp_pop_reg(ctypes.addressof(last.mark))
    if not registered:
        del _areas[address]


@contextlib.contextmanager
def registered(area):
    """Registers an area in a superstep of its own, and ends that after the block with another."""
    push_reg(area)
    sync()
    yield area
    pop_reg(area)
    sync()


def put(to, data, area, offset=0, size=None):
    """Writes data, or its first size elements, to the area of process to, from element offset on, at
    the end of the superstep. The program can change data when put has returned."""
    _transfer(_lib.mcbsp_put, to, area, offset, data, size)


def hpput(to, data, area, offset=0, size=None):
    """put that may write at any time until the superstep ends. The program does not change data until
    then."""
    _transfer(_lib.mcbsp_hpput, to, area, offset, data, size, waits=True)


def get(of, area, offset, into, size=None):
    """Reads from the area of process of, from element offset on, as it is when the superstep ends. The
    elements fill the object into, or its first size elements."""
    _transfer(_lib.mcbsp_get, of, area, offset, into, size, reads=True, waits=True)


def hpget(of, area, offset, into, size=None):
    """get that may read and write at any time until the superstep ends."""
    _transfer(_lib.mcbsp_hpget, of, area, offset, into, size, reads=True, waits=True)


_tags = [0, 0, 0]  # the sizes of tags that are received, are sent, and are sent next


def set_tagsize(size):
    """Sets the size of tags, from the next superstep on, on all processes; returns the old one."""
    value = _size(size)
    _lib.mcbsp_set_tagsize(ctypes.byref(value))
    _tags[2] = size
    return value.value


def send(to, data, tag=b""):
    """Sends the bytes of data as a message, which is in the queue of process to in the next superstep.
    The tag has the size that set_tagsize has set."""
    with _memory(data, "send") as (at, size), _memory(tag, "send") as (tag_at, length):
        if length != _tags[1]:
            raise ValueError("send: the tag has %d bytes, tags of this superstep have %d" % (length, _tags[1]))
        _lib.mcbsp_send(_process(to, "send"), tag_at, at, size)


def qsize():
    """The number of messages in the queue, and their bytes."""
    n, size = _unsigned(), _size()
    _lib.mcbsp_qsize(ctypes.byref(n), ctypes.byref(size))
    return n.value, size.value


def get_tag():
    """The length and the tag of the first message in the queue; None and b"" if it is empty."""
    length, tag = _size(), ctypes.create_string_buffer(max(_tags[0], 1))
    _lib.mcbsp_get_tag(ctypes.byref(length), tag)
    if length.value == _size(-1).value:
        return None, b""
    return length.value, tag.raw[: _tags[0]]


def move(into=None):
    """Takes the first message from the queue: as bytes, or into an object, up to its length."""
    if into is not None:
        with _memory(into, "move", True) as (at, size):
            _lib.mcbsp_move(at, size)
        return into
    length, _ = get_tag()
    data = ctypes.create_string_buffer(max(length or 0, 1))
    _lib.mcbsp_move(data, length or 0)
    return data.raw[:length]


def messages():
    """Takes all messages from the queue: pairs of tag and data."""
    while True:
        length, tag = get_tag()
        if length is None:
            return
        yield tag, move()


def __getattr__(name):
    if name != "__version__":
        raise AttributeError("module migbsp has no attribute %r" % name)
    from importlib import metadata

    try:
        return metadata.version("migbsp")
    except metadata.PackageNotFoundError:
        return "0+unknown"  # from a checkout


from . import collective  # noqa: E402: it uses this module
from .collective import allgather, allreduce, broadcast, gather, reduce, scan, scatter  # noqa: E402
