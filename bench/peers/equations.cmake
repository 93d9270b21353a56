# Peers that integrate equations: SUNDIALS (IDA, CVODE, ARKODE), HEM5 and RADAU5 (in a library of Siconos).
find_library(SUNDIALS_arkode_LIBRARY sundials_arkode)
find_library(SUNDIALS_sunlinsolklu_LIBRARY sundials_sunlinsolklu)
find_library(SUNDIALS_sunmatrixsparse_LIBRARY sundials_sunmatrixsparse)
find_library(SICONOS_EXTERNALS_LIBRARY siconos_externals)

set(equations ${CMAKE_CURRENT_LIST_DIR}/equations)
set(equations_sources ${PROJECT_SOURCE_DIR}/bench/andrews_by_hand.c)
foreach(name equations andrews bricard pendulum caraxis flexcrank governor slidercrank fourbar chain cases motion saddle band)
  list(APPEND equations_sources ${equations}/${name}.c)
endforeach()

# add_equations_peer(NAME SOURCE LIBRARY...): a driver over all hand-written problems.
function(add_equations_peer name source)
  add_peer(${name} ${equations}/${source} ${equations_sources})
  target_include_directories(${name} SYSTEM PRIVATE ${SUITESPARSE_INCLUDE} ${SUNDIALS_INCLUDE})
  target_link_libraries(${name} PRIVATE layer_system ${KLU_LIBRARY} ${ARGN})
endfunction()

add_equations_peer(peer_cvode sundials_cvode.c ${SUNDIALS_cvode_LIBRARY} ${SUNDIALS_nvecserial_LIBRARY})
if(SUNDIALS_sunlinsolklu_LIBRARY)
  add_equations_peer(peer_ida sundials_ida.c ${SUNDIALS_ida_LIBRARY} ${SUNDIALS_nvecserial_LIBRARY}
                     ${SUNDIALS_sunlinsolklu_LIBRARY} ${SUNDIALS_sunmatrixsparse_LIBRARY})
  target_sources(peer_ida PRIVATE ${equations}/ida_matrix.c)
endif()
if(SUNDIALS_arkode_LIBRARY)
  add_equations_peer(peer_arkode sundials_arkode.c ${SUNDIALS_arkode_LIBRARY} ${SUNDIALS_nvecserial_LIBRARY})
endif()
if(SICONOS_EXTERNALS_LIBRARY)
  add_equations_peer(peer_hem5 hem5.c ${SICONOS_EXTERNALS_LIBRARY})
  add_equations_peer(peer_radau5 radau5.c ${SICONOS_EXTERNALS_LIBRARY})
endif()
