#%Module1.0
# Module file of migbsp for Environment Modules; Lmod reads it as well, but
# migbsp.lua is the one for it.
#
# Copy it to DIRECTORY/migbsp/VERSION, where DIRECTORY is in MODULEPATH and VERSION
# names the version and the MPI that the programs were built with, for programs
# run only under that MPI: 0.1-openmpi-4.1. Then install there:
#
#   PREFIX=/opt/migbsp/0.1-openmpi-4.1 TAGS=mpi scripts/install
#
# To be changed: the directory below which versions are installed, and the module
# of the MPI, which is loaded as well.
set base /opt/migbsp
set mpi {} ;# openmpi/4.1

set version [file tail [module-info name]]
set root [file join $base $version]

module-whatis "migbsp $version: BSP programs that migrate on unequal or busy nodes"

proc ModulesHelp {} {
    puts stderr "BSP programs whose processes move to where they run best: lu, prefixsum; the tool"
    puts stderr "migbsp; and stagevet, which finds what programs lose when a process moves."
    puts stderr ""
    puts stderr "  migbsp help            all commands"
    puts stderr "  migbsp sbatch -help    how to write the script of a job"
    puts stderr "  man migbsp"
}

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

prepend-path PATH [file join $root bin]
prepend-path MANPATH [file join $root share/man]
append-path MANPATH {}
