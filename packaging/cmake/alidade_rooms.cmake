# SPDX-License-Identifier: GPL-3.0-or-later
# The rooms of the house. Include paths alone cannot keep them apart, because headers such as nlohmann/json.hpp lie in
# the compiler's own search path; so every room's #include lines are held against its list before it compiles.

# Lets TARGET compile only when no source of the calling folder includes what ROOM must not know.
function(alidade_guard_room target room)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp ${CMAKE_CURRENT_SOURCE_DIR}/*.h
       ${CMAKE_CURRENT_SOURCE_DIR}/*.def)
  set(script ${PROJECT_SOURCE_DIR}/packaging/cmake/check_includes.cmake)
  set(floors ${PROJECT_SOURCE_DIR}/packaging/cmake/floors.cmake)
  set(stamp ${CMAKE_CURRENT_BINARY_DIR}/includes_of_${room}.checked)
  add_custom_command(OUTPUT ${stamp}
      COMMAND ${CMAKE_COMMAND} -D ROOM=${room} -D FOLDER=${CMAKE_CURRENT_SOURCE_DIR} -P ${script}
      COMMAND ${CMAKE_COMMAND} -E touch ${stamp}
      DEPENDS ${sources} ${script} ${floors}
      COMMENT "Checking the includes of ${room}/"
      VERBATIM)
  add_custom_target(includes_of_${room} DEPENDS ${stamp})
  add_dependencies(${target} includes_of_${room})
endfunction()

# With ALIDADE_UNITY the sources of one folder are compiled as one; names that are local to a file need to be
# different only within a folder. SPLIT FOLDER FILES...: FOLDER is too much for one compiler, so that at most FILES of
# its sources are compiled as one. QUICK FOLDER...: this code is never waited for (ALIDADE_QUICK).
function(alidade_unity target)
  cmake_parse_arguments(PARSE_ARGV 1 unity "" "" "SPLIT;QUICK")
  if(NOT ALIDADE_UNITY)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    if(source MATCHES "\\.cpp$")
      cmake_path(GET source PARENT_PATH folder)
      cmake_path(GET folder FILENAME group)
      set(folder ${group})
      list(FIND unity_SPLIT ${group} split)
      if(NOT split EQUAL -1)
        math(EXPR split "${split} + 1")
        list(GET unity_SPLIT ${split} files)
        list(APPEND of_${group} ${source})
        list(LENGTH of_${group} part)
        math(EXPR part "(${part} - 1) / ${files} + 1")
        string(APPEND group _${part})
      endif()
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${target}_${group})
      if(folder IN_LIST unity_QUICK)
        set_source_files_properties(${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${target}.dir/Unity/unity_${target}_${group}_cxx.cxx
                                    PROPERTIES COMPILE_OPTIONS "${ALIDADE_QUICK}")
      endif()
    endif()
  endforeach()
endfunction()

# Inline functions of the model are compiled wherever its headers are included, and of equal ones the linker takes what it
# sees first. That must be the model's own, which are optimized, and not those of code that is compiled with ALIDADE_QUICK.
function(alidade_link_model_first target)
  target_link_options(${target} PRIVATE "LINKER:--whole-archive" $<TARGET_FILE:alidade_model> "LINKER:--no-whole-archive")
  add_dependencies(${target} alidade_model)
endfunction()

# Lets moc read each header alone, in all targets of a folder and those below it.
function(alidade_moc_alone folder)
  get_target_property(moc Qt6::moc IMPORTED_LOCATION)
  configure_file(${PROJECT_SOURCE_DIR}/packaging/cmake/moc_alone.in ${PROJECT_BINARY_DIR}/moc_alone @ONLY)
  get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target IN LISTS targets)
    set_target_properties(${target} PROPERTIES AUTOMOC_EXECUTABLE ${PROJECT_BINARY_DIR}/moc_alone)
  endforeach()
  get_property(folders DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
  foreach(inner IN LISTS folders)
    alidade_moc_alone(${inner})
  endforeach()
endfunction()
