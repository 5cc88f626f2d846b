# The optional libraries that files are read by: liblzma (.xz), libzstd (.zst), libbz2 (.bz2), expat (.graphml) and
# Apache Arrow (.parquet). zlib (.gz, .npz) is always here.
#
# kleene_find_optional(NAME)   defines kleene::NAME (xz, zstd, bzip2, graphml or parquet) if this machine has its
#                              library. Used by Kleene's own build, and by kleene-config.cmake for what the installed
#                              archive was built with.

set(kleene_optionals xz zstd bzip2 graphml parquet)

# Arrow's own CMake package, else its files: KLEENE_PARQUET_INCLUDE_DIR, KLEENE_PARQUET_LIBRARY and
# KLEENE_ARROW_LIBRARY, which may be given (docs/install.md) and then come first.
function(kleene_find_parquet)
  if(NOT KLEENE_PARQUET_LIBRARY)
    find_package(Parquet CONFIG QUIET)
    foreach(kind IN ITEMS shared static)
      if(TARGET Parquet::parquet_${kind})
        add_library(kleene::parquet INTERFACE IMPORTED GLOBAL)
        set_property(TARGET kleene::parquet PROPERTY INTERFACE_LINK_LIBRARIES Parquet::parquet_${kind})
        return()
      endif()
    endforeach()
  endif()
  find_path(KLEENE_PARQUET_INCLUDE_DIR parquet/file_reader.h)
  find_library(KLEENE_PARQUET_LIBRARY parquet)
  find_library(KLEENE_ARROW_LIBRARY arrow)
  mark_as_advanced(KLEENE_PARQUET_INCLUDE_DIR KLEENE_PARQUET_LIBRARY KLEENE_ARROW_LIBRARY)
  if(KLEENE_PARQUET_INCLUDE_DIR AND KLEENE_PARQUET_LIBRARY AND KLEENE_ARROW_LIBRARY)
    add_library(kleene::parquet UNKNOWN IMPORTED GLOBAL)
    set_target_properties(kleene::parquet PROPERTIES IMPORTED_LOCATION "${KLEENE_PARQUET_LIBRARY}"
      INTERFACE_LINK_LIBRARIES "${KLEENE_ARROW_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES "${KLEENE_PARQUET_INCLUDE_DIR}")
  endif()
endfunction()

function(kleene_find_optional name)
  set(header_of_xz lzma.h)
  set(header_of_zstd zstd.h)
  set(header_of_bzip2 bzlib.h)
  set(header_of_graphml expat.h)
  set(library_of_xz lzma)
  set(library_of_zstd zstd)
  set(library_of_bzip2 bz2)
  set(library_of_graphml expat)
  if(TARGET kleene::${name})
    return()
  endif()
  if(name STREQUAL parquet)
    kleene_find_parquet()
    return()
  endif()
  string(TOUPPER ${name} NAME)
  find_path(KLEENE_${NAME}_INCLUDE_DIR ${header_of_${name}})
  find_library(KLEENE_${NAME}_LIBRARY ${library_of_${name}})
  mark_as_advanced(KLEENE_${NAME}_INCLUDE_DIR KLEENE_${NAME}_LIBRARY)
  if(KLEENE_${NAME}_INCLUDE_DIR AND KLEENE_${NAME}_LIBRARY)
    add_library(kleene::${name} UNKNOWN IMPORTED GLOBAL)
    set_target_properties(kleene::${name} PROPERTIES IMPORTED_LOCATION "${KLEENE_${NAME}_LIBRARY}"
      INTERFACE_INCLUDE_DIRECTORIES "${KLEENE_${NAME}_INCLUDE_DIR}")
  endif()
endfunction()
