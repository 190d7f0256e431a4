// Package checkpoint keeps checkpoints of runs in a directory: what is in them
// belongs to the caller.
//
// A checkpoint is a directory of its own, named program-run-number. Each rank
// that has processes writes a part into it:
//
//	head      "bspP", format, the checkpoint's identity (16 bytes in all)
//	a record for each process:
//	  head      "bspR", 0, process, bytes of the skeleton, sum of the skeleton,
//	            bytes of the record (40 bytes in all)
//	  skeleton  what says how long the spans are
//	  spans     large memory, one after the other
//
// Numbers are 64 bits long, the first ones of both heads 32 bits, low byte
// first. At last comes manifest.json, by rename: with it the checkpoint is
// complete, and a directory without it is none. The manifest has the place and
// the digest of each record; its schema is migbsp.checkpoint/1, within which
// fields are only added.
package checkpoint

// Names of files in a checkpoint.
const (
	ManifestName = "manifest.json"
	partPattern  = "rank-%05d.part"
)
