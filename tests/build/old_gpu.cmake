# Runs with -P: a GPU below compute capability 8.0 is answered in a sentence when the build is configured, whether its
# architecture is asked for or, HAS_NVCC, nvidia-smi tells of it: by a file here, in its place.
function(configure status_out said_out)
  file(REMOVE_RECURSE ${WORK}/build)
  execute_process(COMMAND ${CMAKE_COMMAND} -S ${SOURCE} -B ${WORK}/build -G ${GENERATOR}
    -DCMAKE_CXX_COMPILER=${COMPILER} -DKLEENE_APPS=OFF -DKLEENE_TESTS=OFF -DKLEENE_EXAMPLES=OFF ${ARGN}
    RESULT_VARIABLE status OUTPUT_VARIABLE said ERROR_VARIABLE said)
  string(REGEX REPLACE "[ \n]+" " " said "${said}")  # where CMake broke the lines
  set(${status_out} ${status} PARENT_SCOPE)
  set(${said_out} "${said}" PARENT_SCOPE)
endfunction()

foreach(asked IN ITEMS 75 75-real 70-virtual all-major "90a-real\;75-virtual")
  configure(status said "-DCMAKE_CUDA_ARCHITECTURES=${asked}")
  if(status EQUAL 0 OR NOT said MATCHES "=(75|75-real|70-virtual|all-major|75-virtual): Kleene's kernels need compute")
    message(FATAL_ERROR "${asked} was not refused:\n${said}")
  endif()
endforeach()

if(HAS_NVCC)
  function(plant capabilities)
    list(JOIN capabilities "\n" lines)
    file(WRITE ${WORK}/nvidia-smi "#!/bin/sh\nprintf '${lines}\\n'\n")
    file(CHMOD ${WORK}/nvidia-smi PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
  endfunction()
  set(planted -DKLEENE_NVIDIA_SMI=${WORK}/nvidia-smi -DCMAKE_CUDA_COMPILER=${CUDA_COMPILER})
  plant("7.5;6.1")
  configure(status said ${planted})
  if(NOT status EQUAL 0 OR NOT said MATCHES "The GPU here has compute capability 6\\.1.* need 8\\.0.*kernels: none")
    message(FATAL_ERROR "A GPU of 7.5: ${status}\n${said}")
  endif()
  plant("7.5;9.0")
  configure(status said ${planted})
  if(NOT status EQUAL 0 OR said MATCHES "left out" OR NOT said MATCHES "kernels: 90a ")
    message(FATAL_ERROR "GPUs of 7.5 and 9.0: ${status}\n${said}")
  endif()
endif()
