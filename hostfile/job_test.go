package hostfile

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

// files is an open of files that are given as "path\ncontents".
func files(all ...string) func(string) (io.ReadCloser, error) {
	return func(path string) (io.ReadCloser, error) {
		for _, one := range all {
			if text, found := strings.CutPrefix(one, path+"\n"); found {
				return io.NopCloser(strings.NewReader(text)), nil
			}
		}
		return nil, &os.PathError{Op: "open", Path: path, Err: os.ErrNotExist}
	}
}

// variables are lines, each with the words of one case's environment separated by |.
func variables(text string) func(string) string { return environment(strings.Split(text, "|")...) }

const step = "SLURM_JOB_NODELIST=n[1-5]|SLURM_TASKS_PER_NODE=2(x5)|SLURM_STEP_NODELIST=n[2-4]|SLURM_STEP_TASKS_PER_NODE=2(x2),1|"

const hetStep = "SLURM_JOB_NODELIST=a[1-2]|SLURM_TASKS_PER_NODE=3,1|SLURM_STEP_ID=0|SLURM_STEP_NODELIST="

func TestJobs(t *testing.T) {
	for _, c := range []struct{ name, environment, file, want, from string }{
		{"Slurm, batch script", "SLURM_JOB_NODELIST=n[1-3]|SLURM_TASKS_PER_NODE=2(x2),1", "", "default(n1:2 n2:2 n3:1)", "SLURM_JOB_NODELIST and SLURM_TASKS_PER_NODE"},
		{"Slurm, old names", "SLURM_NODELIST=n[1-2]", "", "default(n1:1 n2:1)", "SLURM_NODELIST"},
		{"Slurm, no tasks", "SLURM_JOB_NODELIST=n[1-2]|SLURM_JOB_CPUS_PER_NODE=8(x2)", "", "default(n1:8 n2:8)", "SLURM_JOB_NODELIST and SLURM_JOB_CPUS_PER_NODE"},
		{"Slurm, order", "SLURM_JOB_NODELIST=n[3,1-2]|SLURM_TASKS_PER_NODE=1,2,3", "", "default(n3:1 n1:2 n2:3)", "SLURM_JOB_NODELIST and SLURM_TASKS_PER_NODE"},
		{"Slurm, step", step + "SLURM_STEP_ID=0", "", "default(n2:2 n3:2 n4:1)", "SLURM_STEP_NODELIST and SLURM_STEP_TASKS_PER_NODE"},
		{"Slurm, shell of salloc", step + "SLURM_STEP_ID=4294967290", "", "default(n1:2 n2:2 n3:2 n4:2 n5:2)", "SLURM_JOB_NODELIST and SLURM_TASKS_PER_NODE"},
		{"Slurm, rank of mpirun", step + "SLURM_STEP_ID=0|OMPI_COMM_WORLD_SIZE=9", "", "default(n1:2 n2:2 n3:2 n4:2 n5:2)", "SLURM_JOB_NODELIST and SLURM_TASKS_PER_NODE"},
		{"Slurm, het groups", hetTwo + "|SLURM_TASKS_PER_NODE_HET_GROUP_0=2(x2)|SLURM_TASKS_PER_NODE_HET_GROUP_1=1,3|SLURM_JOB_NODELIST=a[1-2]", "",
			"het0(a1:2 a2:2) het1(b1:1 b2:3)", "the 2 components of the Slurm job, SLURM_JOB_NODELIST_HET_GROUP_0 and so on"},
		{"Slurm, packs", "SLURM_PACK_SIZE=2|SLURM_JOB_NODELIST_PACK_GROUP_0=a|SLURM_JOB_NODELIST_PACK_GROUP_1=b|SLURM_JOB_CPUS_PER_NODE_PACK_GROUP_1=4", "",
			"het0(a:1) het1(b:4)", "the 2 components of the Slurm job, SLURM_JOB_NODELIST_HET_GROUP_0 and so on"},
		{"Slurm, het groups in partitions", hetTwo + "|" + partition + "0=fast|" + partition + "1=slow|SLURM_JOB_NODELIST=a[1-2]", "",
			"fast(a1:1 a2:1) slow(b1:1 b2:1)", "the 2 components of the Slurm job, SLURM_JOB_NODELIST_HET_GROUP_0 and so on"},
		{"Slurm, step of all components in partitions", hetTwo + "|" + partition + "0=fast|" + partition + "1=slow|" + hetStep + "a[1-2],b[1-2]|SLURM_STEP_TASKS_PER_NODE=3,1,2,1", "", "fast(a1:3 a2:1) slow(b1:2 b2:1)", "SLURM_STEP_NODELIST and SLURM_STEP_TASKS_PER_NODE"},
		{"Slurm, one list of two", "SLURM_HET_SIZE=2|SLURM_JOB_NODELIST_HET_GROUP_1=b[1-2]", "", "het1(b1:1 b2:1)", "SLURM_JOB_NODELIST_HET_GROUP_1"},
		{"Slurm, het groups not told", "SLURM_HET_SIZE=2|SLURM_JOB_NODELIST=a[1-2]", "", "default(a1:1 a2:1)", "SLURM_JOB_NODELIST"},
		{"Slurm, step of the first component", hetTwo + "|" + hetStep + "a[1-2]|SLURM_STEP_TASKS_PER_NODE=3,1", "", "het0(a1:3 a2:1)", "SLURM_STEP_NODELIST and SLURM_STEP_TASKS_PER_NODE"},
		{"Slurm, step of all components", hetTwo + "|" + hetStep + "a[1-2],b[1-2]|SLURM_STEP_TASKS_PER_NODE=3,1,2,1", "", "het0(a1:3 a2:1) het1(b1:2 b2:1)", "SLURM_STEP_NODELIST and SLURM_STEP_TASKS_PER_NODE"},
		{"Slurm, step with a host of no component", hetTwo + "|" + hetStep + "b1,c", "", "het1(b1:1) default(c:1)", "SLURM_STEP_NODELIST"},
		{"Slurm before others", "SLURM_JOB_NODELIST=n1|PBS_NODEFILE=/f|LSB_HOSTS=x", "/f\na\n", "default(n1:1)", "SLURM_JOB_NODELIST"},
		{"PBS", "PBS_NODEFILE=/f", "/f\nn1.x\nn2.x\nn1.x\nn2.x\nn1.x\n", "default(n1.x:3 n2.x:2)", "PBS_NODEFILE=/f"},
		{"PBS with Sets", "PBS_NODEFILE=/f", "/f\nn1\nn1\nn2\n#@set A nodes=n1\n", "A(n1:2) default(n2:1)", "PBS_NODEFILE=/f"},
		{"LSF, pairs", "LSB_MCPU_HOSTS= h1 4  h2 2 |LSB_HOSTS=x", "", "default(h1:4 h2:2)", "LSB_MCPU_HOSTS"},
		{"LSF, a host twice", "LSB_MCPU_HOSTS=h1 4 h2 2 h1 1", "", "default(h1:5 h2:2)", "LSB_MCPU_HOSTS"},
		{"LSF, file", "LSB_DJOB_HOSTFILE=/f|LSB_HOSTS=x", "/f\nh1\nh1\nh2\n", "default(h1:2 h2:1)", "LSB_DJOB_HOSTFILE=/f"},
		{"LSF, names", "LSB_HOSTS=h1 h1 h2", "", "default(h1:2 h2:1)", "LSB_HOSTS"},
		{"LSF, launch node", "LSB_MCPU_HOSTS=batch2 1 h41n03 42 h41n04 42", "", "default(h41n03:42 h41n04:42)", "LSB_MCPU_HOSTS"},
		{"LSF, launch node in a file", "LSB_DJOB_HOSTFILE=/f", "/f\nbatch2\nh1\nh1\n", "default(h1:2)", "LSB_DJOB_HOSTFILE=/f"},
		{"LSF, only one host", "LSB_HOSTS=batch2", "", "default(batch2:1)", "LSB_HOSTS"},
		{"LSF, a first host with more", "LSB_MCPU_HOSTS=batch2 4 batch3 4", "", "default(batch2:4 batch3:4)", "LSB_MCPU_HOSTS"},
		{"SGE", "PE_HOSTFILE=/f", "/f\nn1 4 all.q@n1 UNDEFINED\nn2 2 all.q@n2 UNDEFINED\n", "default(n1:4 n2:2)", "PE_HOSTFILE=/f"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, from, err := FromEnvironment(variables(c.environment), files(c.file))
			must.Do(t, err)
			if got := setsWithSlots(f); got != c.want || from != c.from {
				t.Errorf("got %s from %s\nwant %s from %s", got, from, c.want, c.from)
			}
			checkSets(t, f)
		})
	}
}

