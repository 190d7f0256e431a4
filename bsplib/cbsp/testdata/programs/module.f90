! The module bsp, with data of all kinds that Fortran has. Prints: ok
module section
  use bsp
  implicit none

contains

  subroutine must(so, what)
    logical, intent(in) :: so
    character(*), intent(in) :: what
    if (.not. so) call bsp_abort("not so: " // what)
  end subroutine must

  subroutine spmd()
    integer, save :: calls = 0
    integer(c_int) :: p, s, right, left, messages, bytes, status, length
    integer(c_int), target :: x, v, tag
    real(c_double), allocatable, target :: area(:), all(:)
    real(c_double) :: total(3)
    integer :: i

    call bsp_begin(bsp_nprocs())
    p = bsp_nprocs()
    s = bsp_pid()
    right = mod(s + 1, p)
    left = mod(s + p - 1, p)
    calls = calls + s

    v = s
    x = -1
    call bsp_push_reg(x, 4)
    call bsp_sync()
    call bsp_put(right, v, x, 0, 4)
    call bsp_sync()
    call must(x == left, "a put arrives")
    call bsp_get(right, x, 0, v, 4)
    call bsp_sync()
    call must(v == s, "a get arrives")
    call bsp_pop_reg(x)

    allocate (area(2 * p), all(p))
    area = s
    call bsp_push_reg(area, 8 * size(area))
    call bsp_sync()
    all = [(s * 100.0d0 + i, i = 1, p)]
    do i = 1, p
      call bsp_put(i - 1, all(i), area, 8 * s, 8)
    end do
    call bsp_sync()
    call must(all_of(area(1:p) == [(100.0d0 * i + s + 1, i = 0, p - 1)]), "elements are put")
    call must(all_of(area(p + 1:) == s), "the rest of an array stays")
    call must(calls == s, "saved variables are private")

    length = 4
    call bsp_set_tagsize(length)
    call bsp_sync()
    tag = 7 * s
    call bsp_send(right, tag, all, 8 * p)
    call bsp_sync()
    call bsp_qsize(messages, bytes)
    call must(messages == 1 .and. bytes == 8 * p, "a message has come")
    call bsp_get_tag(status, tag)
    call must(status == 8 * p .and. tag == 7 * left, "it has its tag")
    call bsp_move(all, 8 * p)
    call must(all(p) == left * 100.0d0 + p, "and its text")

    call must(bsp_sumi(s) == p * (p - 1) / 2 .and. bsp_maxd(real(s, c_double)) == p - 1, "folds of values")
    call must(bsp_sumd_prefix(1.0d0) == s + 1, "scans of values")
    call bsp_fold(c_funloc(plus), [1.0d0, real(s, c_double), 0.5d0], total, 24)
    call must(total(1) == p .and. total(2) == p * (p - 1) / 2 .and. total(3) == p / 2.0d0, "folds of arrays")
    deallocate (area, all)
    call bsp_sync()
    call must(bsp_time() >= 0, "time is told")
    if (s == 0) print '(a)', 'ok'
    call bsp_end()
  end subroutine spmd

  logical function all_of(is)
    logical, intent(in) :: is(:)
    all_of = all(is)
  end function all_of

  subroutine plus(result, left, right, nbytes) bind(C)
    integer(c_int), intent(in) :: nbytes
    real(c_double), intent(in) :: left(nbytes / 8), right(nbytes / 8)
    real(c_double), intent(out) :: result(nbytes / 8)
    result = left + right
  end subroutine plus
end module section

program main
  use section
  implicit none
  call bsp_init(spmd)
  call spmd()
end program main
