package doctor

import (
	"testing"
	"testing/fstest"
)

func TestGo(t *testing.T) {
	for _, c := range []struct{ says, want string }{
		{"go version go1.26.8 linux/amd64", "ok go1.26.8 for plan9/386"},
		{"go version go1.30 linux/amd64", "ok go1.30"},
		{"go version go2.0 linux/amd64", "ok go2.0"},
		{"go version go1.26rc1 linux/amd64", "ok go1.26rc1"},
		{"go version go1.25.9 linux/amd64", "missing go1.25.9, which is too old > get Go 1.26"},
		{"go: cannot find GOROOT", `missing go version says "go: cannot find GOROOT" > get Go 1.26`},
	} {
		expect(t, c.says, checkGo(bare().programs(map[string]string{"go version": c.says}), Wants{}), c.want)
	}
	expect(t, "none", checkGo(bare(), Wants{}), "missing no go on PATH > https://go.dev/dl")
	s := bare()
	s.Files = fstest.MapFS{"usr/local/go/bin/go": {}}
	expect(t, "elsewhere", checkGo(s, Wants{}), "missing no go on PATH, but one in /usr/local/go/bin > PATH:/usr/local/go/bin")
}

func TestC(t *testing.T) {
	gcc := map[string]string{
		"gcc --version": "gcc (Debian) 12.2.0\nCopyright",
		"gcc -E -include pthread.h -x c /dev/null": "",
	}
	expect(t, "complete", checkC(bare().programs(gcc), Wants{}), "ok gcc (Debian) 12.2.0")
	expect(t, "cgo off", checkC(bare().programs(gcc).environment(map[string]string{"CGO_ENABLED": "0"}), Wants{}),
		"note gcc (Debian) 12.2.0; CGO_ENABLED=0 > unset CGO_ENABLED")
	expect(t, "another", checkC(bare().programs(gcc).environment(map[string]string{"CC": "icx -O2"}), Wants{}),
		"missing no C compiler > apt-get install gcc")
	expect(t, "no headers", checkC(bare().programs(map[string]string{
		"cc --version": "cc 1", "cc -E -include pthread.h -x c /dev/null": "!pthread.h: No such file",
	}), Wants{}), "missing cc without the headers of the C library: pthread.h > libc6-dev")
	expect(t, "broken", checkC(bare().programs(map[string]string{"clang --version": "!error while loading"}), Wants{}),
		"missing clang does not run: error while loading")
}

func TestBLAS(t *testing.T) {
	const header, file = "gcc -E -include cblas.h -x c /dev/null", "gcc -print-file-name=libopenblas.so"
	for _, c := range []struct {
		name string
		says map[string]string
		want string
	}{
		{"none", nil, "missing no OpenBLAS; lu uses its own > libopenblas-dev"},
		{"all", map[string]string{header: "", file: "/usr/lib/libopenblas.so\n"}, "ok OpenBLAS: libopenblas.so and cblas.h"},
		{"header only", map[string]string{header: "", file: "libopenblas.so\n"}, "missing cblas.h, but no libopenblas > apt-get"},
		{"library only", map[string]string{header: "!no such file", file: "/usr/lib/libopenblas.so\n"}, "missing OpenBLAS: libopenblas.so, but no cblas.h > apt-get"},
		{"the linker's", map[string]string{"/sbin/ldconfig -p": "2 libs\n\tlibopenblas.so.0 (libc6) => /lib/libopenblas.so.0\n"}, "missing OpenBLAS: libopenblas.so.0, but no cblas.h > apt-get"},
	} {
		expect(t, c.name, checkBLAS(bare().programs(c.says), Wants{}), c.want)
	}
}
