#%Module1.0
# Module file of migbsp for Environment Modules; Lmod reads it as well, but
# migbsp.lua is the one for it.
#
# Copy it to DIRECTORY/migbsp/VERSION, where DIRECTORY is in MODULEPATH and VERSION
# names the version and the MPI that the programs were built with, for programs
# run only under that MPI: 0.2-openmpi-4.1. Then install there:
#
#   PREFIX=/opt/migbsp/0.2-openmpi-4.1 TAGS=mpi scripts/install
#
# With several MPIs install once for each (MPICC=...; see scripts/install -help), below a
# directory and with a module file of its own.
#
# To be changed: the directory below which versions are installed, and the module
# of the MPI, which is loaded as well.
set base /opt/migbsp
set mpi {} ;# openmpi/4.1

set version [file tail [module-info name]]
set root [file join $base $version]

module-whatis "Name: migbsp"
module-whatis "Version: $version"
module-whatis "Description: BSP programs that migrate on unequal or busy nodes"
module-whatis "URL: https://github.com/migbsp/migbsp"

proc ModulesHelp {} {
    puts stderr "BSP programs whose processes move to where they run best, the tool migbsp, and"
    puts stderr "stagevet, which finds what programs lose when a process moves."
    puts stderr ""
    puts stderr "  migbsp run lu -n 1000  runs a program of those in \$MIGBSP_ROOT/libexec/migbsp"
    puts stderr "  migbsp help            all commands"
    puts stderr "  migbsp sbatch -help    how to write the script of a job"
    puts stderr "  migbsp doctor          what is here, and whether it fits together"
    puts stderr "  man migbsp"
}

# One version at a time.
conflict migbsp
if {$mpi ne {}} {
    if {![is-loaded $mpi]} {
        module load $mpi
    }
}

if {[module-info mode load] && ![file isdirectory $root]} {
    puts stderr "migbsp: there is no directory $root: migbsp is not installed there, or the module file names another one"
    break
}

# The programs are not put into PATH: others have a sort and an fft too.
setenv MIGBSP_ROOT $root
prepend-path PATH [file join $root bin]
prepend-path MANPATH [file join $root share/man]
append-path MANPATH {}
