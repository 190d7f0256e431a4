package doctor

import "testing"

func TestFamilies(t *testing.T) {
	for _, c := range []struct{ text, family, version string }{
		{"mpirun (Open MPI) 4.1.4\n\nReport bugs to http://www.open-mpi.org/community/help/", "Open MPI", "4.1.4"},
		{"mpirun.openmpi (OpenRTE) 4.1.4", "Open MPI", "4.1.4"},
		{"mpirun (Open MPI) 5.0.3rc1", "Open MPI", "5.0.3rc1"},
		{"mpicc: Open MPI 4.1.4 (Language: C)", "Open MPI", "4.1.4"},
		{"Open MPI v4.1.4", "Open MPI", "4.1.4"},
		{"HYDRA build details:\n    Version:                                 4.0.2\n    Release Date: Thu", "MPICH", "4.0.2"},
		{"mpicc for MPICH version 4.0.2\nUsing built-in specs.", "MPICH", "4.0.2"},
		{"MPICH 4.0.2", "", ""},
		{"MPICH Version: 4.0.2", "MPICH", "4.0.2"},
		{"Intel(R) MPI Library for Linux* OS, Version 2021.9 Build 20230307", "Intel MPI", "2021.9"},
		{"mpiicc for the Intel(R) MPI Library 2021.9 for Linux*", "Intel MPI", "2021.9"},
		{"mpicc for MVAPICH2 version 2.3.7", "MVAPICH", "2.3.7"},
		{"gcc: error: unrecognized command-line option", "", ""},
		{"", "", ""},
	} {
		if name, version := familyOf(c.text); name != c.family || version != c.version {
			t.Errorf("%q: %s %s, want %s %s", c.text, name, version, c.family, c.version)
		}
	}
}

func FuzzFamilyOf(f *testing.F) {
	f.Add("mpirun (Open MPI) 4.1.4")
	f.Add("HYDRA build details:\nVersion: 1")
	f.Fuzz(func(t *testing.T, text string) {
		if name, version := familyOf(text); (name == "") != (version == "") {
			t.Errorf("%q: %q %q", text, name, version)
		}
	})
}

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
	s = bare().programs(map[string]string{"mpirun --version": "Intel(R) MPI Library for Linux* OS, Version 2021.9 Build 1"})
	s.Library = "Open MPI v4.1.4"
	expect(t, "does not fit", checkBuild(s, Wants{}), "note Open MPI v4.1.4 > no launcher of that MPI")
}
