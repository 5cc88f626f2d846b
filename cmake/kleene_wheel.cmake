# fmt and zlib of a wheel: PyPI's cmeel-fmt and cmeel-zlib, which pip fetches for the build (pyproject.toml) into one
# folder. Of fmt the headers alone, so that the wheel needs none where it is installed; libz.so.1 comes with every
# Python. Without the two packages (pip's --no-build-isolation) the machine's own are taken.
find_package(Python REQUIRED COMPONENTS Interpreter)
execute_process(
  COMMAND ${Python_EXECUTABLE} -c "from importlib.metadata import distribution
print([distribution(name).locate_file('cmeel.prefix') for name in ('cmeel-fmt', 'cmeel-zlib')][0], end='')"
  OUTPUT_VARIABLE prefix ERROR_QUIET)
if(prefix)
  list(PREPEND CMAKE_PREFIX_PATH ${prefix})
  set(kleene_fmt fmt::fmt-header-only)
  find_library(ZLIB_LIBRARY z HINTS ${prefix} PATH_SUFFIXES lib lib64 NO_DEFAULT_PATH)  # Debian's CMake passes lib64 by
endif()
