# Runs with -P: installs the build folder BUILD into a fresh prefix, builds the project SOURCE against it with nothing
# but find_package, and runs what it built; then a program by pkg-config. HAS_CUDA: also a project with CUDA sources,
# and the first one again as on a machine without the CUDA toolkit.
file(REMOVE_RECURSE ${WORK})
set(flags)
if(SANITIZE)
  set(flags -fsanitize=${SANITIZE})
endif()

function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE status OUTPUT_VARIABLE said ERROR_VARIABLE said)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${ARGV}: ${status}\n${said}")
  endif()
  message(STATUS "${said}")
  set(said "${said}" PARENT_SCOPE)
endfunction()

# A project in the folder `build`, with more options.
set(configure ${CMAKE_COMMAND} -S ${SOURCE} -G ${GENERATOR} -DCMAKE_CXX_COMPILER=${COMPILER}
  -DCMAKE_BUILD_TYPE=${BUILD_TYPE} -DCMAKE_PREFIX_PATH=${WORK}/prefix -DCMAKE_CXX_FLAGS=${flags})
function(use program build)
  run(${configure} -B ${WORK}/${build} ${ARGN})
  run(${CMAKE_COMMAND} --build ${WORK}/${build})
  run(${WORK}/${build}/${program})
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
foreach(file IN ITEMS LICENSE README.md docs/architecture.md examples/road_trip.cpp)
  if(NOT EXISTS ${WORK}/prefix/share/doc/kleene/${file})
    message(FATAL_ERROR "${file} is not installed")
  endif()
endforeach()
use(consumer build)

if(HAS_CUDA)
  use(consumer_cuda build_cuda -DWITH_CUDA=ON -DCMAKE_CUDA_COMPILER=${CUDA_COMPILER})
  set(no_toolkit -DCMAKE_DISABLE_FIND_PACKAGE_CUDAToolkit=ON)
  use(consumer build_cpu ${no_toolkit})
  execute_process(COMMAND ${configure} -B ${WORK}/build_none -DWITH_CUDA=ON ${no_toolkit}
    RESULT_VARIABLE status OUTPUT_VARIABLE said ERROR_VARIABLE said)
  if(status EQUAL 0 OR NOT said MATCHES "no kleene::cuda: CUDA toolkit [0-9]+ is not here")
    message(FATAL_ERROR "COMPONENTS cuda without the toolkit: ${status}\n${said}")
  endif()
endif()

find_program(PKG_CONFIG pkg-config)
if(PKG_CONFIG)
  file(GLOB_RECURSE found ${WORK}/prefix/kleene.pc)
  get_filename_component(folder ${found} DIRECTORY)
  run(${CMAKE_COMMAND} -E env PKG_CONFIG_PATH=${folder} ${PKG_CONFIG} --cflags --libs kleene)
  separate_arguments(told UNIX_COMMAND "${said}")
  run(${COMPILER} ${flags} ${SOURCE}/by_hand.cpp ${told} -o ${WORK}/by_hand)
  run(${WORK}/by_hand)
endif()
