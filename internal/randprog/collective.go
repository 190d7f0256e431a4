package randprog

import "github.com/migbsp/migbsp/bsplib"

// perform ends a superstep of a real process with the collective and returns
// its result in the form that is logged.
func (e ending) perform(p *bsplib.Proc) string {
	pid, n := p.Pid(), p.NProcs()
	var result []byte
	own := e.fill&1 != 0 // memory to receive into
	into := make([][]triple, n)
	switch e.what {
	case endSync:
		p.Sync()
		return ""
	case endStage:
		return ""
	case endBroadcast:
		data := e.triples(pid, e.n)
		bsplib.Broadcast(p, e.root, data)
		result = bytesOf(data)
	case endGather:
		if values := e.triples(pid, e.lengthOf(pid, 0)); own {
			bsplib.GatherInto(p, e.root, values, into)
		} else {
			into = bsplib.Gather(p, e.root, values)
		}
		result = joined(into)
	case endAllgather:
		if values := e.triples(pid, e.lengthOf(pid, 0)); own {
			bsplib.AllgatherInto(p, values, into)
		} else {
			into = bsplib.Allgather(p, values)
		}
		result = joined(into)
	case endAllToAll:
		values := make([][]triple, n)
		for to := range values {
			values[to] = e.triples(pid, e.lengthOf(pid, to))
		}
		if own {
			bsplib.AllToAllInto(p, values, values)
		} else {
			values = bsplib.AllToAll(p, values)
		}
		result = joined(values)
	case endReduce:
		result = bytesOf([]affine{bsplib.Reduce(p, e.root, e.affines(pid, 1)[0], affine.then)})
	case endAllreduce:
		result = bytesOf([]affine{bsplib.Allreduce(p, e.affines(pid, 1)[0], affine.then)})
	case endScan:
		result = bytesOf([]affine{bsplib.Scan(p, e.affines(pid, 1)[0], affine.then)})
	case endAllreduceSlice:
		x := e.affines(pid, e.n)
		bsplib.AllreduceSlice(p, x, affine.then)
		result = bytesOf(x)
	}
	return logResult(e.what, result)
}

// result returns the expected log of the collective's result on process pid of n.
func (e ending) result(pid, n int) string {
	var result []byte
	switch e.what {
	case endSync, endStage:
		return ""
	case endBroadcast:
		result = bytesOf(e.triples(e.root, e.n))
	case endGather, endAllgather:
		if e.what == endGather && pid != e.root {
			break
		}
		for from := range n {
			result = append(result, bytesOf(e.triples(from, e.lengthOf(from, 0)))...)
		}
	case endAllToAll:
		for from := range n {
			result = append(result, bytesOf(e.triples(from, e.lengthOf(from, pid)))...)
		}
	case endReduce:
		result = make([]byte, kindOf[affine]{}.size())
		if pid == e.root {
			result = bytesOf(e.combined(0, n, 1))
		}
	case endAllreduce:
		result = bytesOf(e.combined(0, n, 1))
	case endScan:
		result = bytesOf(e.combined(0, pid+1, 1))
	case endAllreduceSlice:
		result = bytesOf(e.combined(0, n, e.n))
	}
	return logResult(e.what, result)
}

func (e ending) triples(pid, n int) []triple {
	b := make([]triple, n)
	Fill(bytesOf(b), e.fillOf(pid))
	return b
}

func (e ending) affines(pid, n int) []affine {
	b := make([]affine, n)
	Fill(bytesOf(b), e.fillOf(pid))
	return b
}

// combined combines the n values of processes first to end-1, from left to
// right.
func (e ending) combined(first, end, n int) []affine {
	all := e.affines(first, n)
	for pid := first + 1; pid < end; pid++ {
		for i, f := range e.affines(pid, n) {
			all[i] = all[i].then(f)
		}
	}
	return all
}

func joined(parts [][]triple) []byte {
	var all []byte
	for _, part := range parts {
		all = append(all, bytesOf(part)...)
	}
	return all
}
