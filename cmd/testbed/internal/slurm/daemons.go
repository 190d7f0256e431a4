//go:build linux

package slurm

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/migbsp/migbsp/cmd/testbed/internal/control"
	"github.com/migbsp/migbsp/cmd/testbed/internal/launch"
	"github.com/migbsp/migbsp/cmd/testbed/internal/spec"
)

// Programs are the programs that must be installed.
var Programs = []string{"munged", "slurmctld", "slurmd", "sinfo", "srun", "sbatch", "scontrol"}

// Missing returns an error that names the programs that are not installed, nil if all are.
func Missing() error {
	var missing []string
	for _, name := range Programs {
		if _, err := find(name); err != nil {
			missing = append(missing, name)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return fmt.Errorf("no %s; on Debian: apt-get install slurm-wlm munge", strings.Join(missing, ", "))
}

// find also searches the directories of daemons, which may not be in PATH.
func find(name string) (string, error) {
	if path, err := exec.LookPath(name); err == nil {
		return path, nil
	}
	return exec.LookPath(filepath.Join("/usr/sbin", name))
}

func running() bool {
	_, err := os.Stat(config)
	return err == nil
}

// Up starts Slurm and waits until all hosts are ready for jobs. It is no error if
// Slurm runs already.
func Up(s *spec.Spec) error {
	if err := Missing(); err != nil {
		return err
	}
	if running() {
		return nil
	}
	if err := start(s); err != nil {
		return errors.Join(err, Down())
	}
	return nil
}

func start(s *spec.Spec) error {
	if err := writeFiles(s); err != nil {
		return err
	}
	log, err := openLog()
	if err != nil {
		return err
	}
	defer log.Close()
	front := s.Clusters[0].Hosts[0].Name
	err = daemon(launch.Beside, front, log, "munged", "--force", "--socket="+socket, "--key-file="+key,
		"--pid-file="+munge+"/pid", "--log-file="+munge+"/log", "--seed-file="+munge+"/seed")
	if err != nil {
		return err
	}
	if err := daemon(launch.Beside, front, log, "slurmctld", "-c", "-f", config); err != nil {
		return err
	}
	hosts := s.Hosts()
	failed := make(chan error, len(hosts))
	for _, h := range hosts {
		go func() { failed <- startNode(h.Name, log) }()
	}
	for range hosts {
		err = errors.Join(err, <-failed)
	}
	if err != nil {
		return err
	}
	return awaitIdle(front, len(hosts))
}

// openLog opens the file with the output of all daemons.
func openLog() (*os.File, error) {
	return os.OpenFile(filepath.Join(control.SlurmDir, "log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
}

// startNode starts the daemon of a host.
func startNode(host string, log *os.File) error {
	return daemon(launch.On, host, log, "slurmd", "-c", "-f", config)
}

func writeFiles(s *spec.Spec) error {
	for _, dir := range []string{control.SlurmDir, state, munge} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	secret := make([]byte, 1024)
	rand.Read(secret)
	return errors.Join(
		os.WriteFile(key, secret, 0o400),
		os.WriteFile(mpi, []byte("PMIxCliTmpDirBase="+control.Local+"\n"), 0o644),
		os.WriteFile(config, []byte(Config(s)), 0o644))
}

// daemon starts a program that detaches itself.
func daemon(run func(string, *os.File, []string, ...string) (int, error), host string, log *os.File, name string, arguments ...string) error {
	path, err := find(name)
	if err != nil {
		return err
	}
	code, err := run(host, log, environment(), append([]string{path}, arguments...)...)
	if err != nil {
		return err
	}
	if code != 0 {
		return fmt.Errorf("%s on %s ends with code %d: %s", name, host, code, lastLine(log.Name()))
	}
	return nil
}

func environment() []string {
	return []string{"SLURM_CONF=" + config}
}

// awaitIdle waits until Slurm sees all hosts.
func awaitIdle(front string, hosts int) error {
	const patience = 60 * time.Second
	for begin := time.Now(); time.Since(begin) < patience; time.Sleep(50 * time.Millisecond) {
		text, code, err := ask(front, "sinfo", "--noheader", "--Node", "--partition="+All, "--format=%T")
		if err != nil {
			return err
		}
		if code == 0 && strings.Count(text+"\n", "idle\n") == hosts {
			return nil
		}
	}
	return fmt.Errorf("the hosts are not ready for jobs after %v: %s", patience, lastLine(filepath.Join(control.SlurmDir, "slurmctld.log")))
}

// ask runs a command of Slurm on the controller's host, and returns its output.
func ask(front, name string, arguments ...string) (text string, code int, err error) {
	path, err := find(name)
	if err != nil {
		return "", 0, err
	}
	answer, err := os.CreateTemp(control.SlurmDir, name)
	if err != nil {
		return "", 0, err
	}
	defer os.Remove(answer.Name())
	defer answer.Close()
	if code, err = launch.Beside(front, answer, environment(), append([]string{path}, arguments...)...); err != nil {
		return "", 0, err
	}
	printed, err := os.ReadFile(answer.Name())
	return strings.TrimSpace(string(printed)), code, err
}

// Down kills all processes of Slurm and its jobs. Missing processes are not an error.
func Down() error {
	call, err := control.Ask(control.Request{Do: control.EndSlurm})
	if err != nil {
		return err
	}
	call.Close()
	return os.RemoveAll(control.SlurmDir)
}

// lastLine returns the last line of a log, for messages.
func lastLine(path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return lines[len(lines)-1]
}
