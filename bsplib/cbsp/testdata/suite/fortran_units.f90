! Each process writes lines to a file of its own, unit 10, before and after a barrier.
subroutine work(pid) bind(c, name="work")
  use, intrinsic :: iso_c_binding
  implicit none
  interface
    subroutine bsp_sync() bind(c)
    end subroutine
  end interface
  character(len=80) :: name, line
  integer(c_int), value :: pid
  integer :: i, got
  write (name, '(a,i0,a,i0,a)') '/tmp/migbsp_suite_', getpid(), '_', pid, '.txt'
  open (10, file=name, action='readwrite', status='replace')
  do i = 1, 5
    write (10, '(a,i0)') 'line ', 100 * pid + i
    call bsp_sync()
  end do
  rewind (10)
  do i = 1, 5
    read (10, '(a)') line
    read (line(6:), *) got
    if (got /= 100 * pid + i) then
      write (*, '(a,i0,a,i0)') 'process ', pid, ' reads ', got
    end if
  end do
  close (10, status='delete')
  call bsp_sync()
  if (pid == 0) print '(a)', 'all is right'
end subroutine
