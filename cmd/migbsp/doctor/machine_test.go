package doctor

import (
	"errors"
	"testing"
	"testing/fstest"

	"github.com/migbsp/migbsp/probe"
	"github.com/migbsp/migbsp/probe/survey"
)

func TestCores(t *testing.T) {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text + "\n")} }
	four := file("0-3")
	free := fstest.MapFS{"sys/devices/system/cpu/online": four, "proc/self/status": file("Cpus_allowed_list:\t0-3")}
	bound := fstest.MapFS{"sys/devices/system/cpu/online": four, "proc/self/status": file("Cpus_allowed_list:\t2")}
	quota := fstest.MapFS{
		"sys/devices/system/cpu/online": four, "proc/self/status": file("Cpus_allowed_list:\t0-3"),
		"proc/self/cgroup": file("0::/"), "sys/fs/cgroup/cpu.max": file("150000 100000"),
	}
	for _, c := range []struct {
		name  string
		files fstest.MapFS
		ranks int
		want  []string
	}{
		{"free", free, 4, []string{"ok 4 cores"}},
		{"too many", free, 5, []string{"ok 4 cores", "note 5 ranks (-ranks) on 4 cores > --oversubscribe"}},
		{"bound", bound, 0, []string{"note 4 cores, 1 of them for this process > --bind-to none"}},
		{"quota", quota, 0, []string{"note 4 cores, for 1.5 of them time (cgroup quota) > no more ranks than the quota"}},
		{"quota, two ranks", quota, 2, []string{"note 1.5", "note 2 ranks"}},
	} {
		s := bare()
		s.Files = c.files
		expect(t, c.name, checkCores(s, Wants{Ranks: c.ranks}), c.want...)
	}
	s := bare()
	s.Files = free
	s.Launched = func() (int, string) { return 9, "srun" }
	expect(t, "launched", checkCores(s, Wants{}), "ok 4 cores", "note 9 ranks (srun)")
}

func TestMemory(t *testing.T) {
	const gib = 1 << 30
	for _, c := range []struct {
		name   string
		memory probe.Memory
		want   string
	}{
		{"enough", probe.Memory{Total: 4 * gib, Available: 2 * gib, Space: probe.Unlimited}, "ok 2 GiB of 4 GiB are available"},
		{"group", probe.Memory{Total: 4 * gib, Available: gib, Group: gib, Space: probe.Unlimited}, "ok the control group may have 1 GiB"},
		{"little", probe.Memory{Total: 4 * gib, Available: gib / 4, Space: probe.Unlimited}, "note 256 MiB > small problems"},
		{"addresses", probe.Memory{Total: 4 * gib, Available: 2 * gib, Space: gib}, "note a process 1 GiB of addresses > ulimit -v unlimited"},
	} {
		s := bare()
		s.Memory = func() probe.Memory { return c.memory }
		expect(t, c.name, checkMemory(s, Wants{}), c.want)
	}
}

func TestLocked(t *testing.T) {
	s := bare()
	expect(t, "no limit", checkLocked(s, Wants{}), "ok no limit")
	s.Memory = func() probe.Memory { return probe.Memory{Locked: 64 << 10} }
	expect(t, "no InfiniBand", checkLocked(s, Wants{}), "ok at most 64 KiB")
	s.Files = fstest.MapFS{"sys/class/infiniband/mlx5_0/node_guid": &fstest.MapFile{}}
	expect(t, "InfiniBand", checkLocked(s, Wants{}), "note at most 64 KiB > ulimit -l unlimited")
}

func TestShared(t *testing.T) {
	s := bare()
	expect(t, "none", checkShared(s, Wants{}), "note /dev/shm: not here > does without")
	s.Space = func(string) (int64, int64, error) { return 64 << 20, 63 << 20, nil }
	expect(t, "a container's", checkShared(s, Wants{}), "note 64 MiB, 63 MiB of them free > --shm-size")
	s.Space = func(string) (int64, int64, error) { return 8 << 30, 4 << 30, nil }
	expect(t, "enough", checkShared(s, Wants{}), "ok 8 GiB, 4 GiB of them free")
}

func TestClock(t *testing.T) {
	s := bare()
	expect(t, "none", checkClock(s, Wants{}), "note no clock for threads > without foreign load")
	s.Clock = func() (probe.Clock, error) { return probe.Clock{Step: 1e-6, Read: 2e-7}, nil }
	expect(t, "fine", checkClock(s, Wants{}), "ok steps of 1 us, reading it takes 200 ns")
	s.Clock = func() (probe.Clock, error) { return probe.Clock{Step: 0.004, Read: 2e-7}, nil }
	expect(t, "coarse", checkClock(s, Wants{}), "note steps of 4 ms > more work")
}

func TestLoad(t *testing.T) {
	s := bare()
	expect(t, "unknown", checkLoad(s, Wants{}), "note not here > can then not be seen")
	s.Load = func() (survey.Load, error) { return survey.Load{One: 0.5, Others: 0.02, Over: 1}, nil }
	expect(t, "idle", checkLoad(s, Wants{}), "ok load 0.50, others use 2% of the cores now")
	s.Load = func() (survey.Load, error) { return survey.Load{One: 3, Others: 0.5, Stolen: 0.25, Over: 1}, nil }
	expect(t, "busy", checkLoad(s, Wants{}), "note others use 50% of the cores now (25% stolen > will vary")
}

func TestNetwork(t *testing.T) {
	all := []survey.Interface{
		{Name: "lo", Up: true, Loopback: true},
		{Name: "eth0", Up: true, Rate: 25e9},
		{Name: "eth1"},
		{Name: "eth2", Up: true},
	}
	s := bare()
	expect(t, "nothing seen", checkNetwork(s, Wants{}), "note not here > counters")
	s.Links = func() ([]survey.Interface, error) { return all, nil }
	expect(t, "all", checkNetwork(s, Wants{}), "ok eth0 25 Gb/s, eth2 up")
	s.Links = func() ([]survey.Interface, error) { return all, errors.New("netlink: operation not permitted") }
	expect(t, "no netlink", checkNetwork(s, Wants{}), "note eth0 25 Gb/s, eth2; netlink: operation not permitted > counters")
	s.Links = func() ([]survey.Interface, error) { return all[:1], nil }
	expect(t, "alone", checkNetwork(s, Wants{}), "note no interface > do without")
}

func TestProc(t *testing.T) {
	s := bare()
	expect(t, "none", checkProc(s, Wants{}), "note there is no /proc > not known")
	files := fstest.MapFS{"proc/self/status": {}, "proc/stat": {}, "proc/loadavg": {}}
	s.Files = files
	expect(t, "in part", checkProc(s, Wants{}), "note cannot read /proc/self/fd > share no memory")
	files["proc/self/fd/0"] = &fstest.MapFile{}
	expect(t, "all", checkProc(s, Wants{}), "ok /proc can be read")
}
