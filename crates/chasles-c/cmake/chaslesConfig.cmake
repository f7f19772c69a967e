# Chasles for CMake: find_package(chasles), then link chasles::chasles, or chasles::static.
# It stands in lib/cmake/chasles of the folder in which Chasles is installed, which may be moved as a whole.

get_filename_component(_chasles_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(_chasles_shared "${_chasles_prefix}/lib/${CMAKE_SHARED_LIBRARY_PREFIX}chasles_c${CMAKE_SHARED_LIBRARY_SUFFIX}")

if(NOT EXISTS "${_chasles_shared}")
  set(chasles_FOUND FALSE)
  set(chasles_NOT_FOUND_MESSAGE "there is no ${_chasles_shared}")
  return()
endif()

if(NOT TARGET chasles::chasles)
  add_library(chasles::chasles SHARED IMPORTED)
  set_target_properties(chasles::chasles PROPERTIES
    IMPORTED_LOCATION "${_chasles_shared}"
    INTERFACE_INCLUDE_DIRECTORIES "${_chasles_prefix}/include")
endif()

set(_chasles_archive "${_chasles_prefix}/lib/${CMAKE_STATIC_LIBRARY_PREFIX}chasles_c${CMAKE_STATIC_LIBRARY_SUFFIX}")
if(EXISTS "${_chasles_archive}" AND NOT TARGET chasles::static)
  find_package(Threads REQUIRED)
  add_library(chasles::static STATIC IMPORTED)
  set_target_properties(chasles::static PROPERTIES
    IMPORTED_LOCATION "${_chasles_archive}"
    INTERFACE_INCLUDE_DIRECTORIES "${_chasles_prefix}/include"
    INTERFACE_LINK_LIBRARIES "Threads::Threads;${CMAKE_DL_LIBS};m")
endif()
