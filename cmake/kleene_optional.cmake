# The optional libraries that files are read by: liblzma (.xz), libzstd (.zst), libbz2 (.bz2) and expat (.graphml). zlib
# (.gz, .npz) is always here.
#
# kleene_find_optional(NAME)   defines kleene::NAME (xz, zstd, bzip2 or graphml) if this machine has its library. Used
#                              by Kleene's own build, and by kleene-config.cmake for what the installed archive was
#                              built with.

set(kleene_optionals xz zstd bzip2 graphml)

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
