-- Module file of migbsp for Lmod.
--
-- Copy it to DIRECTORY/migbsp/VERSION.lua, where DIRECTORY is in MODULEPATH and
-- VERSION names the version and the MPI that the programs were built with, for
-- programs run only under that MPI: 0.1-openmpi-4.1. Then install there:
--
--   PREFIX=/opt/migbsp/0.1-openmpi-4.1 TAGS=mpi scripts/install
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
BSP programs whose processes move to where they run best: lu, prefixsum; the tool
migbsp; and stagevet, which finds what programs lose when a process moves.

  migbsp help            all commands
  migbsp sbatch -help    how to write the script of a job
  man migbsp
]])

family("migbsp")
if mpi then
  depends_on(mpi)
end

if mode() == "load" and not isDir(root) then
  LmodError("there is no directory " .. root .. ": migbsp is not installed there, or the module file names another one")
end

prepend_path("PATH", pathJoin(root, "bin"))
prepend_path("MANPATH", pathJoin(root, "share/man"))
append_path("MANPATH", "") -- the system's pages remain
