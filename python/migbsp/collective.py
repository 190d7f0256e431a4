"""Collective operations on numbers, NumPy arrays, array.array and all objects that pickle packs.

All processes call the same operation in the same superstep, with equal roots and operations, and for
reductions with arrays of equal type and shape. Otherwise TypeError is raised on all processes. An
operation ends the superstep: once for less than about 1 KiB, else three or six times. Messages that
the program has not taken from its queue are then gone.

Reductions combine the values in the order of the processes, so that all processes have the same
bits. op is "sum", "prod", "max", "min", or a function of two values, which for arrays are whole
arrays. Results have the type of the values. Sums and products of bool are integers.
"""

import array
import functools
import operator
import pickle
import struct

import migbsp as bsp

_SLOT = 2048  # bytes that a process has for each other one
_SHORT = 1024  # bytes that fit into a slot, behind their description
_HEAD = struct.Struct("=I?")  # length of the description; the value lies elsewhere
_board = bytearray()  # a slot of each process
_calls = 0


def forget():
    """Begins anew: the section has ended."""
    global _board, _calls
    _board, _calls = bytearray(), 0


def _numpy(value):
    """The module NumPy if value is an array of it."""
    if type(value).__module__ == "numpy" and type(value).__name__ == "ndarray":
        import numpy

        return numpy
    return None


def _form(value):
    """What describes a value besides its bytes: an array's kind, element type and shape."""
    if _numpy(value) and value.dtype.kind in "biufc":
        return "ndarray", value.dtype.str, value.shape
    if type(value) is array.array:
        return "array", value.typecode, (len(value),)
    return "object", None, None


def _pack(value, name):
    form = _form(value)
    if form[0] != "object":
        return form, value.tobytes()
    try:
        return form, pickle.dumps(value)
    except Exception as e:
        raise TypeError("%s: a %s cannot be sent: %s" % (name, type(value).__name__, e)) from None


def _unpack(form, data):
    kind, code, shape = form
    if kind == "ndarray":
        import numpy

        if not data:
            return numpy.empty(0 if shape == -1 else shape, code)
        return numpy.frombuffer(data, code).reshape(shape)
    if kind == "array":
        value = array.array(code)
        value.frombytes(data)
        return value
    return pickle.loads(data)


def _exchange(call, blocks):
    """Sends blocks[i], a form and bytes or None, to process i, and returns the blocks that this process
    gets. call has to be equal on all processes: the operation's name first, then what else is to agree."""
    global _board, _calls
    p, me = bsp.nprocs(), bsp.pid()
    if not _board:
        _board = bytearray(p * _SLOT)
        bsp.push_reg(_board)
        bsp.sync()
    _calls += 1
    data, starts, slots = bytearray(), {}, {}
    elsewhere = any(block and len(block[1]) > _SHORT for block in blocks)
    for to, block in enumerate(blocks):
        if id(block) not in slots:
            form, content = block or (None, b"")
            inline = content if len(content) <= _SHORT else b""
            head = pickle.dumps((_calls, call, form, len(content), len(data), block is not None))
            if len(head) + len(inline) + _HEAD.size > _SLOT:
                raise ValueError("%s: the description of the value has %d bytes" % (call[0], len(head)))
            slots[id(block)] = _HEAD.pack(len(head), elsewhere) + head + inline
            if not inline:
                data += content
        bsp.put(to, slots[id(block)], _board, me * _SLOT)
    bsp.sync()
    heads, far = [], False
    for i in range(p):
        length, elsewhere = _HEAD.unpack_from(_board, i * _SLOT)
        at = i * _SLOT + _HEAD.size
        heads.append((pickle.loads(_board[at : at + length]) if length else None, at + length))
        far = far or elsewhere
        struct.pack_into("=I", _board, i * _SLOT, 0)
    for i, (head, _) in enumerate(heads):
        if head is None or head[:2] != (_calls, call):
            raise TypeError("%s: process %d calls %s" % (_words(call), i, _words(head[1]) if head and head[0] == _calls else "none"))
    got = [None] * p
    if far:
        data = data or bytearray(1)
        bsp.push_reg(data)
        bsp.sync()
    for i, ((_, _, form, size, start, sent), at) in enumerate(heads):
        if not sent:
            continue
        if size <= _SHORT:
            got[i] = form, _board[at : at + size]
            continue
        got[i] = form, bytearray(size)
        bsp.get(i, data, start, got[i][1])
    if far:
        bsp.pop_reg(data)
        bsp.sync()
    return got


def _words(call):
    return "%s(%s)" % (call[0], ", ".join("x".join(map(str, w)) if isinstance(w, tuple) else str(w) for w in call[1:] if w is not None))


def _root(root, name):
    try:
        root = operator.index(root)
    except TypeError:
        raise TypeError("%s: root %r is no integer" % (name, root)) from None
    if not 0 <= root < bsp.nprocs():
        raise ValueError("%s: root %d, and there are %d processes" % (name, root, bsp.nprocs()))
    return root


def _only(block, root):
    return [block if i == root else None for i in range(bsp.nprocs())]


