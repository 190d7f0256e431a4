! Process 0 reads lines between supersteps.
subroutine work(pid) bind(c, name="work")
  use iso_c_binding
  implicit none
  interface
    subroutine bsp_sync() bind(c)
    end subroutine
  end interface
  integer(c_int), value :: pid
  integer :: i, n
  do i = 1, 300
    n = i
    if (pid == 0) read (*, *) n
    if (n /= i) then
      print *, 'read', n, 'for', i
      stop 1
    end if
    call bsp_sync()
  end do
  if (pid == 0) print '(a)', 'all is right'
end subroutine
