# Several sources compiled as one: most of what a compiler does with a unit of ours is reading headers, so a first build
# of the readers and of the command line takes half the time.
#
# kleene_unity(NAME SIZE sources...)   compiles these sources in groups of SIZE; a target must have been given them
#
# Names in anonymous namespaces must differ within a group. KLEENE_UNITY=OFF compiles each file alone, which is better
# while one of them is being changed, and finds an include that is missing (the presets dev and clang).

option(KLEENE_UNITY "Compile several small sources as one (sooner built, later rebuilt)" ON)

function(kleene_unity name size)
  if(NOT KLEENE_UNITY)
    return()
  endif()
  set(position 0)
  foreach(source IN LISTS ARGN)
    math(EXPR group "${position} / ${size}")
    math(EXPR position "${position} + 1")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${name}_${group})
  endforeach()
endfunction()

# What the groups of a target are built by.
function(kleene_unity_target target)
  if(KLEENE_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  endif()
endfunction()
