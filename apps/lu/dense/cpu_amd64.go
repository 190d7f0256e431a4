//go:build !purego && !noasm

package dense

// detect returns the widest kernels that processor and operating system support.
func detect() simdLevel {
	const (
		fma, osxsave, avx   = 1 << 12, 1 << 27, 1 << 28 // leaf 1, ecx
		avx2, bmi2, avx512f = 1 << 5, 1 << 8, 1 << 16   // leaf 7, ebx
		ymmState            = 0x06                      // XCR0: the system saves xmm and ymm
		zmmState            = 0xe6                      // and mask registers and zmm
	)
	leaves, _, _ := cpuid(0, 0)
	_, _, ecx := cpuid(1, 0)
	if leaves < 7 || ecx&(fma|osxsave|avx) != fma|osxsave|avx {
		return levelGeneric
	}
	_, ebx, _ := cpuid(7, 0)
	saved := xgetbv()
	switch {
	case ebx&avx2 == 0 || saved&ymmState != ymmState:
		return levelGeneric
	case ebx&(bmi2|avx512f) != bmi2|avx512f || saved&zmmState != zmmState:
		return levelAVX2
	}
	return levelAVX512
}

// cpuid executes CPUID with the given leaf and sub-leaf.
func cpuid(leaf, sub uint32) (eax, ebx, ecx uint32)

// xgetbv returns the low half of XCR0. It needs OSXSAVE.
func xgetbv() uint32
