#!/bin/bash
# Runs a program on the nodes of two clusters (or more) that have no common Slurm,
# by Open MPI's mpirun over ssh:
#
#   two-clusters.sh HOSTS PROGRAM [ARGUMENT]...
#
# PROGRAM is a program of migbsp, such as lu, or the path of another.
#
# HOSTS is a file such as two-clusters.hosts, written by hand: which hosts, how many
# ranks on each, which of them are a Set. Slurm cannot allocate nodes of two
# clusters for one job: reserve them in both (salloc in each, or reservations that
# begin at the same time), and name in HOSTS what you were given.
#
# What must be the same on all hosts: the name and version of the program and of
# Open MPI, and the network. What must work without a password: ssh from here to
# each of them. All of this is checked before anything is started.
#
# Environment:
#
#   NETWORK  the network that all hosts are in, as 10.1.0.0/16, or the interface
#            that leads there, as eth0 (default: Open MPI tries all)
#   SSH      what starts a command on a host (default: ssh -o BatchMode=yes
#            -o ConnectTimeout=10)
#   BIND     what a rank is bound to (default: core); none where ranks share cores
set -euo pipefail

fail() {
	printf 'two-clusters: %s\n' "$1" >&2
	exit 2
}

[ $# -ge 2 ] || fail "HOSTS and PROGRAM are missing: two-clusters.sh HOSTS PROGRAM [ARGUMENT]..."
hosts=$1 program=$2
shift 2
read -r -a ssh <<<"${SSH:-ssh -o BatchMode=yes -o ConnectTimeout=10}"

for needed in mpirun migbsp "${ssh[0]}"; do
	command -v -- "$needed" >/dev/null || fail "there is no $needed in PATH"
done
mpirun=$(command -v mpirun)
version=$("$mpirun" --version 2>&1) || fail "$mpirun --version: $version"
case $version in
*"Open MPI"* | *OpenRTE*) ;;
*) fail "$mpirun is not Open MPI's" ;;
esac
# What migbsp is installed with is not in PATH, but where its module says, or the tool is.
root=${MIGBSP_ROOT-}
if [ -z "$root" ]; then
	tool=$(readlink -f -- "$(command -v migbsp)")
	root=${tool%/bin/migbsp}
fi
case $program in
*/*) ;;
*) [ ! -x "$root/libexec/migbsp/$program" ] || program=$root/libexec/migbsp/$program ;;
esac
path=$(command -v -- "$program") || fail "there is no program $program here"
path=$(cd "$(dirname "$path")" && pwd)/$(basename "$path")

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Open MPI does not know names in brackets.
migbsp hosts -strict -to ompi "$hosts" >"$work/hosts" || exit 2
wanted=$("$path" -version 2>&1 </dev/null) || fail "$path -version: $wanted"
case $wanted in
*"(migbsp)"*"MPI: "*) ;;
*"(migbsp)"*) fail "$program is built without MPI: build it with go build -tags mpi" ;;
*) fail "$path is no program of migbsp: -version says $wanted" ;;
esac

# check HOST looks for the same program there. What ssh says itself is shown.
check() {
	local said
	said=$("${ssh[@]}" "$1" "$(printf '%q -version' "$path")" 2>&1 </dev/null) ||
		fail "on $1: ${said:-nothing was said}"
	[ "$said" = "$wanted" ] || fail "$1 has another $path: $said"
}

ranks=0
while read -r host slots _; do
	case $host in
	'' | '#'*) continue ;;
	esac
	check "${host#*@}"
	ranks=$((ranks + ${slots#slots=}))
done <"$work/hosts"
[ "$ranks" -gt 0 ] || fail "$hosts has no hosts"

# In an allocation mpirun would start its helpers with srun, which knows one
# cluster only; what is rsh here is called ssh in Open MPI 5. The clusters' own
# fast networks do not lead to each other, hence TCP. A host that is switched off
# is noticed by keep-alive messages.
options=(
	--mca plm rsh --mca plm_rsh_agent "${ssh[*]}" --mca ras ^slurm
	--mca pml ob1 --mca btl '^openib,ofi,uct,usnic'
	--mca oob_tcp_keepalive_time 10 --mca oob_tcp_keepalive_intvl 5 --mca oob_tcp_keepalive_probes 3
)
if [ -n "${NETWORK-}" ]; then
	options+=(--mca btl_tcp_if_include "$NETWORK" --mca oob_tcp_if_include "$NETWORK")
fi
if [ -n "${LD_LIBRARY_PATH-}" ]; then
	options+=(-x LD_LIBRARY_PATH)
fi
# -hosts tells the program which hosts are a Set.
"$mpirun" "${options[@]}" --hostfile "$work/hosts" -np "$ranks" --bind-to "${BIND:-core}" \
	-x PATH "$path" -hosts "$work/hosts" "$@"
