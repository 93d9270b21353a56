# find_package(keel): the targets
#
#   keel::keel          keel::keel_files           shared
#   keel::keel_static   keel::keel_files_static    static
#
# keel_files, for model files and results, brings the core with it.
include(${CMAKE_CURRENT_LIST_DIR}/keelTargets.cmake)
