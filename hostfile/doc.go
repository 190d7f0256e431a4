// Package hostfile reads the hosts of a run: their names and slots, as Open MPI and
// hydra write them, and in comments their Sets and, for emulated platforms, the speeds
// of hosts and links. Batch systems write other files and variables: see [Form] and
// [FromEnvironment]. [Clues.Group] finds the Sets of a run.
//
// A host has slots, each of which is a rank. A Set is a group of hosts that are close to
// each other. It has a manager, the host that makes its rescheduling decisions.
//
//	#@set siteA manager=alpha1 speed=0.10 rate=1Gb/s latency=50us memory=4GiB
//	alpha1 slots=2
//	alpha2 slots=2
//	#@set siteB speed=0.04
//	beta[1-4] slots=1
//	#@host beta2 speed=0.02
//	#@link siteA siteB rate=100Mb/s latency=2ms
//
// # Host lines
//
// A line is a host with attributes (slots=2 max_slots=4, Open MPI), a host with a count
// (alpha1:2, hydra), or a line of a rankfile (rank 0=alpha1 slot=0), which is one slot.
// Lines without a count are one slot each; a host may have several. slots= may stand only
// where a host is first named. user@host and the keys user= and username= name an account;
// other keys of the two MPIs (binding=, port=, cores=, ...) are read and left out. Brackets
// stand for many hosts, as in Slurm: node[01-16,20]-ib. MPIs do not know them. ^host takes
// a host out again. Comments are # and // to the end of the line, and /* */.
//
// Names are the same in upper and lower case, and a name without a domain stands
// for the one host that has this name in any domain (but see [Rules]).
//
// # Pragmas
//
// Lines that begin with #@ are comments for MPI. Where they stand does not
// matter, but that #@set applies to the host lines from there to the next one.
//
//	#@set NAME [manager=HOST] [nodes=HOSTS] [speed=] [rate=] [latency=] [memory=]
//	#@host HOSTS [speed=] [memory=] [share=]
//	#@link SET SET [rate=] [latency=] [share=]
//	#@platform [barrier=]
//
// A #@set with nodes= names its hosts itself (nodes=beta[1-2],gamma) and applies to no
// lines. A host is in at most one Set; hosts in none are in Set "default", the last one.
// The manager makes a Set's decisions.
//
// speed is relative to a core of the machine that runs the emulation: 0.1 is ten times
// slower. rate of a #@set is the rate of each host's own link, in each direction; rate of a
// #@link is shared by all messages from one of the two Sets to the other, in each
// direction. latency is one way, from host to host. memory is a host's; 0 is no limit.
// barrier is the fixed time of each superstep. share names a file, beside this one, with
// the part of its speed or rate that a host or link gives over time; only simulated runs
// use it.
//
// Rates are bits or bytes a second with a prefix (100Mb/s, 10MB/s, 1GiB/s),
// latencies are durations as Go writes them (50us), memory is bytes (512MB, 4GiB).
package hostfile
