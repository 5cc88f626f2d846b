# kleene_includes(OUT file): the library's headers that a file includes ("kleene/operations/gemm.hpp"). Conditions are
# not looked at.
function(kleene_includes out file)
  file(STRINGS ${file} lines REGEX "^[ \t]*#[ \t]*include[ \t]+\"kleene/")
  list(TRANSFORM lines REPLACE "^[^\"]*\"([^\"]+)\".*$" "\\1")
  set(${out} ${lines} PARENT_SCOPE)
endfunction()

# kleene_reachable(OUT header...): these headers and all that they include, directly or not.
function(kleene_reachable out)
  set(found)
  set(waiting ${ARGN})
  while(waiting)
    list(POP_FRONT waiting header)
    if(header IN_LIST found)
      continue()
    endif()
    list(APPEND found ${header})
    kleene_includes(included ${PROJECT_SOURCE_DIR}/include/${header})
    list(APPEND waiting ${included})
  endwhile()
  set(${out} ${found} PARENT_SCOPE)
endfunction()
