//go:build linux

package launch

import (
	"errors"
	"os/exec"
	"strconv"
	"strings"

	"github.com/migbsp/migbsp/cmd/testbed/internal/control"
	"github.com/migbsp/migbsp/cmd/testbed/internal/network"
)

// OpenMPI returns the command that starts a program on ranks of Open MPI, which is one of
// the launchers, and its environment.
func OpenMPI(launcher string, ranks int, program []string) (command, environment []string) {
	command = append([]string{launcher,
		"--mca", "plm", "rsh", "--mca", "plm_rsh_agent", control.Agent, "--mca", "plm_rsh_no_tree_spawn", "1",
		"--hostfile", control.HostFile, "--bind-to", "none", "--map-by", "node", "--oversubscribe",
		"--mca", "pml", "ob1", "--mca", "btl", "self,tcp",
		"--mca", "btl_tcp_if_include", network.Interface, "--mca", "oob_tcp_if_include", network.Interface,
		"-n", strconv.Itoa(ranks)}, program...)
	return command, []string{"OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"}
}

// MPICH is the same for MPICH, by its launcher hydra.
func MPICH(launcher string, ranks int, program []string) (command, environment []string) {
	command = append([]string{launcher,
		"-launcher", "ssh", "-launcher-exec", control.Agent, "-iface", network.Interface, "-bind-to", "none",
		"-f", control.MachineFile, "-n", strconv.Itoa(ranks)}, program...)
	return command, []string{"UCX_TLS=tcp,self", "UCX_NET_DEVICES=" + network.Interface}
}

// FindOpenMPI is the launcher of Open MPI.
func FindOpenMPI() (string, error) {
	return find("Open MPI", "(Open MPI)", "mpirun.openmpi", "mpirun")
}

// FindMPICH is the launcher of MPICH.
func FindMPICH() (string, error) {
	return find("MPICH", "HYDRA", "mpirun.mpich", "mpiexec.hydra", "mpirun")
}

// find returns the first of the commands whose version contains the text says.
func find(what, says string, names ...string) (string, error) {
	for _, name := range names {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		if text, err := exec.Command(path, "--version").Output(); err == nil && strings.Contains(string(text), says) {
			return path, nil
		}
	}
	return "", errors.New("no launcher of " + what + " in PATH; on Debian: apt-get install openmpi-bin mpich")
}

// Agent makes the calling process the command that a launcher would have ssh start
// on a host: agent [OPTION...] HOST COMMAND. It returns only if that fails.
func Agent(arguments []string) error {
	host, command, err := splitAgent(arguments)
	if err != nil {
		return err
	}
	return Enter(host, []string{"/bin/sh", "-c", command})
}

// splitAgent reads arguments as ssh does.
func splitAgent(arguments []string) (host, command string, err error) {
	for len(arguments) > 0 && strings.HasPrefix(arguments[0], "-") {
		option := arguments[0]
		arguments = arguments[1:]
		if len(option) == 2 && strings.Contains("bcDEeFIiJLlmOopQRSWw", option[1:]) && len(arguments) > 0 {
			arguments = arguments[1:]
		}
	}
	if len(arguments) < 2 {
		return "", "", errors.New("agent: no host and command among the arguments")
	}
	return arguments[0], strings.Join(arguments[1:], " "), nil
}
