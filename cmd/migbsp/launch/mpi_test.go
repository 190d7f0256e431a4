package launch

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
		{"MPICH 4.0.2", "MPICH", "4.0.2"},
		{"MPICH Version: 4.0.2", "MPICH", "4.0.2"},
		{"Intel(R) MPI Library for Linux* OS, Version 2021.9 Build 20230307", "Intel MPI", "2021.9"},
		{"mpiicc for the Intel(R) MPI Library 2021.9 for Linux*", "Intel MPI", "2021.9"},
		{"mpicc for MVAPICH2 version 2.3.7", "MVAPICH", "2.3.7"},
		{"CRAY MPICH version 8.1.29.38 (ANL base 3.4a2)", "Cray MPICH", "8.1.29.38"},
		{"gcc: error: unrecognized command-line option", "", ""},
		{"", "", ""},
	} {
		if name, version := Family(c.text); name != c.family || version != c.version {
			t.Errorf("%q: %s %s, want %s %s", c.text, name, version, c.family, c.version)
		}
	}
}

func FuzzFamily(f *testing.F) {
	f.Add("mpirun (Open MPI) 4.1.4")
	f.Add("HYDRA build details:\nVersion: 1")
	f.Fuzz(func(t *testing.T, text string) {
		if name, version := Family(text); (name == "") != (version == "") {
			t.Errorf("%q: %q %q", text, name, version)
		}
	})
}
