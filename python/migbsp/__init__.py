"""BSPlib in Python: supersteps, puts, gets and messages, on ranks of MPI.

    import migbsp as bsp

    bsp.begin()
    area = bytearray(8 * bsp.nprocs())
    with bsp.registered(area):
        bsp.put(0, bsp.pid().to_bytes(8, "little"), area, 8 * bsp.pid())
        bsp.sync()
    bsp.end()

Each rank is an interpreter with one process: mpirun -n 4 python program.py. Without a launcher
there is one. Processes of Python do not move: their state is in an interpreter of the rank. The
account of the run, its record and all settings are those of other programs of migbsp, by
environment variables (MIGBSP_TABLE=sites, MIGBSP_RUN_DIR=run).

Areas and data are any objects with the buffer protocol, contiguous: bytearray, array.array,
memoryview, NumPy arrays. They are used where they are, without copies. Offsets and sizes are in
bytes. As in all BSPlibs misuse ends the program on all ranks, with a line that names the
superstep, the process and the function.

The library is the one of bspcc -static-rank. MIGBSP_LIBRARY says where it is, if that is neither
below sys.prefix nor where bspcc in PATH has it.
"""

import atexit
import contextlib
import ctypes
import os
import shutil
import sys

__all__ = [
    "begin", "end", "section", "hook", "nprocs", "pid", "time", "sync", "abort",
    "push_reg", "pop_reg", "registered", "put", "hpput", "get", "hpget",
    "set_tagsize", "send", "qsize", "get_tag", "move", "messages",
]

_NAME = "libmigbsp.so"
_size, _pointer, _unsigned = ctypes.c_size_t, ctypes.c_void_p, ctypes.c_uint
_spmd = ctypes.CFUNCTYPE(None, _pointer)
_ending = ctypes.CFUNCTYPE(None)
_where = ctypes.CFUNCTYPE(None, _pointer, _size, _size)

# What the library has, with the sizes of MulticoreBSP: results and arguments.
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
    "bsp_hook_on": (None, [ctypes.c_int, _spmd, _pointer]),
    "migbsp_language": (None, [ctypes.c_char_p, _where, _ending]),
}


def _places():
    """Where the library may be."""
    named = os.environ.get("MIGBSP_LIBRARY")
    if named:
        yield os.path.join(named, _NAME) if os.path.isdir(named) else named
        return
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
            "migbsp: there is no %s (looked for %s): scripts/install of migbsp puts it there, "
            "scripts/libmigbsp DIRECTORY builds it, and MIGBSP_LIBRARY says where it is" % (_NAME, ", ".join(tried)))
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


_numbers, _lines = {}, [None]  # of lines of the program that end supersteps, and these


def _place():
    """The file and the line of the program."""
    frame = sys._getframe(1)
    while frame and frame.f_code.co_filename in (__file__, contextlib.__file__):
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


@contextlib.contextmanager
def _memory(data, writable=False):
    """The address and the length of what an object holds, which is contiguous."""
    view = _hold(data, writable)
    try:
        yield view.buf, view.len
    finally:
        _release_buffer(ctypes.byref(view))


# Buffers of areas and of the unbuffered operations of this superstep, which stay where they are:
# an object whose buffer is held cannot be resized.
_areas, _popped, _held = {}, [], []


def _hold(data, writable):
    view = _View()
    _get_buffer(data, ctypes.byref(view), int(writable))  # PyBUF_SIMPLE or PyBUF_WRITABLE
    return view


def _part(data, size, what):
    """As much of data as is meant, all of it for None."""
    with _memory(data) as (address, length):
        if size is None:
            size = length
        if not 0 <= size <= length:
            raise ValueError("%s: %d bytes are wanted of %d" % (what, size, length))
        return address, size


def _address(area):
    with _memory(area) as (address, _):
        return address


def begin(procs=0):
    """Begins the section, with at most so many processes; 0: one on each rank. Ranks without a
    process end here."""
    sys.stdout.flush()
    _lib.mcbsp_begin(procs)


