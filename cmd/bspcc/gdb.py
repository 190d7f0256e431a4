# Gdb commands for programs that bspcc has linked: their processes lie in a launcher.
#
#   bsprun -gdb -n 4 ./lu 1000          start a program in gdb
#   bsprun -gdb > migbsp.py             print this file, for a process that runs or a core file:
#   gdb -x migbsp.py -p PID
#   gdb -x migbsp.py $(command -v bspcc) core
#
# Breakpoints by function and line are set in all processes. At a stop, variables are the variables
# of the process that has stopped.
#
#   migbsp              list the processes of this rank and the lines they are in
#   migbsp process 3    show process 3 in bt, frame, list and print, until the program goes on
#
# Gdb takes global variables in the condition of a breakpoint for the ones of one process. There
# write $migbsp("total") for a variable of the process that is at the breakpoint, and $migbsp() for
# the number of this process:
#
#   break add if $migbsp() == 3 && $migbsp("total") > 100
import atexit
import os
import re
import struct
import tempfile

import gdb
from gdb.unwinder import Unwinder, register_unwinder

SLOTS, END = 0x200000000000, 0x300000000000
MAPPING = re.compile(r"^\s*0x([0-9a-f]+)\s+0x[0-9a-f]+\s+0x[0-9a-f]+\s+0x([0-9a-f]+)\s+(?:[rwxps-]{4,5}\s+)?(/.+?)\s*$", re.M)
parts = {}  # copies of objects that lie behind a launcher in its file
loaded = []  # (address, file) of objects with symbols, in the order in which gdb searches them
shown = None  # the process that migbsp process has selected


def word(address):
    return struct.unpack("=Q", gdb.selected_inferior().read_memory(address, 8))[0]


def variable(name):
    """The value of a variable of the launcher, in any language that gdb takes the launcher for."""
    return word(int(gdb.parse_and_eval("&" + name)))


def slot():
    """The size of a process's slot."""
    return variable("migbsp_slot")


def process(address, size):
    return (address - SLOTS) // size if SLOTS <= address < END else None


def file(path, offset):
    """The file of an object that begins at an offset of a file."""
    if offset and (path, offset) not in parts:
        with open(path, "rb") as f, tempfile.NamedTemporaryFile(prefix="migbsp-", delete=False) as copy:
            f.seek(offset)
            copy.write(f.read())
        parts[path, offset] = copy.name
        atexit.register(os.unlink, copy.name)
    return parts[path, offset] if offset else path


def objects(size):
    """The objects and libraries of processes that are mapped: (address, file)."""
    found = {}
    for start, offset, path in MAPPING.findall(gdb.execute("info proc mappings", to_string=True)):
        owner = process(int(start, 16), size)
        if owner is not None and (owner, path) not in found and os.path.exists(path):
            found[owner, path] = int(start, 16), file(path, int(offset, 16))
    return list(found.values())


def load(first=None):
    """Loads symbols of all processes; gdb searches the ones of process first before others."""
    try:
        size = slot()
        wanted = objects(size)
    except gdb.error:
        return  # the launcher does not run yet
    if first is None:
        first = process(loaded[0][0], size) if loaded else 0
    wanted.sort(key=lambda o: (process(o[0], size) != first, o))
    for each in list(loaded):
        if each not in wanted or (wanted[0] != loaded[0] and process(each[0], size) != first):
            unload(each)
    for address, path in wanted:
        if (address, path) not in loaded:
            gdb.execute("add-symbol-file %s -o %d" % (path, address), to_string=True)
            loaded.append((address, path))


def code(path):
    """The address of code in an object."""
    with open(path, "rb") as f:
        data = f.read()
    (table,), (size, number) = struct.unpack_from("=Q", data, 40), struct.unpack_from("=HH", data, 58)
    for i in range(number):
        flags, address = struct.unpack_from("=QQ", data, table + i * size + 8)
        if flags & 4:
            return address
    return 0


def unload(each):
    try:
        gdb.execute("remove-symbol-file -a %d" % (each[0] + code(each[1])), to_string=True)
    except (gdb.error, OSError):
        pass  # the program has ended
    loaded.remove(each)


class Starts(gdb.Breakpoint):
    """Loads the symbols of a process before the process runs here."""

    def stop(self):
        load()
        return False


def running():
    """The process that the selected thread has stopped in, if it is in one."""
    return process(int(gdb.newest_frame().read_register("sp")), slot())


def stopped(_):
    select(None)
    number = running()
    if number is not None and not (loaded and process(loaded[0][0], slot()) == number):
        load(number)


def select(number):
    global shown
    if shown != number:
        shown = number
        gdb.invalidate_cached_frames()


# Words that migbsp_switch has saved on a process's stack, from its stack pointer on (switch_*.S),
# and their number.
SAVED = {
    "i386:x86-64": ({"r15": 1, "r14": 2, "r13": 3, "r12": 4, "rbx": 5, "rbp": 6, "rip": 7}, 8),
    "aarch64": (dict({"x%d" % (19 + i): i for i in range(12)}, pc=11), 22),
}


