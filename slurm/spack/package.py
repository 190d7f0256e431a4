# Recipe of migbsp for Spack.
#
# Put it into a repository of your own, packages/migbsp/package.py, and install
#
#   spack install migbsp ^openmpi        # or ^mpich, or +openblas, or ~mpi
#
# The recipe that a release has beside its archive, migbsp-VERSION.spack.py, names the
# archive's sha256. In the sources it cannot stand, for they are in the archive: there
# scripts/package puts it in. Where the nodes that build have no network, put the
# archive into a source mirror; it has all modules in it.

from spack_repo.builtin.build_systems import go
from spack_repo.builtin.build_systems.go import GoPackage

from spack.package import *


class Migbsp(GoPackage):
    """BSP programs in Go whose processes move between the nodes of clusters that
    are unequal or busy, with the tool migbsp that looks at machines and runs."""

    homepage = "https://github.com/migbsp/migbsp"
    url = "https://github.com/migbsp/migbsp/releases/download/v0.2.0/migbsp-0.2.0.tar.gz"
    git = "https://github.com/migbsp/migbsp.git"

    license("Apache-2.0")

    version("main", branch="main")
    version("0.2.0", sha256="SHA256-OF-THE-ARCHIVE")

    variant("mpi", default=True, description="Run on MPI ranks, not only on one machine")
    variant("openblas", default=False, description="Matrix products of lu by OpenBLAS")

    depends_on("go@1.26:", type="build")
    depends_on("c", type="build", when="+mpi")
    depends_on("c", type="build", when="+openblas")
    depends_on("mpi", when="+mpi")
    depends_on("openblas", when="+openblas")

    sanity_check_is_file = [
        join_path("bin", "migbsp"),
        join_path("bin", "stagevet"),
        join_path("libexec", "migbsp", "lu"),
        join_path("share", "man", "man1", "migbsp.1"),
    ]


class GoBuilder(go.GoBuilder):
    """Builds and installs all programs, pages and completions by scripts/install."""

    def setup_build_environment(self, env):
        super().setup_build_environment(env)
        env.set("GOTOOLCHAIN", "local")

    def build(self, pkg, spec, prefix):
        """scripts/install builds what it installs."""

    def install(self, pkg, spec, prefix):
        tags = [name for name in ("mpi", "openblas") if spec.satisfies("+" + name)]
        env = {"PREFIX": str(prefix), "TAGS": ",".join(tags), "VERSION": str(spec.version)}
        if "mpi" in tags:
            env["MPICC"] = spec["mpi"].mpicc
        with working_dir(self.build_directory):
            which("sh", required=True)("scripts/install", extra_env=env)

    def check(self):
        with working_dir(self.build_directory):
            self.pkg.module.go("test", "-short", "./bsplib", "./hostfile", "./rebalancer")