def end():
    """Ends the section, and prints the account of the run."""
    sys.stdout.flush()
    _lib.mcbsp_end()
    _forget()


def _forget():
    _finish()
    _tags[:] = [0, 0, 0]
    for view in list(_areas.values()):
        for each in view:
            _release_buffer(ctypes.byref(each))
    _areas.clear()


@contextlib.contextmanager
def section(procs=0):
    """begin and end around a block. What it raises ends the program, on all ranks."""
    begin(procs)
    yield
    end()


def hook(comm, function, *args):
    """Runs function(*args) as a process on each rank of a communicator of mpi4py, which all its
    ranks call, and returns what that returns."""
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
    """The number of processes; before begin, of those that there can be."""
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
    for view in _held + _popped:
        _release_buffer(ctypes.byref(view))
    _held.clear()
    _popped.clear()


def sync():
    """Ends the superstep: when it returns, all that processes have put, got and sent is there."""
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
    """Registers an area, from the next superstep on: all processes register one at that place of
    their programs, of any size. It stays as it is, and is not resized, until pop_reg."""
    view = _hold(area, True)
    _areas.setdefault(view.buf, []).append(view)
    _lib.mcbsp_push_reg(view.buf, view.len)


def pop_reg(area):
    """Ends the registration, with the superstep."""
    address = _address(area)
    _lib.mcbsp_pop_reg(address)
    views = _areas[address]
    _popped.append(views.pop())
    if not views:
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
    """Writes data, or its first size bytes, to the area of process to, from offset on, with the
    end of the superstep. data can be changed as soon as put has returned."""
    at, size = _part(data, size, "put")
    _lib.mcbsp_put(to, at, _address(area), offset, size)


def hpput(to, data, area, offset=0, size=None):
    """put, that may write at any time until the superstep ends; data stays as it is until then."""
    at, size = _part(data, size, "hpput")
    _held.append(_hold(data, False))
    _lib.mcbsp_hpput(to, at, _address(area), offset, size)


def get(of, area, offset, into, size=None):
    """Reads from the area of process of, as it is when the superstep ends, into an object, all of
    it or size bytes."""
    at, size = _part(into, size, "get")
    _held.append(_hold(into, True))
    _lib.mcbsp_get(of, _address(area), offset, at, size)


def hpget(of, area, offset, into, size=None):
    """get, that may read and write at any time until the superstep ends."""
    at, size = _part(into, size, "hpget")
    _held.append(_hold(into, True))
    _lib.mcbsp_hpget(of, _address(area), offset, at, size)


_tags = [0, 0, 0]  # the sizes of tags that are received, are sent, and are sent next


def set_tagsize(size):
    """Sets the size of tags, from the next superstep on, on all processes; returns the old one."""
    value = _size(size)
    _lib.mcbsp_set_tagsize(ctypes.byref(value))
    _tags[2] = size
    return value.value


def send(to, data, tag=b""):
    """Sends a message, which is in the queue of process to in the next superstep. The tag has the
    size that set_tagsize has set."""
    with _memory(data) as (at, size), _memory(tag) as (tag_at, length):
        if length != _tags[1]:
            raise ValueError("send: the tag has %d bytes, tags of this superstep have %d" % (length, _tags[1]))
        _lib.mcbsp_send(to, tag_at, at, size)


def qsize():
    """How many messages are in the queue, and the bytes of all of them."""
    n, size = _unsigned(), _size()
    _lib.mcbsp_qsize(ctypes.byref(n), ctypes.byref(size))
    return n.value, size.value


def get_tag():
    """The length of the first message in the queue and its tag; None and b"" if there is none."""
    length, tag = _size(), ctypes.create_string_buffer(max(_tags[0], 1))
    _lib.mcbsp_get_tag(ctypes.byref(length), tag)
    if length.value == _size(-1).value:
        return None, b""
    return length.value, tag.raw[: _tags[0]]


def move(into=None):
    """Takes the first message from the queue, as bytes or into an object, as far as that is long."""
    if into is not None:
        with _memory(into, True) as (at, size):
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