class Waiting(Unwinder):
    """The frames of a process that waits, above the frame in which the thread has stopped."""

    def __init__(self):
        super().__init__("migbsp")

    def __call__(self, frame):
        try:
            if shown is None or int(frame.read_register("sp")) != self.top:
                return None
        except gdb.error:
            return None  # in a core file
        sp = word(SLOTS + shown * slot() + variable("migbsp_saved"))
        registers, size = SAVED[frame.architecture().name()]
        info = frame.create_unwind_info(Id(gdb.Value(sp - 8), frame.read_register("pc")))
        for name, i in registers.items():
            info.add_saved_register(name, gdb.Value(word(sp + 8 * i)))
        info.add_saved_register("rsp" if "rip" in registers else "sp", gdb.Value(sp + 8 * size))
        return info


class Id:
    """Of frame 0: its stack pointer is below the stack of the process."""

    def __init__(self, sp, pc):
        self.sp, self.pc = sp, pc


class Command(gdb.Command):
    """List the processes of this rank, or select one: migbsp, migbsp process NUMBER."""

    def __init__(self):
        super().__init__("migbsp", gdb.COMMAND_STACK)

    def invoke(self, argument, from_tty):
        words = argument.split()
        if words and (words[0] != "process" or len(words) != 2 or not words[1].isdigit()):
            raise gdb.GdbError("migbsp: expected no argument or: process NUMBER")
        load()
        numbers = sorted({process(address, slot()) for address, _ in loaded})
        if not numbers:
            raise gdb.GdbError("migbsp: no process lies in this program: start it by bsprun -gdb, and stop it")
        if not words:
            here, before = gdb.selected_thread(), shown
            for number in numbers:
                print("process %d: %s" % (number, self.place(number)))
            here.switch()
            if before is not None:
                self.select(before)
            else:
                select(None)
                load(running())
        elif int(words[1]) not in numbers:
            raise gdb.GdbError("migbsp: process %s is not on this rank: there are %s" % (words[1], ", ".join(map(str, numbers))))
        else:
            self.select(int(words[1]))
            load(int(words[1]))

    def select(self, number):
        here = gdb.selected_thread()
        select(None)
        for thread in gdb.selected_inferior().threads():
            thread.switch()
            if readable() and running() == number:
                self.descend(number)
                return
        here.switch()
        Waiting.top = int(gdb.newest_frame().read_register("sp"))
        select(number)
        self.descend(number)

    def descend(self, number):
        """Selects the innermost frame in a function of the process, if there is one."""
        frame, size = gdb.newest_frame(), slot()
        while frame and not (process(frame.pc(), size) == number and frame.name()):
            frame = frame.older()
        (frame or gdb.newest_frame()).select()

    def place(self, number):
        self.select(number)
        frame = gdb.selected_frame()
        if process(frame.pc(), slot()) != number or not frame.name():
            return "not in a function with symbols"
        line = frame.find_sal()
        return frame.name() + (", %s:%d" % (os.path.basename(line.symtab.filename), line.line) if line.symtab else "")


class Here(gdb.Function):
    """Return the number of the process that runs, or its global variable: $migbsp(), $migbsp("total")."""

    def __init__(self):
        super().__init__("migbsp")

    def invoke(self, variable=None):
        number, size = running(), slot()
        if variable is None or number is None:
            return -1 if number is None else number
        value = gdb.parse_and_eval(variable.string())
        owner = value.address is not None and process(int(value.address), size)
        if owner is None or owner is False:
            return value
        return gdb.Value(int(value.address) + (number - owner) * size).cast(value.type.pointer()).dereference()


def readable():
    """Reports whether the thread has registers. In a core file only the thread with the fault has."""
    try:
        return bool(gdb.newest_frame().read_register("sp"))
    except gdb.error:
        return False


def known(symbol):
    try:
        return bool(gdb.parse_and_eval("&" + symbol))
    except gdb.error:
        return False


gdb.execute("set breakpoint pending on")
gdb.execute("handle SIGURG nostop noprint pass", to_string=True)  # Go preempts goroutines by it
if known("migbsp_entry") and not known("migbsp_slot"):
    gdb.execute("symbol-file", to_string=True)  # a program that becomes its launcher: it never runs where its file says
gdb.execute("python for f in 'migbsp_first', 'migbsp_arrives': Starts(f, internal=True)", to_string=True)
gdb.events.stop.connect(stopped)
gdb.events.exited.connect(lambda _: [unload(each) for each in list(loaded)])
register_unwinder(None, Waiting(), replace=True)
Command()
Here()
if known("migbsp_slot") and gdb.selected_thread():  # a core file, or a process that runs
    for thread in gdb.selected_inferior().threads():
        thread.switch()
        if readable() and running() is not None:
            break
    load(running())
