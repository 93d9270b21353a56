# What `make install` installs: the program, the libraries libkeel (the core) and libkeel-files (model files and
# results) in both kinds, headers, models, documentation, manual page, completions, and what pkg-config and CMake
# need to find them.
#
# The libraries are made of the objects of the layers, which are compiled once for all. libkeel.so shows only
# what the public headers declare. libkeel-files.so uses internals of the core (arenas, names): it holds copies of
# its own of these few, hidden, because no library shows them.
set(version_so ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})

# The objects of layers, and the libraries from outside that they link, once each.
function(keel_layers_content objects outside)
  set(all)
  set(libraries)
  foreach(layer ${ARGN})
    if(TARGET layer_${layer})
      list(APPEND all $<TARGET_OBJECTS:layer_${layer}>)
      get_target_property(linked layer_${layer} LINK_LIBRARIES)
      list(FILTER linked EXCLUDE REGEX "^layer_")
      list(APPEND libraries ${linked})
    endif()
  endforeach()
  # as paths: who links an installed library need not have looked for them
  list(TRANSFORM libraries REPLACE "^PkgConfig::FYAML$" "${FYAML_LINK_LIBRARIES}")
  list(TRANSFORM libraries REPLACE "^Threads::Threads$" "${CMAKE_THREAD_LIBS_INIT}")
  list(REMOVE_DUPLICATES libraries)
  list(REMOVE_ITEM libraries m "")
  set(${objects} ${all} PARENT_SCOPE)
  set(${outside} ${libraries} m PARENT_SCOPE)
endfunction()

function(keel_library name output kind)
  cmake_parse_arguments(PARSE_ARGV 3 of "" "" "OBJECTS;LINK;BELOW")
  add_library(${name} ${kind} ${of_OBJECTS})
  set_target_properties(${name} PROPERTIES OUTPUT_NAME ${output} VERSION ${PROJECT_VERSION}
                        SOVERSION ${version_so} LINKER_LANGUAGE C INSTALL_RPATH "$ORIGIN"
                        LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib
                        ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
  target_include_directories(${name} INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(${name} PUBLIC ${of_BELOW})
  if(kind STREQUAL STATIC)
    target_link_libraries(${name} PUBLIC ${of_LINK})
  else()
    target_link_libraries(${name} PRIVATE ${of_LINK})
    if(NOT KEEL_SANITIZE AND NOT KEEL_FUZZ)
      target_link_options(${name} PRIVATE LINKER:-z,defs)
    endif()
    # internals that come from archives stay inside
    target_link_options(${name} PRIVATE LINKER:--exclude-libs,ALL)
  endif()
endfunction()

keel_layers_content(core_objects core_outside ${KEEL_CORE_LAYERS})
keel_layers_content(file_objects file_outside ${KEEL_FILE_LAYERS})
set(core_archives ${KEEL_CORE_LAYERS})
list(TRANSFORM core_archives PREPEND layer_)

keel_library(keel_shared keel SHARED OBJECTS ${core_objects} LINK ${core_outside})
keel_library(keel_static keel STATIC OBJECTS ${core_objects} LINK ${core_outside})
keel_library(keel_files_shared keel-files SHARED OBJECTS ${file_objects} BELOW keel_shared
             LINK ${core_archives} ${file_outside})
keel_library(keel_files_static keel-files STATIC OBJECTS ${file_objects} BELOW keel_static LINK ${file_outside})
set_target_properties(keel_shared PROPERTIES EXPORT_NAME keel)
set_target_properties(keel_files_shared PROPERTIES EXPORT_NAME keel_files)

# The manual page is what the program says of itself.
set(manual ${PROJECT_BINARY_DIR}/man/keel.1)
add_custom_command(OUTPUT ${manual} DEPENDS keel VERBATIM
  COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/man
  COMMAND keel help --man > ${manual})
add_custom_target(manual ALL DEPENDS ${manual})
add_custom_target(installable DEPENDS keel manual keel_shared keel_static keel_files_shared keel_files_static)

# The flags that link a list of libraries, for the .pc files.
function(keel_link_flags flags)
  set(all)
  foreach(library ${ARGN})
    get_filename_component(folder ${library} DIRECTORY)
    get_filename_component(file ${library} NAME)
    string(REGEX REPLACE "^(-l|lib)" "" file ${file})
    string(REGEX REPLACE "[.].*" "" file ${file})
    if(folder AND NOT folder IN_LIST CMAKE_C_IMPLICIT_LINK_DIRECTORIES)
      list(APPEND all "-L${folder}")
    endif()
    list(APPEND all -l${file})
  endforeach()
  list(REMOVE_DUPLICATES all)
  list(JOIN all " " all)
  set(${flags} ${all} PARENT_SCOPE)
endfunction()

keel_link_flags(KEEL_PRIVATE ${core_outside})
keel_link_flags(KEEL_FILES_PRIVATE ${file_outside})
file(RELATIVE_PATH KEEL_PREFIX_FROM_PC ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" KEEL_PREFIX_FROM_PC ${KEEL_PREFIX_FROM_PC})
foreach(name keel keel-files)
  configure_file(${CMAKE_CURRENT_LIST_DIR}/${name}.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()

include(CMakePackageConfigHelpers)
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/keel)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/keelConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_LIST_DIR}/keelConfig.cmake ${PROJECT_BINARY_DIR}/keelConfigVersion.cmake
        DESTINATION ${package})
install(TARGETS keel_shared keel_static keel_files_shared keel_files_static EXPORT keelTargets)
install(EXPORT keelTargets NAMESPACE keel:: DESTINATION ${package})

install(TARGETS keel)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/keel DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN *.h)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/models DESTINATION ${CMAKE_INSTALL_DATADIR}/keel FILES_MATCHING PATTERN *.yaml)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/LICENSE
        DESTINATION ${CMAKE_INSTALL_DOCDIR}/about)
install(FILES ${manual} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${PROJECT_SOURCE_DIR}/completions/keel.bash
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME keel)
install(FILES ${PROJECT_SOURCE_DIR}/completions/_keel DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
