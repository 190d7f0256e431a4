package doctor

import (
	"errors"
	"strings"
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

func TestGo(t *testing.T) {
	for _, c := range []struct{ says, want string }{
		{"go version go1.26.8 linux/amd64", "ok go1.26.8 for plan9/386"},
		{"go version go1.30 linux/amd64", "ok go1.30"},
		{"go version go2.0 linux/amd64", "ok go2.0"},
		{"go version go1.26rc1 linux/amd64", "ok go1.26rc1"},
		{"go version go1.25.9 linux/amd64", "missing go1.25.9, which is too old > get Go 1.26"},
		{"go: cannot find GOROOT", `missing go version says "go: cannot find GOROOT" > get Go 1.26`},
	} {
		expect(t, c.says, checkGo(bare().programs(map[string]string{"go version": c.says}), Wants{}), c.want)
	}
	expect(t, "none", checkGo(bare(), Wants{}), "missing no go on PATH > https://go.dev/dl")
	s := bare()
	s.Files = fstest.MapFS{"usr/local/go/bin/go": {}}
	expect(t, "elsewhere", checkGo(s, Wants{}), "missing no go on PATH, but one in /usr/local/go/bin > PATH:/usr/local/go/bin")
}

func TestC(t *testing.T) {
	gcc := map[string]string{
		"gcc --version": "gcc (Debian) 12.2.0\nCopyright",
		"gcc -E -include pthread.h -x c /dev/null": "",
	}
	expect(t, "complete", checkC(bare().programs(gcc), Wants{}), "ok gcc (Debian) 12.2.0")
	expect(t, "cgo off", checkC(bare().programs(gcc).environment(map[string]string{"CGO_ENABLED": "0"}), Wants{}),
		"note gcc (Debian) 12.2.0; CGO_ENABLED=0 > unset CGO_ENABLED")
	expect(t, "another", checkC(bare().programs(gcc).environment(map[string]string{"CC": "icx -O2"}), Wants{}),
		"missing no C compiler > apt-get install gcc")
	expect(t, "no headers", checkC(bare().programs(map[string]string{
		"cc --version": "cc 1", "cc -E -include pthread.h -x c /dev/null": "!pthread.h: No such file",
	}), Wants{}), "missing cc without the headers of the C library: pthread.h > libc6-dev")
	expect(t, "broken", checkC(bare().programs(map[string]string{"clang --version": "!error while loading"}), Wants{}),
		"missing clang does not run: error while loading")
}

func TestBLAS(t *testing.T) {
	const header, file = "gcc -E -include cblas.h -x c /dev/null", "gcc -print-file-name=libopenblas.so"
	for _, c := range []struct {
		name string
		says map[string]string
		want string
	}{
		{"none", nil, "missing no OpenBLAS; lu uses its own > libopenblas-dev"},
		{"all", map[string]string{header: "", file: "/usr/lib/libopenblas.so\n"}, "ok OpenBLAS: libopenblas.so and cblas.h"},
		{"header only", map[string]string{header: "", file: "libopenblas.so\n"}, "missing cblas.h, but no libopenblas > apt-get"},
		{"library only", map[string]string{header: "!no such file", file: "/usr/lib/libopenblas.so\n"}, "missing OpenBLAS: libopenblas.so, but no cblas.h > apt-get"},
		{"the linker's", map[string]string{"/sbin/ldconfig -p": "2 libs\n\tlibopenblas.so.0 (libc6) => /lib/libopenblas.so.0\n"}, "missing OpenBLAS: libopenblas.so.0, but no cblas.h > apt-get"},
	} {
		expect(t, c.name, checkBLAS(bare().programs(c.says), Wants{}), c.want)
	}
}

// Every finding that is not ok has a remedy, and a bare machine is sound if the user needs no
// feature.
func TestBareMachine(t *testing.T) {
	findings, sound := Examine(bare(), Wants{})
	if !sound {
		t.Error("nothing is needed, but something that is needed is missing")
	}
	seen := map[string]bool{}
	for _, f := range findings {
		seen[f.Check] = true
		if f.Found == "" || f.Level != OK && f.Do == "" || f.Needed {
			t.Errorf("%+v", f)
		}
	}
	for _, name := range Names() {
		if !seen[name] {
			t.Errorf("check %s has no finding", name)
		}
	}
}

func TestNeed(t *testing.T) {
	for _, c := range []struct {
		need  []string
		hosts string
		sound bool
	}{
		{[]string{"go"}, "", false},
		{[]string{"mpi", "launch"}, "", false},
		{[]string{"launch"}, "", true},
		{[]string{"hosts"}, "", true},
		{nil, "nowhere.hosts", false},
	} {
		findings, sound := Examine(bare(), Wants{Need: c.need, Hosts: c.hosts})
		if sound != c.sound {
			t.Errorf("need %v, hosts %q: sound is %v", c.need, c.hosts, sound)
		}
		for _, f := range findings {
			for _, name := range c.need {
				if f.Check == name && !f.Needed {
					t.Errorf("need %v: %+v is not marked", c.need, f)
				}
			}
		}
	}
}

func TestHosts(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"no Sets", "a slots=2\nb\n", []string{"ok h: 3 ranks on 2 hosts; one Set, for no line #@set says otherwise"}},
		{"Sets", "#@set s speed=0.5\na\n#@set t\nb slots=2\n", []string{
			"ok h: 3 ranks on 2 hosts; 2 Sets by lines #@set: s (1 rank), t (2 ranks); without MPI, a platform to emulate",
		}},
		{"errors", "a slots=x\n#@set\n", []string{"missing h:1:9: slots=\"x\" > correct this line", "missing h:2: > correct"}},
		{"warnings", "^x\na\nx\n#@sat\n", []string{"ok 1 rank on 1 host", "note h:1:1: ^ before a host", "note h:4:3: \"#@sat\" > not all launchers"}},
		{"many warnings", "a\n" + strings.Repeat("#@x\n", 8), []string{"ok ", "note h:2", "note h:3", "note h:4", "note h:5", "note h:6", "note 3 more warnings > migbsp hosts"}},
	} {
		s := bare()
		s.ReadFile = func(string) ([]byte, error) { return []byte(c.text), nil }
		expect(t, c.name, checkHosts(s, Wants{Hosts: "h"}), c.want...)
	}
	expect(t, "none", checkHosts(bare(), Wants{}), "ok no file given")
	expect(t, "not there", checkHosts(bare(), Wants{Hosts: "h"}), "missing open h: file does not exist > -hosts")
}

