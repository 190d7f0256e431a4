! Derived types, polymorphism, namelists, internal files and finalisers of each process.
module shapes
  implicit none
  type :: shape
    real(8) :: size = 1
  contains
    procedure :: area => area_of_shape
    final :: ends
  end type
  type, extends(shape) :: circle
  contains
    procedure :: area => area_of_circle
  end type
  integer :: ended = 0
contains
  real(8) function area_of_shape(self)
    class(shape), intent(in) :: self
    area_of_shape = self%size**2
  end function
  real(8) function area_of_circle(self)
    class(circle), intent(in) :: self
    area_of_circle = 3 * self%size**2
  end function
  subroutine ends(self)
    type(shape), intent(inout) :: self
    ended = ended + 1
  end subroutine
end module

subroutine work(pid) bind(c, name="work")
  use, intrinsic :: iso_c_binding
  use shapes
  implicit none
  interface
    subroutine bsp_sync() bind(c)
    end subroutine
  end interface
  integer(c_int), value :: pid
  class(shape), allocatable :: s
  integer :: i, count
  real(8) :: x(3)
  character(len=200) :: text(5)
  namelist /settings/ count, x
  do i = 1, 12
    if (mod(i + pid, 2) == 0) then
      allocate (circle :: s)
    else
      allocate (shape :: s)
    end if
    s%size = i
    call bsp_sync()
    if (s%area() /= merge(3, 1, mod(i + pid, 2) == 0) * i**2) print *, 'process', pid, 'has area', s%area()
    deallocate (s)
    count = i * pid
    x = [1, 2, 3] * pid
    text = ''
    write (text, nml=settings)
    count = -1
    x = -1
    call bsp_sync()
    read (text, nml=settings)
    if (count /= i * pid .or. any(x /= [1, 2, 3] * pid)) print *, 'process', pid, 'reads', count
  end do
  if (ended /= 12) print *, 'process', pid, 'ended', ended
  call bsp_sync()
  if (pid == 0) print '(a)', 'all is right'
end subroutine