// setsWithSlots is "set(host:slots)" for all Sets.
func setsWithSlots(f *File) string {
	text := " " + setsOf(f)
	for _, h := range f.Hosts {
		for _, before := range []string{" ", "("} {
			for _, after := range []string{" ", ")"} {
				text = strings.Replace(text, before+h.Name+after, before+fmt.Sprintf("%s:%d", h.Name, h.Slots)+after, 1)
			}
		}
	}
	return text[1:]
}

func TestWrongJobs(t *testing.T) {
	for _, c := range []struct{ name, environment, file, want string }{
		{"none", "HOME=/root", "", ErrNoJob.Error()},
		{"open bracket", "SLURM_JOB_NODELIST=n1,n[1-", "", "SLURM_JOB_NODELIST:1:5: bracket that nothing closes"},
		{"open bracket in a step", "SLURM_STEP_NODELIST=n[1-", "", "SLURM_STEP_NODELIST:1:2: bracket that nothing closes"},
		{"counts", "SLURM_JOB_NODELIST=n[1-3]|SLURM_TASKS_PER_NODE=2(x3", "", `SLURM_TASKS_PER_NODE:1:1: "2(x3" as a count`},
		{"fewer counts than hosts", "SLURM_JOB_NODELIST=n[1-3]|SLURM_TASKS_PER_NODE=2(x2)", "", "SLURM_TASKS_PER_NODE:1:1: counts for 2 hosts, expected 3, as SLURM_JOB_NODELIST has"},
		{"more counts than hosts", "SLURM_JOB_NODELIST=n1|SLURM_TASKS_PER_NODE=2(x2)", "", "SLURM_TASKS_PER_NODE:1:1: counts for 2 hosts, expected 1, as"},
		{"second component", hetTwo + "|SLURM_TASKS_PER_NODE_HET_GROUP_1=1,x", "", `SLURM_TASKS_PER_NODE_HET_GROUP_1:1:3: "x" as a count`},
		{"component of a step", "SLURM_HET_SIZE=2|SLURM_JOB_NODELIST_HET_GROUP_1=b[|" + hetStep + "b1", "", "SLURM_JOB_NODELIST_HET_GROUP_1:1:2: bracket that nothing closes"},
		{"list of commas", "SLURM_JOB_NODELIST=,", "", "SLURM_JOB_NODELIST:1:1: a file without hosts"},
		{"no file", "PBS_NODEFILE=/f", "", "PBS_NODEFILE: open /f: file does not exist (batch systems have it on the first host of a job only)"},
		{"file of PBS", "PBS_NODEFILE=/f", "/f\nn1\nn2 n3\n", `PBS_NODEFILE:2:4: "n3" without a value`},
		{"file of SGE", "PE_HOSTFILE=/f", "/f\nn1 x\n", `PE_HOSTFILE:1:4: "x" behind host n1, expected its number of slots`},
		{"odd pairs", "LSB_MCPU_HOSTS=h1 4 h2", "", `LSB_MCPU_HOSTS:1:8: "" behind host h2`},
		{"names of LSF", "LSB_HOSTS=h1 h[", "", "LSB_HOSTS:1:5: bracket that nothing closes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, _, err := FromEnvironment(variables(c.environment), files(c.file))
			if err == nil || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("got %+v, %v\nwant %s", f, err, c.want)
			}
		})
	}
}