def _cuts(n):
    """Where the parts of n elements begin and end, one for each process."""
    return [n * i // bsp.nprocs() for i in range(bsp.nprocs() + 1)]


def broadcast(value=None, root=0):
    """Returns process root's value on all processes. The other processes need not give one."""
    root = _root(root, "broadcast")
    call = ("broadcast", "root %d" % root)
    blocks = [None] * bsp.nprocs()
    if bsp.pid() == root:
        form, data = _pack(value, "broadcast")
        if len(data) <= _SHORT:
            blocks = [(("whole", form), data)] * bsp.nprocs()
        else:
            cuts = _cuts(len(data))
            blocks = [(("part", form), data[a:b]) for a, b in zip(cuts, cuts[1:])]
    (kind, form), data = _exchange(call, blocks)[root]
    if kind == "part":
        data = bytearray().join(part for _, part in _exchange(call, [(None, data)] * bsp.nprocs()))
    return value if bsp.pid() == root else _unpack(form, data)


def gather(value, root=0):
    """Returns on process root the list of the values of all processes, on the others None."""
    root = _root(root, "gather")
    got = _exchange(("gather", "root %d" % root), _only(_pack(value, "gather"), root))
    return [_unpack(*block) for block in got] if bsp.pid() == root else None


def allgather(value):
    """Returns the list of the values of all processes."""
    return [_unpack(*block) for block in _exchange(("allgather",), [_pack(value, "allgather")] * bsp.nprocs())]


def scatter(values=None, root=0):
    """Returns element i of process root's values on process i: of a sequence, or along the first
    dimension of an array. The other processes need not give values."""
    root = _root(root, "scatter")
    blocks = [None] * bsp.nprocs()
    if bsp.pid() == root:
        try:
            each = list(values)
        except TypeError:
            raise TypeError("scatter: a %s is no sequence" % type(values).__name__) from None
        if len(each) != bsp.nprocs():
            raise ValueError("scatter: %d values for %d processes" % (len(each), bsp.nprocs()))
        blocks = [_pack(value, "scatter") for value in each]
    return _unpack(*_exchange(("scatter", "root %d" % root), blocks)[root])


_OPS = {"sum": operator.add, "prod": operator.mul, "max": max, "min": min}


class _Reduction:
    """A call of reduce, allreduce or scan on this process."""

    def __init__(self, name, value, op, *agreed):
        if not callable(op) and op not in _OPS:
            raise ValueError("%s: op %r: expected one of %s or a function of two values" % (name, op, ", ".join(_OPS)))
        if op in ("sum", "prod"):
            value = _counts(value)
        self.numpy = _numpy(value)
        self.form, self.data = _pack(value, name)
        if self.form[0] == "object" and isinstance(value, (list, tuple, str, bytes, bytearray, dict, set)) and not callable(op):
            raise TypeError("%s: a %s has no %s: expected a number or an array" % (name, type(value).__name__, op))
        self.op, self.value = op, value
        self.call = (name, "op " + (op if op in _OPS else "function")) + agreed + (self.form[0],) + self.form[1:]

    def parted(self):
        """Reports whether processes reduce a part of the arrays each."""
        return self.form[0] != "object" and len(self.data) > _SHORT and self.op in _OPS

    def two(self, a, b):
        if callable(self.op):
            return self.op(a, b)
        if self.numpy:
            return getattr(self.numpy, {"sum": "add", "prod": "multiply", "max": "maximum", "min": "minimum"}[self.op])(a, b)
        if self.form[0] == "array":
            if len(a) != len(b):
                raise ValueError
            return array.array(a.typecode, map(_OPS[self.op], a, b))
        return _OPS[self.op](a, b)

    def all(self, blocks):
        return functools.reduce(self.two, (_unpack(*block) for block in blocks))

    def part(self):
        """The reduced part of this process, as a block."""
        size = len(self.data) // (self.value.itemsize or 1)
        cuts = [self.value.itemsize * i for i in _cuts(size)]
        kind, code, _ = self.form
        blocks = [((kind, code, -1), self.data[a:b]) for a, b in zip(cuts, cuts[1:])]
        return (kind, code, -1), self.all(_exchange(self.call, blocks)).tobytes()

    def joined(self, parts):
        return _unpack(self.form, bytearray().join(data for _, data in parts))


def _counts(value):
    """An integer for a bool."""
    if isinstance(value, bool):
        return int(value)
    if getattr(getattr(value, "dtype", None), "kind", None) == "b":
        return value.astype("int64")
    return value


def allreduce(value, op="sum"):
    """Returns the reduction of the values of all processes on all processes."""
    r = _Reduction("allreduce", value, op)
    if r.parted():
        return r.joined(_exchange(r.call, [r.part()] * bsp.nprocs()))
    return r.all(_exchange(r.call, [(r.form, r.data)] * bsp.nprocs()))


def reduce(value, op="sum", root=0):
    """Returns the reduction of the values of all processes on process root, on the others None."""
    root = _root(root, "reduce")
    r = _Reduction("reduce", value, op, "root %d" % root)
    if r.parted():
        got = _exchange(r.call, _only(r.part(), root))
        return r.joined(got) if bsp.pid() == root else None
    got = _exchange(r.call, _only((r.form, r.data), root))
    return r.all(got) if bsp.pid() == root else None


def scan(value, op="sum"):
    """Returns the reduction of the values of processes 0 to this one."""
    r = _Reduction("scan", value, op)
    block = r.form, r.data
    return r.all(block for block in _exchange(r.call, [block if i >= bsp.pid() else None for i in range(bsp.nprocs())]) if block)
