# Runs with -P: what ./demo.sh builds links. It has one algebra and no solvers, and a unit that holds what it needs
# beside what calls kernels that it lacks fails there alone. Not optimised, since nothing runs but --version: a minute
# of two cores, which .ci/run asks for.
if(NOT DEFINED ENV{KLEENE_TEST_DEMO})
  message("SKIPPED: KLEENE_TEST_DEMO is not in the environment")
  return()
endif()
file(STRINGS ${SOURCE}/demo.sh options REGEX "options=\\(-DKLEENE_ALGEBRAS=")
string(REGEX MATCHALL "-D[A-Z_]+=[A-Za-z_]+" options "${options}")
list(LENGTH options count)
if(count LESS 3)
  message(FATAL_ERROR "demo.sh no longer says what it builds: '${options}'")
endif()
file(REMOVE_RECURSE ${WORK})
execute_process(COMMAND ${CMAKE_COMMAND} -S ${SOURCE} -B ${WORK} -G ${GENERATOR} -DCMAKE_CXX_COMPILER=${COMPILER}
  -DCMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER} -DCMAKE_BUILD_TYPE=None
  -DCMAKE_CXX_FLAGS=-O0 -DKLEENE_INSTRUCTION_SET=baseline ${options} -DKLEENE_CUDA=OFF
  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} --build ${WORK} --target kleene_cli --parallel 2
  OUTPUT_VARIABLE said RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "what ./demo.sh builds does not link:\n${said}")
endif()
execute_process(COMMAND ${WORK}/apps/cli/kleene --version COMMAND_ERROR_IS_FATAL ANY)
