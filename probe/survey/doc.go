// Package survey finds out what a machine gives to its users, and, with the ranks of a
// run, what all its machines and the ways between them give. It is what `migbsp probe` and
// `migbsp doctor` print; programs need package probe only.
//
// # Concepts
//
//   - Machine: one machine as the process that looks sees it: cores, clock, speed of a
//     core and what a thread gets of it, load, memory, interfaces. This measures it.
//   - Survey: the machines of a run, its ranks and Sets, and the links between
//     these. All ranks call Take; rank 0 has the result.
//   - What the machine or the rights of the user do not show is left zero and named in
//     Missing. A survey fails only if ranks do not answer, or if rank 0 refuses.
//
// # The phases of Take
//
// All ranks wait for each other between phases, for what one does would show in what
// another measures:
//
//  1. Ranks name their hosts; rank 0 finds their Sets and sends orders.
//  2. All wait and watch load and interfaces for Plan.Watch: what shows is others.
//  3. All compute for about a quarter of a second: what a rank then lacks of a core goes to
//     others, to ranks on the same core, or over a quota.
//  4. Rank 0 gathers what all have found.
//  5. Managers of Sets measure links, for about Plan.Links.
//
// Figures of processes and cores come from gopsutil, those of interfaces, queues and
// routes from the kernel by netlink.
package survey