func TestLaunch(t *testing.T) {
	for _, c := range []struct {
		tasks int
		by    string
		want  string
	}{
		{0, "", "ok started by hand"},
		{1, "srun", "ok started by srun, as one of 1 task"},
		{8, "mpirun", "ok started by mpirun, as one of 8 tasks"},
		{-1, "a PMIx launcher", "ok started by a PMIx launcher, as one of an unknown number"},
	} {
		s := bare()
		s.Launched = func() (int, string) { return c.tasks, c.by }
		expect(t, c.by, checkLaunch(s, Wants{}), c.want)
	}
}

func TestJob(t *testing.T) {
	expect(t, "none", checkJob(bare(), Wants{}), "ok no resource manager")
	slurm := map[string]string{"sbatch --version": "", "srun --version": ""}
	expect(t, "outside", checkJob(bare().programs(slurm), Wants{}), "ok Slurm (sbatch, srun), outside of a job")
	job := map[string]string{"SLURM_JOB_ID": "4711", "SLURM_NTASKS": "64", "SLURM_JOB_NODELIST": "n[1-2]"}
	expect(t, "inside", checkJob(bare().programs(slurm).environment(job), Wants{}),
		"ok Slurm job: SLURM_JOB_ID=4711 SLURM_JOB_NODELIST=n[1-2] SLURM_NTASKS=64")
	expect(t, "others", checkJob(bare().environment(map[string]string{"PBS_JOBID": "1.x", "PE_HOSTFILE": "/f", "LSB_JOBID": "7"}), Wants{}),
		"ok PBS job: PBS_JOBID=1.x", "ok LSF job: LSB_JOBID=7", "ok Grid Engine job: PE_HOSTFILE=/f")
}

var both = map[string]string{
	"mpirun --version":        "mpirun (Open MPI) 4.1.4",
	"mpiexec --version":       "mpiexec (OpenRTE) 4.1.4",
	"mpiexec.hydra --version": "HYDRA build details:\n    Version: 4.0.2",
	"mpicc --showme:version":  "mpicc: Open MPI 4.1.4 (Language: C)",
	"mpicc.mpich -v":          "mpicc for MPICH version 4.0.2",
}

func TestLaunchersAndCompilers(t *testing.T) {
	s := bare().programs(both)
	expect(t, "launchers", checkLaunchers(s, Wants{}), "ok Open MPI 4.1.4 (mpirun, mpiexec); MPICH 4.0.2 (mpiexec.hydra)")
	expect(t, "compilers", checkMPICompiler(s, Wants{}), "note Open MPI 4.1.4 (mpicc); MPICH 4.0.2 (mpicc.mpich) > scripts/install builds for that of mpicc, or what MPICC names")
	s = bare().programs(map[string]string{"mpirun --version": "mpirun (Open MPI) 5.0.1", "mpicc -v": "mpicc for MPICH version 4.0.2"})
	expect(t, "different ones", checkMPICompiler(s, Wants{}), "note MPICH 4.0.2 (mpicc) > mpicc and mpirun are of different MPIs")
	s = bare().programs(map[string]string{"mpirun --version": "what?"})
	expect(t, "unknown", checkLaunchers(s, Wants{}), "ok of unknown kind (mpirun)")
}

func TestBuild(t *testing.T) {
	expect(t, "none", checkBuild(bare(), Wants{}), "note this tool has no MPI > -tags mpi")
	s := bare().programs(both)
	s.Library = "Open MPI v4.1.4"
	expect(t, "fits", checkBuild(s, Wants{}), "ok this tool has Open MPI v4.1.4 in it")
	s.Library = "MPICH 4.0.2" // as programs say it
	expect(t, "fits", checkBuild(s, Wants{}), "ok this tool has MPICH 4.0.2 in it")
	s = bare().programs(map[string]string{"mpirun --version": "Intel(R) MPI Library for Linux* OS, Version 2021.9 Build 1"})
	s.Library = "Open MPI v4.1.4"
	expect(t, "does not fit", checkBuild(s, Wants{}), "note Open MPI v4.1.4 > no launcher of that MPI")
}
