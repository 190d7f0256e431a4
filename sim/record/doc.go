// Package record writes runs of the simulator as programs write theirs, so that all
// that reads records reads these too; and makes workloads of records, be they of
// programs or of the simulator, so that a run can be asked what another platform would
// have made of it.
//
//	r, err := record.Create(dir, record.About{...}, &config)
//	result, err := sim.Run(ctx, &config, r.Report())
//	err = r.Close(result, err)
//
//	load, err := record.Open(dir, sim.Reference)
package record
