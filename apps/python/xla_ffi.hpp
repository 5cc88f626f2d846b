// What XLA hands to a function that its programs call, as far as it is read here: the C structures of its foreign
// function interface, version 0.1 and later (xla/ffi/api/c_api.h in jaxlib's wheel). So no jaxlib is needed to build
// the package, and one wheel serves all that know this version; docs/decisions/0027. tests/test_jax.py compiles these
// beside jaxlib's own.
#pragma once

#include <cstddef>
#include <cstdint>

namespace kleene::python::xla_ffi {

inline constexpr int major_version = 0, minor_version = 1;

// Each structure begins with its size and a chain of what later versions, or some calls, have besides.
struct extension {
  std::size_t size;
  int kind;
  extension* next;
};
struct version {
  std::size_t size;
  extension* extensions;
  int major, minor;
};

// The extension of a call that asks what a handler is, and not for its work.
inline constexpr int asks_for_metadata = 1;
struct metadata {
  std::size_t size;
  version api;
  std::uint32_t traits;
};
struct metadata_request {
  extension base;
  metadata* answer;
};

// Dense, row by row unless the program was told otherwise.
struct buffer {
  std::size_t size;
  extension* extensions;
  int type;
  void* data;
  std::int64_t rank;
  std::int64_t* extents;
};
inline constexpr int is_buffer = 1;  // the kind of an argument or a result

// Of buffers.
struct list {
  std::size_t size;
  extension* extensions;
  std::int64_t count;
  int* kinds;
  void** items;
};

// What the program says by name.
struct text {
  const char* data;
  std::size_t size;
};
struct scalar {
  int type;
  void* value;
};
inline constexpr int is_scalar = 3, is_text = 4;  // kinds of attributes
struct attributes {
  std::size_t size;
  extension* extensions;
  std::int64_t count;
  int* kinds;
  text** names;
  void** values;
};

inline constexpr int invalid_argument = 3, resource_exhausted = 8, internal = 13;  // codes of errors
struct error;
struct error_request {
  std::size_t size;
  extension* extensions;
  const char* message;
  int code;
};

struct execution;
struct stream_request {
  std::size_t size;
  extension* extensions;
  execution* of;
  void* stream;  // out
};

struct api {
  std::size_t size;
  extension* extensions;
  version own;
  const void* internals;
  error* (*create_error)(error_request*);
  void* get_message;
  void* destroy_error;
  void* register_handler;
  error* (*get_stream)(stream_request*);
};

struct frame {
  std::size_t size;
  extension* extensions;
  const xla_ffi::api* api;
  execution* running;
  int stage;
  list arguments, results;
  xla_ffi::attributes attributes;
};

// Null: all went well.
using handler = error*(frame*);

// The number of an element type.
template <class T>
inline constexpr int type_of = 0;
template <>
inline constexpr int type_of<bool> = 1;
template <>
inline constexpr int type_of<std::int32_t> = 4;
template <>
inline constexpr int type_of<std::int64_t> = 5;
template <>
inline constexpr int type_of<float> = 11;
template <>
inline constexpr int type_of<double> = 12;

}  // namespace kleene::python::xla_ffi
