//go:build mpi && cgo

package mpi

/*
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/mman.h>

static int memory_file(void) { return memfd_create("migbsp", MFD_CLOEXEC); }

static int map_over(void *at, size_t n, int fd, off_t offset) {
	return mmap(at, n, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED, fd, offset) == at;
}

static int map_private(void *at, size_t n) {
	return mmap(at, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == at;
}
*/
import "C"

import (
	"fmt"
	"os"
	"syscall"
	"unsafe"
)

// physicalMemory returns the number of bytes of this machine's memory.
func physicalMemory() int {
	var info syscall.Sysinfo_t
	if err := syscall.Sysinfo(&info); err != nil {
		return 1 << 30
	}
	return int(info.Totalram) * int(info.Unit)
}

// addressSpace returns the number of bytes of address space that the arenas of a node may take in
// each process: a quarter of the process's limit, 32 TiB at most.
func addressSpace() int {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_AS, &limit) == nil && limit.Cur/4 < 1<<45 {
		return int(limit.Cur / 4)
	}
	return 1 << 45
}

// mapOwn maps a new memory file. The file has no name, so the system removes it when the processes
// end, also if they crash.
func mapOwn(size int) (mem []byte, fd int, err error) {
	file, err := C.memory_file()
	if file < 0 {
		return nil, -1, fmt.Errorf("memfd_create: %w", err)
	}
	fd = int(file)
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit) == nil && uint64(size) > limit.Cur {
		err = syscall.EFBIG
	} else {
		err = syscall.Ftruncate(fd, int64(size))
	}
	if err == nil {
		mem, err = mapFile(fd, size)
	}
	if err != nil {
		syscall.Close(fd)
		return nil, -1, fmt.Errorf("%d bytes of a memory file: %w", size, err)
	}
	return mem, fd, nil
}

// mapPeer maps the memory file that another process has open as fd.
func mapPeer(pid, fd, size int) ([]byte, error) {
	f, err := os.OpenFile(fmt.Sprintf("/proc/%d/fd/%d", pid, fd), os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || info.Size() < int64(size) {
		return nil, fmt.Errorf("%s is not the memory file of another rank", f.Name())
	}
	mem, err := mapFile(int(f.Fd()), size)
	if err == nil {
		C.madvise(unsafe.Pointer(&mem[0]), C.size_t(size), C.MADV_DONTDUMP)
	}
	return mem, err
}

func mapFile(fd, size int) ([]byte, error) {
	mem, err := syscall.Mmap(fd, 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED|syscall.MAP_NORESERVE)
	if err == nil {
		C.madvise(unsafe.Pointer(&mem[0]), C.size_t(size), C.MADV_HUGEPAGE)
	}
	return mem, err
}

// mapOver maps size bytes of a memory file over the memory at that address, both
// in whole pages. It goes through the C library, as mapPrivate and discard do.
func mapOver(at unsafe.Pointer, size, fd, place int) bool {
	return C.map_over(at, C.size_t(size), C.int(fd), C.off_t(place)) != 0
}

// mapPrivate maps new pages of this process there, all zero, as the Go heap does.
func mapPrivate(at unsafe.Pointer, size int) bool {
	return C.map_private(at, C.size_t(size)) != 0
}

func closeFile(fd int) { syscall.Close(fd) }

// discard zeroes memory of a memory file and gives its pages back to the
// system. It goes through the C library, where MPI libraries watch for memory
// that they have registered with a network adapter.
func discard(mem []byte) bool {
	const page = 1 << 16
	start := uintptr(unsafe.Pointer(&mem[0]))
	head := int(-start & (page - 1))
	if len(mem) < head+page {
		return false
	}
	body := (len(mem) - head) &^ (page - 1)
	if status, _ := C.madvise(unsafe.Pointer(&mem[head]), C.size_t(body), C.MADV_REMOVE); status != 0 {
		return false
	}
	clear(mem[:head])
	clear(mem[head+body:])
	return true
}
