# The library of the Python package: libkeel_python.so holds everything from model files to results and needs nothing
# but the C library, so that one wheel serves every Linux of this processor.
#
# What it takes from outside comes from static archives. They refer to stdin, stdout and stderr as if these were in
# the same file, which a shared library cannot do without changing its code when it is loaded (TEXTREL); so copies of
# the archives ask for variables of python/streams.c instead. HDF5 stays out: rows are read with numpy.
#
#   cmake --build build --target keel_python
find_program(OBJCOPY NAMES ${CMAKE_OBJCOPY} objcopy)
set(archives)
foreach(name fyaml klu amd colamd btf suitesparseconfig sundials_cvode sundials_ida sundials_nvecserial)
  find_library(KEEL_ARCHIVE_${name} lib${name}.a)
  if(NOT KEEL_ARCHIVE_${name} OR NOT OBJCOPY)
    message(STATUS "no target keel_python: it needs objcopy and lib${name}.a")
    return()
  endif()
  set(copy ${PROJECT_BINARY_DIR}/python/lib${name}.a)
  add_custom_command(OUTPUT ${copy} DEPENDS ${KEEL_ARCHIVE_${name}} VERBATIM
    COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/python
    COMMAND ${OBJCOPY} --redefine-sym stdin=ki_foreign_stdin --redefine-sym stdout=ki_foreign_stdout
            --redefine-sym stderr=ki_foreign_stderr ${KEEL_ARCHIVE_${name}} ${copy})
  list(APPEND archives ${copy})
endforeach()

set(python_objects)
foreach(layer ${KEEL_CORE_LAYERS} modelfile results session)
  if(NOT layer STREQUAL compare)
    list(APPEND python_objects "$<FILTER:$<TARGET_OBJECTS:layer_${layer}>,EXCLUDE,/[a-z_]*hdf5[a-z_]*[.]c[.]o$>")
  endif()
endforeach()
add_custom_target(python_archives DEPENDS ${archives})
add_library(keel_python SHARED EXCLUDE_FROM_ALL ${python_objects} ${PROJECT_SOURCE_DIR}/python/streams.c
            ${PROJECT_SOURCE_DIR}/src/results/without_hdf5.c)
add_dependencies(keel_python python_archives)
set(exported ${PROJECT_SOURCE_DIR}/python/exported.map)
set_target_properties(keel_python PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/python
                      LINKER_LANGUAGE C LINK_DEPENDS "${exported};${archives}")
target_include_directories(keel_python PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
target_compile_definitions(keel_python PRIVATE _POSIX_C_SOURCE=200809L)
target_link_options(keel_python PRIVATE LINKER:-z,defs,-z,text,--version-script=${exported} LINKER:--gc-sections)
target_link_libraries(keel_python PRIVATE ${archives} m Threads::Threads)
