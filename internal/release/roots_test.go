package release_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun"
)

// inside is a script that runs another script in a root directory, with /proc and without a network.
// All mounts end with it.
const inside = `
root=$1; script=$2
mkdir -p "$root/proc" "$root/tmp" "$root/dev"
[ -e "$root/dev/null" ] || mknod -m 666 "$root/dev/null" c 1 3
mount -t proc proc "$root/proc"
exec chroot "$root" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C MIGBSP_PROFILES=off /bin/sh -euc "$script"`

// unshared is the command that runs a shell apart from the machine's mounts, network and
// processes. It skips the test where that is not allowed.
func unshared(t *testing.T) []string {
	t.Helper()
	testrun.Needs(t, "unshare", "chroot")
	words := []string{"unshare", "--mount", "--net", "--pid", "--fork", "--kill-child"}
	if os.Getuid() != 0 || exec.Command(words[0], append(words[1:], "true")...).Run() != nil {
		t.Skip("SKIPPED: roots of their own need root, or more rights in this container")
	}
	return words
}

// chroot runs a script in a root directory.
func chroot(t *testing.T, root, script string) string {
	t.Helper()
	words := append(unshared(t), "sh", "-euc", inside, "sh", root, script)
	return testrun.Command{Words: words}.Must(t)
}

// debian makes a root directory of the packages that every Debian installs, with dpkg's records of
// them, from the files of this machine. It downloads no files.
func debian(t *testing.T) (root string) {
	t.Helper()
	testrun.Needs(t, "dpkg-query", "dpkg", "tar")
	root = filepath.Join(t.TempDir(), "root")
	sh(t, ".", `
root=$1
essential=$(dpkg-query -W -f '${Essential} ${Package}\n' | sed -n 's/^yes //p')
all=
next=$(printf '%s\n' $essential debianutils | sort -u)
while [ -n "$next" ]; do
	all="$all $next"
	next=$(dpkg-query -W -f '${Pre-Depends}, ${Depends}, ' $next | tr ',' '\n' | sed 's/|.*//; s/(.*//; s/:any//; s/[[:blank:]]//g' | sort -u)
	next=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' $next 2>/dev/null | sed -n 's/^installed //p' | sort -u)
	next=$(for p in $next; do case " $(echo $all) " in *" $p "*) ;; *) echo "$p" ;; esac; done)
done
mkdir -p "$root/var/lib/dpkg/info" "$root/var/lib/dpkg/updates" "$root/tmp" "$root/root" "$root/etc/alternatives" "$root/usr/bin" "$root/usr/sbin" "$root/usr/lib" "$root/usr/lib64" "$root/usr/share/doc" "$root/usr/share/man/man1"
for d in bin sbin lib lib64; do [ ! -L "/$d" ] || ln -s "usr/$d" "$root/$d"; done
dpkg-query -L $all | grep -v -e '^/\.$' -e '^/usr/share/\(doc\|locale\|man\|info\)/' -e ' ' | sort -u |
	while read -r f; do if [ -L "$f" ] || [ -f "$f" ]; then echo "$f"; fi; done >"$root/files"
tar -C / --no-recursion -cf - -T "$root/files" 2>/dev/null | tar -C "$root" --keep-directory-symlink -xf -
rm "$root/files"
cp -a /etc/alternatives/. "$root/etc/alternatives/"
cp /etc/passwd /etc/group "$root/etc/"
dpkg-query -s $all >"$root/var/lib/dpkg/status"
for p in $all; do cp -a /var/lib/dpkg/info/"$p".* /var/lib/dpkg/info/"$p":*.* "$root/var/lib/dpkg/info/" 2>/dev/null || :; done
`, root)
	return root
}

// tree lists the files of a root directory, except files written by package managers and runs.
const tree = `find / -xdev \( -path /proc -o -path /dev -o -path /var/lib/dpkg -o -path /var/log -o -path /var/cache -o -path /tmp \) -prune -o -print | sort`

// sameTree reports added and removed files.
func sameTree(t *testing.T, before, after string) {
	t.Helper()
	old, now := strings.Split(before, "\n"), strings.Split(after, "\n")
	for _, name := range now {
		if !slices.Contains(old, name) {
			t.Errorf("%s is left", name)
		}
	}
	for _, name := range old {
		if !slices.Contains(now, name) {
			t.Errorf("%s has gone", name)
		}
	}
}

