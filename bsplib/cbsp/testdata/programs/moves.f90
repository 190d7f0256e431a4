! Fortran with an allocatable, SAVE, a common block and formatted output, over syncs.
subroutine work(pid) bind(c, name="work")
  use iso_c_binding
  implicit none
  interface
    subroutine bsp_sync() bind(c)
    end subroutine
  end interface
  integer(c_int), value :: pid
  integer, allocatable :: a(:)
  integer, save :: k = 5
  integer :: s
  character(20) :: text
  real(8) :: x(100)
  common /blk/ x
  allocate(a(1000))
  a = pid
  do s = 1, 60
    k = k + 1
    x(s) = s
    a(s) = a(s) + s
    call bsp_sync()
    write(text, '(i6, f8.2)') k, x(s)
  end do
  if (k == 65 .and. sum(x(1:60)) == 1830d0 .and. sum(a) == 1000*pid + 1830 .and. text == '    65   60.00') then
    if (pid == 0) print '(a)', 'all is right'
  else
    print *, 'wrong', k, pid, text
  end if
end subroutine
