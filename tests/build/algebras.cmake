# Runs with -P: KLEENE_ALGEBRAS leaves those rows of the catalog and one unit for each algebra; a name that is none is
# refused, and so are tests, which use other algebras. What is for GPUs alone says so where there is no CUDA.
function(configure algebras status_out said_out)  # and further options
  file(REMOVE_RECURSE ${WORK})
  execute_process(COMMAND ${CMAKE_COMMAND} -S ${SOURCE} -B ${WORK} -G ${GENERATOR} -DCMAKE_CXX_COMPILER=${COMPILER}
    "-DKLEENE_ALGEBRAS=${algebras}" -DKLEENE_CUDA=OFF -DKLEENE_APPS=OFF -DKLEENE_TESTS=OFF -DKLEENE_EXAMPLES=OFF
    ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE said ERROR_VARIABLE said)
  set(${status_out} ${status} PARENT_SCOPE)
  set(${said_out} "${said}" PARENT_SCOPE)
endfunction()

configure("or_and;plus_times" status said)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${said}")
endif()
file(STRINGS ${WORK}/lists/kleene/algebra/catalog.def rows REGEX "^KLEENE_ROW")
list(FILTER rows EXCLUDE REGEX "or_and|plus_times")
file(STRINGS ${WORK}/lists/kleene/algebra/catalog.def kept REGEX "^KLEENE_ROW\\( *(or_and, *f32|plus_times, *f64) ")
file(STRINGS ${WORK}/lists/kleene/algebra/mixed.def mixed REGEX "^KLEENE_MIXED\\( *plus_times, *bf16, *f32 ")
list(LENGTH kept kept)
list(LENGTH mixed mixed)
if(rows OR NOT kept EQUAL 2 OR NOT mixed EQUAL 1)
  message(FATAL_ERROR "wrong rows: '${rows}', ${kept} and ${mixed} of those asked for")
endif()
file(GLOB units RELATIVE ${WORK}/instances ${WORK}/instances/*.cpp)
list(FILTER units EXCLUDE REGEX "_mixed_")
if(NOT units STREQUAL "or_and.cpp;plus_times.cpp")
  message(FATAL_ERROR "wrong units: ${units}")
endif()

configure("min_pluss" status said)
if(status EQUAL 0 OR NOT said MATCHES "has no algebra 'min_pluss'")
  message(FATAL_ERROR "min_pluss was not refused:\n${said}")
endif()

configure("min_plus" status said -DKLEENE_TESTS=ON)
if(status EQUAL 0 OR NOT said MATCHES "KLEENE_ALGEBRAS=min_plus leaves out algebras")
  message(FATAL_ERROR "tests over other algebras were not refused:\n${said}")
endif()

configure("min_plus" status said -DKLEENE_BENCHES=ON)
if(NOT status EQUAL 0 OR NOT said MATCHES "KLEENE_BENCHES=ON adds nothing to a build without CUDA")
  message(FATAL_ERROR "nothing is said of suites without GPUs:\n${said}")
endif()
