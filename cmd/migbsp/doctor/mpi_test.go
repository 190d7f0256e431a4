package doctor

import "testing"

var both = map[string]string{
	"mpirun --version":        "mpirun (Open MPI) 4.1.4",
	"mpiexec --version":       "mpiexec (OpenRTE) 4.1.4",
	"mpiexec.hydra --version": "HYDRA build details:\n    Version: 4.0.2",
	"mpicc --showme:version":  "mpicc: Open MPI 4.1.4 (Language: C)",
	"mpicc.mpich -v":          "mpicc for MPICH version 4.0.2",
}

func TestLaunchersAndCompilers(t *testing.T) {
	s := bare().programs(both)
	expect(t, "launchers", checkLaunchers(s, Wants{}), "ok Open MPI 4.1.4 (mpirun, mpiexec); MPICH 4.0.2 (mpiexec.hydra)")
	expect(t, "compilers", checkMPICompiler(s, Wants{}), "note Open MPI 4.1.4 (mpicc); MPICH 4.0.2 (mpicc.mpich) > scripts/install builds for that of mpicc, or what MPICC names")
	s = bare().programs(map[string]string{"mpirun --version": "mpirun (Open MPI) 5.0.1", "mpicc -v": "mpicc for MPICH version 4.0.2"})
	expect(t, "different ones", checkMPICompiler(s, Wants{}), "note MPICH 4.0.2 (mpicc) > mpicc and mpirun are of different MPIs")
	s = bare().programs(map[string]string{"mpirun --version": "what?"})
	expect(t, "unknown", checkLaunchers(s, Wants{}), "ok of unknown kind (mpirun)")
}

func TestBuild(t *testing.T) {
	expect(t, "none", checkBuild(bare(), Wants{}), "note this tool has no MPI > -tags mpi")
	s := bare().programs(both)
	s.Library = "Open MPI v4.1.4"
	expect(t, "fits", checkBuild(s, Wants{}), "ok this tool has Open MPI v4.1.4 in it")
	s.Library = "MPICH 4.0.2" // as programs say it
	expect(t, "fits", checkBuild(s, Wants{}), "ok this tool has MPICH 4.0.2 in it")
	s = bare().programs(map[string]string{"mpirun --version": "Intel(R) MPI Library for Linux* OS, Version 2021.9 Build 1"})
	s.Library = "Open MPI v4.1.4"
	expect(t, "does not fit", checkBuild(s, Wants{}), "note Open MPI v4.1.4 > no launcher of that MPI")
}
