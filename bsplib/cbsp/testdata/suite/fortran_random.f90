! Random numbers, units and internal files of Fortran's library belong to each process.
subroutine work(pid) bind(c, name="work")
  use, intrinsic :: iso_c_binding
  implicit none
  interface
    subroutine bsp_sync() bind(c)
    end subroutine
  end interface
  integer(c_int), value :: pid
  integer :: i, n, unit
  integer, allocatable :: seed(:)
  real(8) :: x, first(20)
  character(len=40) :: line
  character(len=:), allocatable :: long
  call random_seed(size=n)
  allocate (seed(n))
  seed = 17 + pid
  call random_seed(put=seed)
  do i = 1, 20
    call random_number(first(i))
  end do
  call random_seed(put=seed)
  long = ''
  do i = 1, 20
    call bsp_sync()
    call random_number(x)
    if (x /= first(i)) print *, 'process', pid, 'has number', x
    write (line, '(i0,a)') i, ','
    long = long // trim(line)
  end do
  open (newunit=unit, status='scratch')
  write (unit, '(a)') long
  call bsp_sync()
  rewind (unit)
  read (unit, '(a)') line
  if (line /= long(1:40)) print *, 'process', pid, ' reads ', line
  close (unit)
  call bsp_sync()
  if (pid == 0) print '(a)', 'all is right'
end subroutine
