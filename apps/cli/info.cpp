// kleene info: what this build and this machine have.
#include "commands.hpp"
#include "dispatch.hpp"
#include "kleene/algebra/catalog.hpp"
#include "kleene/grid/grid.hpp"
#include "kleene/io/formats.hpp"
#include "kleene/io/input.hpp"
#include "links.hpp"
#include "processes.hpp"
#include "session.hpp"
#include "text.hpp"

#include <fmt/ranges.h>

#include <dlfcn.h>
#include <unistd.h>

#include <array>
#include <map>
#include <optional>

namespace kleene::cli {

namespace {

double physical_memory() {
  return static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

std::vector<std::string> instruction_sets() {
  std::vector<std::string> names;
  for (int isa = 0; isa <= static_cast<int>(best_instruction_set()); ++isa)
    names.push_back(to_string(static_cast<instruction_set>(isa)));
  return names;
}

std::string capability_text(const cuda_device& device) {
  return fmt::format("{}.{}", device.capability / 10, device.capability % 10);
}

// What is compiled in ("90a 80+": machine code, and PTX for newer devices) and what is there to run it.
std::string cuda_text() {
  if (!has_cuda()) return "not built in";
  const std::string built = fmt::format("built for {}", cuda_architectures());
  if (!cuda_devices().empty()) return built;
  try {
    context::cuda();
  } catch (const error& refusal) {  // which says why there is none
    return fmt::format("{}; {}", built, refusal.what());
  }
  return built;
}

// Pairs of devices of which the first reads the second's memory without the host.
std::vector<std::pair<int, int>> peers() {
  std::vector<std::pair<int, int>> found;
  for (const cuda_device& device : cuda_devices())
    for (const cuda_device& other : cuda_devices())
      if (can_reach_peer(device.ordinal, other.ordinal)) found.emplace_back(device.ordinal, other.ordinal);
  return found;
}
std::string peers_text() {
  const auto pairs = peers();
  const std::size_t devices = cuda_devices().size();
  if (pairs.empty()) return "no device reads another's memory: copies go through the host";
  if (pairs.size() == devices * (devices - 1)) return "all devices read each other's memory";
  std::string all;
  for (const auto& [device, other] : pairs) all += fmt::format("{}{} reads {}", all.empty() ? "" : ", ", device, other);
  return all;
}
std::string peers_json() {
  std::string all;
  for (const auto& [device, other] : peers()) all += fmt::format("{}[{}, {}]", all.empty() ? "" : ", ", device, other);
  return "[" + all + "]";
}

std::string links_json(const std::vector<device_link>& links) {
  std::string all;
  for (const device_link& link : links) {
    json_object json;
    json.number("from", link.from).number("to", link.to).boolean("direct", link.is_direct);
    json.number("gb_per_second", link.bytes_per_second / 1e9);
    all += (all.empty() ? "" : ", ") + json.inner();
  }
  return "[" + all + "]";
}
void add_links(answer& text, const std::vector<device_link>& links) {
  if (links.empty()) text.line("links", "there are no two devices");
  for (const device_link& link : links)
    text.line(fmt::format("link {} to {}", link.from, link.to),
              fmt::format("{:.1f} GB/s{}", link.bytes_per_second / 1e9, link.is_direct ? "" : ", through the host"));
}

std::string cuda_json(const std::optional<std::vector<device_link>>& links) {
  std::string devices;
  for (const cuda_device& device : cuda_devices()) {
    json_object json;
    json.number("ordinal", device.ordinal).text("name", device.name).text("capability", capability_text(device));
    json.number("multiprocessors", device.multiprocessors).number("memory_bytes", device.memory);
    json.number("shared_memory_bytes", device.shared_memory);
    devices += (devices.empty() ? "" : ", ") + json.inner();
  }
  json_object json;
  json.boolean("built", has_cuda()).text("architectures", cuda_architectures()).raw("devices", "[" + devices + "]");
  json.raw("peers", peers_json());
  if (links) json.raw("links", links_json(*links));
  return json.inner();
}

// The MPI that programs with <kleene/grid/mpi.hpp>, and several processes of this one, would run with, by its own
// words; empty: none.
std::string mpi_library() {
  for (const char* name : {"libmpi.so.40", "libmpi.so.12", "libmpi.so"}) {  // Open MPI; MPICH and Intel; others
    void* const library = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
    if (!library) continue;
    using version_call = int (*)(char*, int*);  // may be called before MPI_Init
    const auto version = reinterpret_cast<version_call>(dlsym(library, "MPI_Get_library_version"));
    std::array<char, 16'384> text{};  // MPICH asks for 8192
    int length = 0;
    if (version) version(text.data(), &length);
    const std::string words(text.data());
    const std::string first = words.substr(0, words.find_first_of(",\n"));
    return fmt::format("{} ({})", first.empty() ? "an MPI" : first, name);
  }
  return {};
}
std::string json_or_null(bool is_there, const std::string& text) { return is_there ? json_string(text) : "null"; }

// Those that take libraries; every build has the others.
std::string optional_formats() {
  std::string all = "all of text and NumPy";
  for (const io::file_format format : {io::file_format::graphml, io::file_format::parquet})
    all += fmt::format(", {}{}", io::is_built_in(format) ? "" : "no ", io::row_of(format).name);
  return all;
}

struct listed_algebra {
  std::string name;
  std::vector<std::string> types;
  std::vector<std::string> products{};  // operands of 8 and 16 bits, which only products take
};

std::vector<listed_algebra> algebras() {
  std::vector<listed_algebra> rows;
  for_each_algebra([&](auto s) {
    using S = decltype(s);
    if (rows.empty() || rows.back().name != S::name) rows.push_back({S::name, {}});
    rows.back().types.push_back(type_name<value_of<S>>);
  });
  for_each_narrow([&]<class S>(S) {
    for (listed_algebra& row : rows)
      if (row.name == S::name) row.products.push_back(type_name<value_of<S>>);
  });
  return rows;
}

std::string types_words(const listed_algebra& row) {
  std::string all = fmt::format("{}", fmt::join(row.types, " "));
  return row.products.empty() ? all : fmt::format("{}; products also {}", all, fmt::join(row.products, " "));
}

std::string json_strings(const std::vector<std::string>& items) {
  std::string out = "[";
  for (const std::string& item : items) out += (out.size() > 1 ? ", " : "") + json_string(item);
  return out + "]";
}

}  // namespace

void run_info(const shared_flags& shared, const info_flags& flags) {
  const context chosen = make_context(shared);
  const context ctx = context::cpu({.threads = shared.threads, .isa = {}});
  std::optional<std::vector<device_link>> links;
  if (flags.measures_links) links = measure_links();
  if (shared.json) {
    json_object json, types;
    for (const listed_algebra& row : algebras()) types.raw(row.name, json_strings(row.types));
    json.text("version", KLEENE_VERSION).text("processor", processor_name());
    json.text("device", chosen.kind() == device_kind::cuda ? "cuda" : "cpu");
    json.text("isa", to_string(ctx.isa())).number("threads", ctx.threads());
    json.raw("isa_available", json_strings(instruction_sets()));
    json.number("memory_bytes", physical_memory())
        .number("memory_available_bytes", static_cast<double>(available_memory()));
    json.text("compressions", io::compressions());
    json.boolean("graphml", io::is_built_in(io::file_format::graphml));
    json.boolean("parquet", io::is_built_in(io::file_format::parquet));
    json.raw("algebras", types.inner()).raw("cuda", cuda_json(links));
    const std::string mpi = mpi_library();
    json.raw("nccl", json_or_null(has_nccl(), describe_nccl())).raw("mpi", json_or_null(!mpi.empty(), mpi));
    json.raw("mpi_module", json_or_null(!mpi_module().empty(), mpi_module()));
    return write_stdout(json.str());
  }
  answer text;
  text.line("kleene", KLEENE_VERSION);
  text.line("processor", processor_name());
  text.line("vectors", fmt::format("{} (of {})", to_string(ctx.isa()), fmt::join(instruction_sets(), ", ")));
  text.line("threads", std::to_string(ctx.threads()));
  text.line("memory", fmt::format("{}, {} available", bytes_text(physical_memory()),
                                  bytes_text(static_cast<double>(available_memory()))));
  text.line("files", "plain, " + io::compressions());
  text.line("formats", optional_formats());
  text.line("cuda", cuda_text());
  for (const cuda_device& device : cuda_devices())
    text.line(fmt::format("device {}", device.ordinal),
              fmt::format("{}, compute capability {}, {} multiprocessors, {}", device.name, capability_text(device),
                          device.multiprocessors, bytes_text(static_cast<double>(device.memory))));
  if (cuda_devices().size() > 1) text.line("peers", peers_text());
  if (links) add_links(text, *links);
  text.line("nccl", has_nccl() ? describe_nccl() : "none; " + describe_nccl());
  const std::string mpi = mpi_library();
  text.line("mpi", mpi.empty() ? "none" : mpi);
  text.line("mpirun", mpi_module().empty() ? "one process only: this build is without MPI" : "by " + mpi_module());
  answer listed;
  listed.line("algebra", "element types");
  for (const listed_algebra& row : algebras()) listed.line(row.name, types_words(row));
  write_stdout(text.str() + "\n" + listed.str());
}

}  // namespace kleene::cli
