package site

const hasSecondCallerPC = true

// secondCallerPC is the return address of its caller's caller.
func secondCallerPC() uintptr
