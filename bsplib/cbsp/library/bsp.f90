! bsp: BSPlib for Fortran. The procedures are those of bsp.h and bsp_level1.h, with the same
! arguments: areas are variables or contiguous arrays of any type, offsets and sizes are in
! bytes, processes are numbered from 0, and op of a fold or scan is c_funloc of a subroutine
! (result, left, right, nbytes). A registered variable needs the attribute target, for the
! compiler to know that it changes at bsp_sync.
module bsp
  use, intrinsic :: iso_c_binding
  implicit none
  public

  interface
    subroutine bsp_begin(procs) bind(C, name="bsp_begin")
      import
      integer(c_int), value :: procs
    end subroutine bsp_begin
    subroutine bsp_end() bind(C, name="bsp_end")
      import
    end subroutine bsp_end
    subroutine bsp_sync() bind(C, name="bsp_sync")
      import
    end subroutine bsp_sync
    subroutine bsp_push_reg(area, size) bind(C, name="bsp_push_reg")
      import
      integer(c_int), value :: size
      !GCC$ attributes no_arg_check :: area
      !DIR$ ignore_tkr area
      type(*) :: area(*)
    end subroutine bsp_push_reg
    subroutine bsp_pop_reg(area) bind(C, name="bsp_pop_reg")
      import
      !GCC$ attributes no_arg_check :: area
      !DIR$ ignore_tkr area
      type(*) :: area(*)
    end subroutine bsp_pop_reg
    subroutine bsp_put(pid, src, dst, offset, size) bind(C, name="bsp_put")
      import
      integer(c_int), value :: pid, offset, size
      !GCC$ attributes no_arg_check :: src, dst
      !DIR$ ignore_tkr src, dst
      type(*) :: src(*), dst(*)
    end subroutine bsp_put
    subroutine bsp_hpput(pid, src, dst, offset, size) bind(C, name="bsp_hpput")
      import
      integer(c_int), value :: pid, offset, size
      !GCC$ attributes no_arg_check :: src, dst
      !DIR$ ignore_tkr src, dst
      type(*) :: src(*), dst(*)
    end subroutine bsp_hpput
    subroutine bsp_get(pid, src, offset, dst, size) bind(C, name="bsp_get")
      import
      integer(c_int), value :: pid, offset, size
      !GCC$ attributes no_arg_check :: src, dst
      !DIR$ ignore_tkr src, dst
      type(*) :: src(*), dst(*)
    end subroutine bsp_get
    subroutine bsp_hpget(pid, src, offset, dst, size) bind(C, name="bsp_hpget")
      import
      integer(c_int), value :: pid, offset, size
      !GCC$ attributes no_arg_check :: src, dst
      !DIR$ ignore_tkr src, dst
      type(*) :: src(*), dst(*)
    end subroutine bsp_hpget
    subroutine bsp_set_tagsize(size) bind(C, name="bsp_set_tagsize")
      import
      integer(c_int), intent(inout) :: size
    end subroutine bsp_set_tagsize
    subroutine bsp_send(pid, tag, payload, size) bind(C, name="bsp_send")
      import
      integer(c_int), value :: pid, size
      !GCC$ attributes no_arg_check :: tag, payload
      !DIR$ ignore_tkr tag, payload
      type(*) :: tag(*), payload(*)
    end subroutine bsp_send
    subroutine bsp_qsize(messages, bytes) bind(C, name="bsp_qsize")
      import
      integer(c_int), intent(out) :: messages, bytes
    end subroutine bsp_qsize
    subroutine bsp_get_tag(status, tag) bind(C, name="bsp_get_tag")
      import
      integer(c_int), intent(out) :: status
      !GCC$ attributes no_arg_check :: tag
      !DIR$ ignore_tkr tag
      type(*) :: tag(*)
    end subroutine bsp_get_tag
    subroutine bsp_move(payload, size) bind(C, name="bsp_move")
      import
      integer(c_int), value :: size
      !GCC$ attributes no_arg_check :: payload
      !DIR$ ignore_tkr payload
      type(*) :: payload(*)
    end subroutine bsp_move
    subroutine bsp_bcast(pid, src, dst, size) bind(C, name="bsp_bcast")
      import
      integer(c_int), value :: pid, size
      !GCC$ attributes no_arg_check :: src, dst
      !DIR$ ignore_tkr src, dst
      type(*) :: src(*), dst(*)
    end subroutine bsp_bcast
    subroutine bsp_gather(pid, src, dst, size) bind(C, name="bsp_gather")
      import
      integer(c_int), value :: pid, size
      !GCC$ attributes no_arg_check :: src, dst
      !DIR$ ignore_tkr src, dst
      type(*) :: src(*), dst(*)
    end subroutine bsp_gather
    subroutine bsp_scatter(pid, src, dst, size) bind(C, name="bsp_scatter")
      import
      integer(c_int), value :: pid, size
      !GCC$ attributes no_arg_check :: src, dst
      !DIR$ ignore_tkr src, dst
      type(*) :: src(*), dst(*)
    end subroutine bsp_scatter
    subroutine bsp_fold(op, src, dst, size) bind(C, name="bsp_fold")
      import
      type(c_funptr), value :: op
      integer(c_int), value :: size
      !GCC$ attributes no_arg_check :: src, dst
      !DIR$ ignore_tkr src, dst
      type(*) :: src(*), dst(*)
    end subroutine bsp_fold
    subroutine bsp_reduce(op, src, dst, size) bind(C, name="bsp_reduce")
      import
      type(c_funptr), value :: op
      integer(c_int), value :: size
      !GCC$ attributes no_arg_check :: src, dst
      !DIR$ ignore_tkr src, dst
      type(*) :: src(*), dst(*)
    end subroutine bsp_reduce
    subroutine bsp_scan(op, src, dst, size) bind(C, name="bsp_scan")
      import
      type(c_funptr), value :: op
      integer(c_int), value :: size
      !GCC$ attributes no_arg_check :: src, dst
      !DIR$ ignore_tkr src, dst
      type(*) :: src(*), dst(*)
    end subroutine bsp_scan
    subroutine bsp_prefix(op, src, dst, size) bind(C, name="bsp_prefix")
      import
      type(c_funptr), value :: op
      integer(c_int), value :: size
      !GCC$ attributes no_arg_check :: src, dst
      !DIR$ ignore_tkr src, dst
      type(*) :: src(*), dst(*)
    end subroutine bsp_prefix
    subroutine bsp_sort(before, src, dst, size) bind(C, name="bsp_sort")
      import
      type(c_funptr), value :: before
      integer(c_int), value :: size
      !GCC$ attributes no_arg_check :: src, dst
      !DIR$ ignore_tkr src, dst
      type(*) :: src(*), dst(*)
    end subroutine bsp_sort
    integer(c_int) function bsp_nprocs() bind(C, name="bsp_nprocs")
      import
    end function bsp_nprocs
    integer(c_int) function bsp_pid() bind(C, name="bsp_pid")
      import
    end function bsp_pid
    real(c_double) function bsp_time() bind(C, name="bsp_time")
      import
    end function bsp_time
    real(c_double) function bsp_dtime() bind(C, name="bsp_dtime")
      import
    end function bsp_dtime
    integer(c_int) function bsp_hpmove(tag, payload) bind(C, name="bsp_hpmove")
      import
      type(c_ptr), intent(out) :: tag, payload
    end function bsp_hpmove
    integer(c_int) function bsp_all(x) bind(C, name="bsp_all")
      import
      integer(c_int), value :: x
    end function bsp_all
    integer(c_int) function bsp_all_prefix(x) bind(C, name="bsp_all_prefix")
      import
      integer(c_int), value :: x
    end function bsp_all_prefix
    integer(c_int) function bsp_any(x) bind(C, name="bsp_any")
      import
      integer(c_int), value :: x
    end function bsp_any
    integer(c_int) function bsp_any_prefix(x) bind(C, name="bsp_any_prefix")
      import
      integer(c_int), value :: x
    end function bsp_any_prefix
    integer(c_int) function bsp_constanti(x) bind(C, name="bsp_constantI")
      import
      integer(c_int), value :: x
    end function bsp_constanti
    integer(c_int) function bsp_sumi(x) bind(C, name="bsp_sumI")
      import
      integer(c_int), value :: x
    end function bsp_sumi
    integer(c_int) function bsp_sumi_prefix(x) bind(C, name="bsp_sumI_prefix")
      import
      integer(c_int), value :: x
    end function bsp_sumi_prefix
    real(c_float) function bsp_sumr(x) bind(C, name="bsp_sumR")
      import
      real(c_float), value :: x
    end function bsp_sumr
    real(c_float) function bsp_sumr_prefix(x) bind(C, name="bsp_sumR_prefix")
      import
      real(c_float), value :: x
    end function bsp_sumr_prefix
    real(c_double) function bsp_sumd(x) bind(C, name="bsp_sumD")
      import
      real(c_double), value :: x
    end function bsp_sumd
    real(c_double) function bsp_sumd_prefix(x) bind(C, name="bsp_sumD_prefix")
      import
      real(c_double), value :: x
    end function bsp_sumd_prefix
    integer(c_int) function bsp_producti(x) bind(C, name="bsp_productI")
      import
      integer(c_int), value :: x
    end function bsp_producti
    integer(c_int) function bsp_producti_prefix(x) bind(C, name="bsp_productI_prefix")
      import
      integer(c_int), value :: x
    end function bsp_producti_prefix
    real(c_float) function bsp_productr(x) bind(C, name="bsp_productR")
      import
      real(c_float), value :: x
    end function bsp_productr
    real(c_float) function bsp_productr_prefix(x) bind(C, name="bsp_productR_prefix")
      import
      real(c_float), value :: x
    end function bsp_productr_prefix
    real(c_double) function bsp_productd(x) bind(C, name="bsp_productD")
      import
      real(c_double), value :: x
    end function bsp_productd
    real(c_double) function bsp_productd_prefix(x) bind(C, name="bsp_productD_prefix")
      import
      real(c_double), value :: x
    end function bsp_productd_prefix
    integer(c_int) function bsp_mini(x) bind(C, name="bsp_minI")
      import
      integer(c_int), value :: x
    end function bsp_mini
    integer(c_int) function bsp_mini_prefix(x) bind(C, name="bsp_minI_prefix")
      import
      integer(c_int), value :: x
    end function bsp_mini_prefix
    real(c_float) function bsp_minr(x) bind(C, name="bsp_minR")
      import
      real(c_float), value :: x
    end function bsp_minr
    real(c_float) function bsp_minr_prefix(x) bind(C, name="bsp_minR_prefix")
      import
      real(c_float), value :: x
    end function bsp_minr_prefix
    real(c_double) function bsp_mind(x) bind(C, name="bsp_minD")
      import
      real(c_double), value :: x
    end function bsp_mind
    real(c_double) function bsp_mind_prefix(x) bind(C, name="bsp_minD_prefix")
      import
      real(c_double), value :: x
    end function bsp_mind_prefix
    integer(c_int) function bsp_maxi(x) bind(C, name="bsp_maxI")
      import
      integer(c_int), value :: x
    end function bsp_maxi
    integer(c_int) function bsp_maxi_prefix(x) bind(C, name="bsp_maxI_prefix")
      import
      integer(c_int), value :: x
    end function bsp_maxi_prefix
    real(c_float) function bsp_maxr(x) bind(C, name="bsp_maxR")
      import
      real(c_float), value :: x
    end function bsp_maxr
    real(c_float) function bsp_maxr_prefix(x) bind(C, name="bsp_maxR_prefix")
      import
      real(c_float), value :: x
    end function bsp_maxr_prefix
    real(c_double) function bsp_maxd(x) bind(C, name="bsp_maxD")
      import
      real(c_double), value :: x
    end function bsp_maxd
    real(c_double) function bsp_maxd_prefix(x) bind(C, name="bsp_maxD_prefix")
      import
      real(c_double), value :: x
    end function bsp_maxd_prefix
    integer(c_int) function bsp_sorti(x) bind(C, name="bsp_sortI")
      import
      integer(c_int), value :: x
    end function bsp_sorti
    real(c_float) function bsp_sortr(x) bind(C, name="bsp_sortR")
      import
      real(c_float), value :: x
    end function bsp_sortr
    real(c_double) function bsp_sortd(x) bind(C, name="bsp_sortD")
      import
      real(c_double), value :: x
    end function bsp_sortd
  end interface

  interface
    subroutine bsp_hook_on(comm, spmd, args) bind(C)
      import
      integer(c_int), value :: comm
      type(c_funptr), value :: spmd
      type(c_ptr), value :: args
    end subroutine bsp_hook_on
    subroutine migbsp_fortran_init(spmd) bind(C)
      import
      type(c_funptr), value :: spmd
    end subroutine migbsp_fortran_init
    subroutine migbsp_fortran_abort(text, length) bind(C)
      import
      character(kind=c_char), intent(in) :: text(*)
      integer(c_int), value :: length
    end subroutine migbsp_fortran_abort
  end interface

contains

  ! bsp_init says which subroutine the processes other than 0 begin with.
  subroutine bsp_init(spmd)
    procedure() :: spmd
    call migbsp_fortran_init(c_funloc(spmd))
  end subroutine bsp_init

  ! migbsp_hook calls a subroutine as a process on each rank of a communicator of MPI.
  subroutine migbsp_hook(comm, spmd, args)
    integer, intent(in) :: comm
    procedure() :: spmd
    type(c_ptr), intent(in), optional :: args
    if (present(args)) then
      call bsp_hook_on(int(comm, c_int), c_funloc(spmd), args)
    else
      call bsp_hook_on(int(comm, c_int), c_funloc(spmd), c_null_ptr)
    end if
  end subroutine migbsp_hook

  subroutine bsp_abort(text)
    character(*), intent(in) :: text
    call migbsp_fortran_abort(text, len(text, c_int))
  end subroutine bsp_abort

end module bsp
