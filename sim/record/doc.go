// Package record writes simulated runs as records in the form of programs, so that readers
// of records read these too. It also makes workloads of records, of programs or of the
// simulator, so that a recorded run can be simulated on another platform.
//
//	r, err := record.Create(dir, record.About{...}, &config)
//	result, err := sim.Run(ctx, &config, r.Report())
//	err = r.Close(result, err)
//
//	load, err := record.Open(dir, sim.Reference)
package record
