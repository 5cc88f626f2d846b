# cmake -DSOURCE=FOLDER -DOUTPUT=FILE -P kleene_commit.cmake: writes a header that says which commit the folder is a
# checkout of, "339b922e1c", or "339b922e1c-dirty" where files differ from it; nothing where git does not know, as in an
# archive of the sources. The file is touched only where it changes.
set(commit "")
find_program(git git)
if(git AND EXISTS "${SOURCE}/.git")
  execute_process(
    COMMAND ${git} --no-optional-locks -C "${SOURCE}" describe --always --dirty --exclude=* --abbrev=10
    OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
file(CONFIGURE OUTPUT "${OUTPUT}" CONTENT "#define KLEENE_COMMIT \"${commit}\"\n" @ONLY)