func TestWarningsOfJobs(t *testing.T) {
	for environment, want := range map[string]string{
		"LSB_MCPU_HOSTS=batch2 1 h1 4": "LSB_MCPU_HOSTS:1:1: host batch2, left out as the launch node",
		"SLURM_HET_SIZE=2|SLURM_JOB_NODELIST_HET_GROUP_0=a,b|SLURM_JOB_NODELIST_HET_GROUP_1=b,c": "SLURM_JOB_NODELIST_HET_GROUP_1:1:1: 1 host of components before, counted to those",
	} {
		f, _, err := FromEnvironment(variables(environment), files())
		if err != nil || len(f.Warnings) != 1 || f.Warnings[0].Error() != want {
			t.Errorf("%s: %+v, %v, want %s", environment, f, err, want)
		}
	}
}

func TestOneBatchSystem(t *testing.T) {
	all := variables("SLURM_JOB_NODELIST=s|PBS_NODEFILE=/p|LSB_HOSTS=l|PE_HOSTFILE=/g")
	open := files("/p\np\n", "/g\ng 1\n")
	for system, want := range map[string]string{"slurm": "s:1", "pbs": "p:1", "lsf": "l:1", "sge": "g:1"} {
		f, _, err := FromBatchSystem(system, all, open)
		if err != nil || hosts(f) != want {
			t.Errorf("%s: %v, want %s", system, err, want)
		}
		if _, _, err := FromBatchSystem(system, environment(), open); !errors.Is(err, ErrNoJob) || !strings.Contains(err.Error(), system) {
			t.Errorf("%s: %v", system, err)
		}
	}
	if _, _, err := FromBatchSystem("nqs", all, open); err == nil || err.Error() != `batch system "nqs", expected slurm, pbs, lsf or sge` {
		t.Error(err)
	}
}
