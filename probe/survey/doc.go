// Package survey measures the resources of a machine and, with the ranks of a run, of all its
// machines and the links between them. `migbsp probe` and `migbsp doctor` print them; programs need
// package probe only.
//
// # Concepts
//
//   - Machine: one machine as the measuring process sees it: cores, clock, speed of a
//     core and a thread's share of it, load, memory, interfaces. This measures it.
//   - Survey: the machines of a run, its ranks and Sets, and the links between
//     these. All ranks call Take; rank 0 has the result.
//   - Figures that the machine or the rights of the user do not show are zero, and
//     Missing names them. A survey fails only if ranks do not answer, or if rank 0 refuses.
//
// # The phases of Take
//
// All ranks wait for each other between phases, because the work of one would show in the
// measurements of another:
//
//  1. Ranks name their hosts; rank 0 finds their Sets and sends orders.
//  2. All wait and watch load and interfaces for Plan.Watch: the load of other programs.
//  3. All compute for about a quarter of a second: the missing part of a rank's core went
//     to other programs, to ranks on the same core, or was beyond a quota.
//  4. Rank 0 gathers the measurements of all.
//  5. Managers of Sets measure links, for about Plan.Links.
//
// Figures of processes and cores come from gopsutil; figures of interfaces, queues and routes come
// from the kernel by netlink.
package survey