// A .deb can be installed, runs, leaves the system's sort unchanged, and is removed without a trace.
// Lintian finds no errors in it.
func TestDeb(t *testing.T) {
	dir, v := released(t)
	deb := filepath.Join(dir, "migbsp_"+v+"-1_"+runtime.GOARCH+".deb")
	if _, err := exec.LookPath("lintian"); err != nil {
		t.Log("SKIPPED in part: there is no lintian")
	} else if r := testrun.Line("lintian", "--fail-on error --suppress-tags uses-no-compression-for-control-tarball,uses-no-compression-for-data-tarball "+deb).Run(t); r.Code != 0 {
		t.Errorf("lintian:\n%s%s", r.Out, r.Err)
	}
	for field, want := range map[string]string{
		"Package": "migbsp", "Version": v + "-1", "Architecture": runtime.GOARCH, "Section": "science", "Depends": "",
		"Homepage": "https://github.com/migbsp/migbsp",
	} {
		if got := strings.TrimSpace(sh(t, ".", `dpkg-deb -f "$1" "$2"`, deb, field)); got != want {
			t.Errorf("%s is %q, want %q", field, got, want)
		}
	}
	if got := sh(t, ".", `dpkg-deb -f "$1" Maintainer`, deb); !strings.HasPrefix(got, "migbsp maintainers <") {
		t.Errorf("Maintainer is %q", got)
	}
	if got := sh(t, ".", `dpkg-deb -f "$1" Recommends`, deb); !regexp.MustCompile(`^gcc, libc6-dev, libc6 \(>= 2\.\d\d\)\n$`).MatchString(got) {
		t.Errorf("Recommends is %q", got)
	}
	unshared(t)
	testrun.Needs(t, "cc")
	root := debian(t)
	sh(t, ".", `cp "$1" "$2/tmp/migbsp.deb"`, deb, root)
	unpacked := unpack(t, filepath.Join(dir, "migbsp-"+v+"-linux-"+runtime.GOARCH+".tar.gz"))
	sh(t, ".", inner+`bspcc -o "$2/tmp/inprod" ../../examples/c/inprod.c`, unpacked, root)
	before := chroot(t, root, tree)
	said := chroot(t, root, `
sort=$(command -v sort)
dpkg -i /tmp/migbsp.deb
test "$(command -v sort)" = "$sort" && test "$(printf '2\n1\n' | sort | head -n 1)" = 1
dpkg -V migbsp
migbsp version | grep -qx 'migbsp v`+v+`'
`+lu+`
dpkg -L migbsp | grep /bin/
echo 1000 | /tmp/inprod -procs 4 -quiet
dpkg -r migbsp`)
	if !strings.Contains(said, innerSaid) || strings.Contains(said, "/bin/sort") || !strings.Contains(said, "/usr/bin/migbsp\n") {
		t.Errorf("installed are\n%s", said)
	}
	sameTree(t, before, chroot(t, root, tree))
}

// The same for an .rpm. Its programs have no dependencies, so its root contains only a shell.
func TestRpm(t *testing.T) {
	dir, v := released(t)
	testrun.Needs(t, "rpm")
	cpu := map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[runtime.GOARCH]
	rpm := filepath.Join(dir, "migbsp-"+v+"-1."+cpu+".rpm")
	if got := sh(t, ".", `rpm -qp --qf '%{NAME} %{VERSION} %{RELEASE} %{ARCH} %{LICENSE} %{URL}' "$1"`, rpm); got != "migbsp "+v+" 1 "+cpu+" Apache-2.0 https://github.com/migbsp/migbsp" {
		t.Errorf("it is %q", got)
	}
	if needs := sh(t, ".", `rpm -qp --requires "$1" | grep -v '^rpmlib(' || :`, rpm); needs != "" {
		t.Errorf("it needs %q", needs)
	}
	unshared(t)
	root := debian(t)
	sh(t, ".", `mkdir -p "$1/usr/include" "$1/usr/share/man/man3"`, root) // which are every system's
	before := chroot(t, root, tree)
	install := `rpm --root "$1" --dbpath /var/cache/rpm `
	sh(t, ".", install+`--nodeps --ignoreos --ignorearch -i "$2"`, root, rpm)
	chroot(t, root, `
test "$(command -v sort)" = "`+strings.TrimSpace(chroot(t, root, "command -v sort"))+`"
migbsp version | grep -qx 'migbsp v`+v+`'
`+lu)
	sh(t, ".", install+"-V migbsp --nodeps && "+install+"-e migbsp", root)
	sameTree(t, before, chroot(t, root, tree))
}
