# What `cmake --install` puts where. One export a library, so that kleene-config.cmake can leave out what needs the CUDA
# toolkit.
include(CMakePackageConfigHelpers)
set(kleene_package ${CMAKE_INSTALL_LIBDIR}/cmake/kleene)

install(TARGETS kleene EXPORT kleene_targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT kleene_targets NAMESPACE kleene:: DESTINATION ${kleene_package})
if(KLEENE_HAS_CUDA)
  set_target_properties(kleene_cpu PROPERTIES EXPORT_NAME cpu)
  install(TARGETS kleene_cpu EXPORT kleene_cpu_targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT kleene_cpu_targets NAMESPACE kleene:: DESTINATION ${kleene_package})
endif()
install(DIRECTORY include/kleene DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.hpp" PATTERN "*.def" PATTERN "*.cuh")
foreach(folder IN LISTS kleene_lists)  # in the place of what was installed just now
  install(DIRECTORY ${folder}/kleene DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
endforeach()

configure_package_config_file(cmake/kleene-config.cmake.in kleene-config.cmake INSTALL_DESTINATION ${kleene_package})
write_basic_package_version_file(kleene-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/kleene-config.cmake ${CMAKE_CURRENT_BINARY_DIR}/kleene-config-version.cmake
  cmake/kleene_cuda_language.cmake cmake/kleene_optional.cmake DESTINATION ${kleene_package})

# pkg-config --cflags --libs kleene; kleene-cpu is the library without CUDA. The archives are static: all that they need
# is in Libs. Paths are relative to the file, so that the prefix can be moved.
function(kleene_pkg_config name library summary needs)
  set(optionals)
  set(parquet_libraries -lparquet -larrow)
  if(KLEENE_PARQUET_LIBRARY)
    set(parquet_libraries ${KLEENE_PARQUET_LIBRARY} ${KLEENE_ARROW_LIBRARY})
  endif()
  list(JOIN parquet_libraries " " parquet_libraries)
  foreach(found IN LISTS found_optionals)
    if(found STREQUAL parquet)  # two libraries, by their names where they are given, else by Arrow's own package
      string(APPEND optionals " ${parquet_libraries}")
      continue()
    endif()
    string(TOUPPER ${found} FOUND)
    get_filename_component(file ${KLEENE_${FOUND}_LIBRARY} NAME_WE)
    string(REGEX REPLACE "^lib" "-l" file ${file})
    string(APPEND optionals " ${file}")
  endforeach()
  file(RELATIVE_PATH up ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${name}.pc @ONLY CONTENT
"prefix=\${pcfiledir}/@up@
Name: @name@
Description: @summary@
Version: @PROJECT_VERSION@
Requires: fmt zlib
Cflags: -I\${prefix}/@CMAKE_INSTALL_INCLUDEDIR@ -std=c++20
Libs: -L\${prefix}/@CMAKE_INSTALL_LIBDIR@ -l@library@ @needs@ @optionals@ -lpthread -ldl
")
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()
if(KLEENE_HAS_CUDA)
  kleene_pkg_config(kleene kleene "${PROJECT_DESCRIPTION}" "-L${CUDAToolkit_LIBRARY_DIR} -lcudart_static -ldl -lrt")
  kleene_pkg_config(kleene-cpu kleene_cpu "${PROJECT_DESCRIPTION}, without CUDA" "")
else()
  kleene_pkg_config(kleene kleene "${PROJECT_DESCRIPTION}" "")
endif()

# Documents as they are in the repository, so that what they point to is there: data of their commands, figures and how
# they were measured, and the headers by a link (tests/build/consumer.cmake looks at it).
install(FILES LICENSE README.md CHANGELOG.md CONTRIBUTING.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs examples DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY data/cookbook data/road data/licenses DESTINATION ${CMAKE_INSTALL_DOCDIR}/data)
install(DIRECTORY bench/results bench/peers bench/ladder DESTINATION ${CMAKE_INSTALL_DOCDIR}/bench)
file(RELATIVE_PATH headers ${CMAKE_INSTALL_FULL_DOCDIR} ${CMAKE_INSTALL_FULL_INCLUDEDIR})
install(CODE "file(CREATE_LINK \"${headers}\" \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DOCDIR}/include\"
  SYMBOLIC)")
