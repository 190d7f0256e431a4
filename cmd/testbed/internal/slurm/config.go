//go:build linux

// Package slurm runs Slurm on a testbed: a daemon on each host, and a controller next to the first
// host.
package slurm

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/migbsp/migbsp/cmd/testbed/internal/control"
	"github.com/migbsp/migbsp/cmd/testbed/internal/spec"
)

// Files of Slurm below control.SlurmDir.
var (
	config = filepath.Join(control.SlurmDir, "slurm.conf")
	mpi    = filepath.Join(control.SlurmDir, "mpi.conf")
	state  = filepath.Join(control.SlurmDir, "state")
	munge  = filepath.Join(control.SlurmDir, "munge")
	socket = filepath.Join(munge, "socket")
	key    = filepath.Join(munge, "key")
)

// All is the partition of all hosts, besides one for each cluster.
const All = "all"

// Settings that do not depend on the testbed. They make Slurm as quick as it gets,
// for a testbed lives for minutes: jobs start at once, and credentials expire soon enough
// for jobs to be requeued without a wait. A host that does not answer for a minute is
// down, and its jobs have failed: on a busy one the daemon waits for ranks that spin.
const settings = `ClusterName=testbed
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/backfill
SchedulerParameters=bf_interval=1,bf_resolution=1,sched_min_interval=100000,batch_sched_delay=0
SlurmdParameters=config_overrides
ReturnToService=2
SlurmdTimeout=60
KillWait=3
JobRequeue=1
MailProg=/bin/true
`

// Config is slurm.conf for a testbed.
func Config(s *spec.Spec) string {
	var text strings.Builder
	text.WriteString(settings)
	fmt.Fprintf(&text, "SlurmctldHost=%s\n", s.Clusters[0].Hosts[0].Name)
	fmt.Fprintf(&text, "AuthInfo=socket=%s,cred_expire=5\n", socket)
	fmt.Fprintf(&text, "TmpFS=%s\n", control.Local)
	fmt.Fprintf(&text, "StateSaveLocation=%s\n", state)
	for _, file := range []struct{ key, name string }{
		{"SlurmctldPidFile", "slurmctld.pid"}, {"SlurmctldLogFile", "slurmctld.log"},
		{"SlurmdPidFile", "%n.pid"}, {"SlurmdLogFile", "%n.log"}, {"SlurmdSpoolDir", "%n.spool"},
	} {
		fmt.Fprintf(&text, "%s=%s\n", file.key, filepath.Join(control.SlurmDir, file.name))
	}
	for _, h := range s.Hosts() {
		fmt.Fprintf(&text, "NodeName=%s CPUs=%d State=UNKNOWN\n", h.Name, h.Slots)
	}
	for _, c := range s.Clusters {
		fmt.Fprintf(&text, "PartitionName=%s Nodes=%s MaxTime=INFINITE State=UP\n", c.Name, names(c.Hosts))
	}
	fmt.Fprintf(&text, "PartitionName=%s Nodes=%s MaxTime=INFINITE State=UP Default=YES\n", All, names(s.Hosts()))
	return text.String()
}

func names(hosts []spec.Host) string {
	var all []string
	for _, h := range hosts {
		all = append(all, h.Name)
	}
	return strings.Join(all, ",")
}

// Environment returns the variables that commands of Slurm need; none if it does not run.
func Environment() []string {
	if !running() {
		return nil
	}
	return environment()
}
