// NVRTC, NVIDIA's compiler of device code as a library, opened when it is first asked for: no program links it or is
// compiled against it.
//
//   library   a path, or the first of: KLEENE_NVRTC_LIBRARY; libnvrtc.so.13 and .12 where the loader finds them; those
//             in CUDA_HOME, CUDA_PATH and /usr/local/cuda (lib64)
//   version   12.3 and later (__builtin_bit_cast); error(usage) says what is wrong with another, or that there is none
//   headers   those of this library, from folders on disk; what they include of the standard library, and of CUDA, is
//             in memory (nvrtc_headers.cpp), so that it takes neither a host compiler nor a toolkit
//   source    the functions and numbers of nvrtc.h, which are the same since 11.1 ("NVRTC", CUDA documentation)
#pragma once

#include <string>
#include <vector>

struct _nvrtcProgram;

namespace kleene::nvrtc {

struct unit {
  std::string text;
  std::vector<std::string> kernels;  // as C++ names them, "fold<float, 3>"
  std::vector<std::string> folders;  // of headers
  int capability;                    // of the device, 90 say; one that this NVRTC does not know gets PTX for the latest
};

struct compiled {
  std::string code;                // cubin or PTX
  std::vector<std::string> names;  // of the kernels, in their order, as the code has them
};

class library {
 public:
  explicit library(const std::string& path);
  library(const library&) = delete;
  library& operator=(const library&) = delete;

  const std::string& path() const { return path_; }
  // "13.0"
  std::string version() const;
  // error(usage) with the compiler's first complaint.
  compiled compile(const unit& of) const;

 private:
  using program = _nvrtcProgram*;
  void require(int came, const char* what) const;
  std::string architecture_for(int capability) const;
  std::string first_complaint(program) const;

  std::string path_;
  int major_ = 0, minor_ = 0;
  const char* (*get_error_string_)(int);
  int (*get_version_)(int* major, int* minor);
  int (*get_num_supported_archs_)(int*);
  int (*get_supported_archs_)(int*);
  int (*create_program_)(program*, const char* text, const char* name, int headers, const char* const* texts,
                         const char* const* names);
  int (*destroy_program_)(program*);
  int (*add_name_expression_)(program, const char*);
  int (*compile_program_)(program, int options, const char* const*);
  int (*get_lowered_name_)(program, const char*, const char**);
  int (*get_log_size_)(program, std::size_t*);
  int (*get_log_)(program, char*);
  int (*get_cubin_size_)(program, std::size_t*);
  int (*get_cubin_)(program, char*);
  int (*get_ptx_size_)(program, std::size_t*);
  int (*get_ptx_)(program, char*);
};

// The library at `path`, or where it is found; opened once a process. error(usage): there is none that serves.
const library& open(const std::string& path = {});

// What the library's headers include of others, as NVRTC gets it.
struct header {
  const char *name, *text;
};
const std::vector<header>& headers();

}  // namespace kleene::nvrtc
