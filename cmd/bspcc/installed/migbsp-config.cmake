# find_package(migbsp) brings migbsp::bsp, which an executable is linked with to be a program of
# BSPlib, in C or C++: it is run by bspcc, as what bspcc has linked. migbsp::rank is the same as a
# library: one process on each rank, without moves.
get_filename_component(migbsp_PREFIX "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
if(NOT TARGET migbsp::bsp)
  add_library(migbsp::bsp INTERFACE IMPORTED)
  set_target_properties(migbsp::bsp PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${migbsp_PREFIX}/include/migbsp"
    INTERFACE_COMPILE_OPTIONS "@compile@"
    INTERFACE_LINK_OPTIONS "@link@;-Wl,-rpath,${migbsp_PREFIX}/bin"
    INTERFACE_LINK_DIRECTORIES "${migbsp_PREFIX}/lib/migbsp"
    INTERFACE_LINK_LIBRARIES "-lbsp;-lmigbsp-stub;-lm")
  if(EXISTS "${migbsp_PREFIX}/lib/migbsp/libmigbsp.so")
    add_library(migbsp::rank INTERFACE IMPORTED)
    set_target_properties(migbsp::rank PROPERTIES
      INTERFACE_INCLUDE_DIRECTORIES "${migbsp_PREFIX}/include/migbsp"
      INTERFACE_LINK_OPTIONS "-Wl,--wrap=main;-Wl,-u,__wrap_main;-Wl,-rpath,${migbsp_PREFIX}/lib/migbsp"
      INTERFACE_LINK_DIRECTORIES "${migbsp_PREFIX}/lib/migbsp"
      INTERFACE_LINK_LIBRARIES "-lbsp;-lmigbsp;-lm")
  endif()
endif()
