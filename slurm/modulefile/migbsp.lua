-- Module file of migbsp for Lmod.
--
-- Copy it to DIRECTORY/migbsp/VERSION.lua, where DIRECTORY is in MODULEPATH and
-- VERSION names the version and the MPI that the programs were built with, for
-- programs run only under that MPI: 0.2-openmpi-4.1. Then install there:
--
--   PREFIX=/opt/migbsp/0.2-openmpi-4.1 TAGS=mpi scripts/install
--
-- With several MPIs install once for each (MPICC=...; see scripts/install -help), below a
-- directory and with a module file of its own.
--
-- To be changed: the directory below which versions are installed, and the
-- module of the MPI, which is loaded as well.
local base = "/opt/migbsp"
local mpi = nil -- "openmpi/4.1"

local root = pathJoin(base, myModuleVersion())

whatis("Name: migbsp")
whatis("Version: " .. myModuleVersion())
whatis("Description: BSP programs that migrate on unequal or busy nodes")
whatis("URL: https://github.com/migbsp/migbsp")

help([[
BSP programs whose processes move to where they run best, the tool migbsp, and
stagevet, which finds what programs lose when a process moves.

  migbsp run lu -n 1000  runs a program of those in $MIGBSP_ROOT/libexec/migbsp
  migbsp help            all commands
  migbsp sbatch -help    how to write the script of a job
  migbsp doctor          what is here, and whether it fits together
  man migbsp
]])

-- One version at a time: another one that is loaded is exchanged for this one.
family("migbsp")
if mpi then
  depends_on(mpi)
end

if mode() == "load" and not isDir(root) then
  LmodError("there is no directory " .. root .. ": migbsp is not installed there, or the module file names another one")
end

-- The programs are not put into PATH: others have a sort and an fft too.
setenv("MIGBSP_ROOT", root)
prepend_path("PATH", pathJoin(root, "bin"))
prepend_path("MANPATH", pathJoin(root, "share/man"))
append_path("MANPATH", "") -- the system's pages remain
