// The part of a ring at run time that is on CUDA devices.
#pragma once

#include "kernels/run_time_gemm.hpp"
#include "kleene/operations/own/plain/requests.hpp"
#include "kleene/operations/own/run_time_ring.hpp"

#include <string>
#include <vector>

namespace kleene {

// The folders of the library's headers: those given, else those of where it was built or installed. error(usage).
std::vector<std::string> header_folders(const compile_options& options);

// `struct ring` of the text over an element type.
std::string ring_struct(const ring_text& ring, const std::string& type);

class ring_on_device final : public kernels::cuda::ring_kernels {
 public:
  ring_on_device(const ring_text& text, const std::string& type, const compile_options& options);
  void run(const context& ctx, const plain::product& request);
  // Of one matrix after the other; the result is of the last. argument_error for predecessors.
  closure_info run(const context& ctx, const plain::closures& request, const closure_options& options);
  // All that operations need on devices of a capability, into the folder of kept files.
  void compile_for(int capability);

 protected:
  nvrtc::compiled code(const kernels::cuda::ring_part& part, int capability, bool again) override;

 private:
  std::string type_, unit_;
  compile_options options_;
};

}  // namespace kleene
