// The host's side of products over rings at run time: what gemm/simt/launch.cuh does with kernels that nvcc compiled.
#include "kernels/run_time_gemm.hpp"

#include "kleene/algebra/catalog.hpp"
#include "kleene/gpu/host/launch.cuh"
#include "kleene/gpu/host/runtime.cuh"
#include "kleene/kernels/cuda/gemm/select.hpp"
#include "kleene/kernels/cuda/gemm/simt/describe.hpp"
#include "kleene/kernels/cuda/gemm/simt/enqueue.cuh"
#include "kleene/kernels/cuda/gemm/simt/operands/checks.cuh"

#include <cstring>
#include <utility>

namespace kleene::kernels::cuda {

namespace {

// As far as the host goes, all atoms of four and eight bytes are alike but for the steps of k that they do at once.
template <class T, int Depth>
struct any_atom {
  using operand = T;
  using accumulator = T;
  static constexpr int lanes = 1, depth = Depth;
};

template <class... Parameters>
void launch(const void* kernel, const gpu::launch_config& config, const Parameters&... parameters) {
  void* places[] = {const_cast<void*>(static_cast<const void*>(&parameters))..., nullptr};
  gpu::launch_address(kernel, config, places);
}

// Bytes of shared memory that a row's kernels take.
template <class Atom, class G>
std::size_t shared_bytes_of(workload row) {
  std::size_t bytes = 0;
  const auto ask = [&]<workload Row>() {
    constexpr bool witness = Row == workload::witness || Row == workload::witness_eight_bytes;
    if (Row == row) bytes = simt_shared_bytes<Atom, row_of(Row).policy, witness, G>();
  };
  [&]<int... Row>(std::integer_sequence<int, Row...>) {
    (ask.template operator()<static_cast<workload>(Row)>(), ...);
  }(std::make_integer_sequence<int, std::size(simt_table)>{});
  return bytes;
}

// One product, or several of a batch, with a row's kernels.
template <class T, int Depth>
class ring_product {
  using S = any_ring<T>;
  using G = gemm_arguments<S>;
  using atom = any_atom<T, Depth>;

 public:
  ring_product(const context& ctx, const G& g, ring_kernels& ring, workload row)
      : ctx_(ctx),
        g_(g),
        facts_(ring.facts()),
        row_(row),
        policy_(row_of(row).policy),
        packed_(policy_.copy != copies::strided),
        passes_(ring.of({}, ctx.device()->capability)),
        products_(ring.of(row, ctx.device()->capability)),
        plan_(plan_simt<atom>(policy_, g.witness != nullptr, g, policy_.blocks * ctx.device()->multiprocessors)),
        workspace_(ctx.workspace(plan_.bytes)),
        found_(plan_.findings.in(workspace_)),
        checks_(checks_for(g, found_, packed_ && (facts_.signs.non_negative || facts_.signs.non_positive))),
        arguments_(arguments_simt<atom>(policy_, tile_steps(policy_, operand_run<atom>).run_n, g, plan_, workspace_)) {
    arguments_.checks = checks_, arguments_.overflow = &found_->overflow;
  }

  void run() const {
    const bool looks = checks_.find_class || checks_.check_domain;
    if (looks) gpu::launch(clear_findings, {1, 1, 0, stream()}, found_);
    if (packed_ ? g_.d && checks_.check_domain : looks) inspect();
    if (packed_) pack(looks);
    const index_t tiles = index_t{arguments_.tiles_m} * arguments_.tiles_n * g_.batch;
    const std::size_t combine = finds_witnesses(row_) ? 1 : 0;
    // The kernels for operands of one sign ask what packing found; where it does not look the first is for any.
    const std::size_t products = checks_.find_class ? products_.size() - combine : 1;
    for (std::size_t k = 0; k < products; ++k)
      launch(products_[k],
             {gpu::grid_of(tiles * plan_.splits), static_cast<unsigned>(policy_.threads()),
              shared_bytes_of<atom, G>(row_), stream(), packed_},
             arguments_);
    if (plan_.splits > 1) join(combine ? products_.back() : passes_[1], tiles);
    if (checks_.check_domain)
      gpu::launch(record_fault<G>, {1, 1, 0, stream()}, g_, checks_, facts_.name, "A", "B", "the source",
                  ctx_.faults());
    if (explain_enabled()) explain(description());
  }

 private:
  cudaStream_t stream() const { return static_cast<cudaStream_t>(ctx_.stream()); }

  // A pass over what packing does not look at: D, and A and B where they are read as they are.
  void inspect() const {
    inspection<T> p{
        {source_a<S>(g_), source_b<S>(g_), {g_.d, g_.sd[0] ? g_.batch : 1, g_.m, g_.n, g_.sd[0], g_.sd[1], g_.sd[2]}},
        {}};
    const index_t most = 4 * ctx_.device()->multiprocessors;
    for (int i = 0; i < 3; ++i) {
      const operand_source<T>& x = p.operand[i];
      const bool looks = x.rows > 0 && x.depth > 0 && (i < 2 ? !packed_ : x.data && checks_.check_domain);
      p.first_block[i + 1] =
          p.first_block[i] + (looks ? static_cast<unsigned>(std::min<index_t>(p.lines(x), most)) : 0);
    }
    if (p.first_block[3] == 0) return;
    operand_report* const reports = found_->reports;
    launch(passes_[2], {p.first_block[3], inspect_threads, 0, stream()}, p, reports);
  }

  void pack(bool looks) const {
    const auto& p = arguments_;
    const pack_pair<atom, T> pair{{{source_a<S>(g_), p.a, policy_.bm, p.depth, p.lines_a, p.line_depth},
                                   {source_b<S>(g_), p.b, policy_.bn, p.depth, p.lines_b, p.line_depth}},
                                  looks ? found_->reports : nullptr};
    if (pair.blocks() > 0) launch(passes_[0], {pair.blocks(), pack_threads, 0, stream(), looks}, pair);
  }

  void join(const void* combine, index_t tiles) const {
    const combine_shape shape(policy_, operand_run<atom>, plan_.splits, most_combine_parts<atom>);
    launch(combine, {shape.blocks(gpu::grid_of(tiles), combine_width<atom>), shape.threads(), 0, stream(), packed_},
           arguments_, shape);
  }

  std::string description() const {
    simt_description text{product_text(facts_.name, type_name<T>, g_.m, g_.n, g_.k, g_.batch)};
    text.with_witness = g_.witness != nullptr, text.splits = plan_.splits, text.workspace = plan_.bytes;
    text.atom = "compiled at run time", text.policy = describe_policy(policy_, row_of(row_).name);
    return describe_simt(text);
  }

  const context& ctx_;
  const G& g_;
  const ring_facts& facts_;
  const workload row_;
  const simt_policy policy_;
  const bool packed_;
  const std::vector<const void*>&passes_, &products_;
  const simt_plan<atom> plan_;
  void* const workspace_;
  gemm_findings* const found_;
  const gemm_checks checks_;
  simt_arguments<atom, G> arguments_;
};

template <class S>
constexpr bool knows_signs(const char* name) {
  const ring_signs known = signs_of(name);
  return known.non_negative == has_atom<S, sign_class::non_negative> &&
         known.non_positive == has_atom<S, sign_class::non_positive>;
}
static_assert(knows_signs<min_plus<float>>("min_plus") && knows_signs<max_plus<float>>("max_plus") &&
              knows_signs<min_times<float>>("min_times") && knows_signs<max_times<float>>("max_times") &&
              knows_signs<min_max<float>>("min_max") && knows_signs<max_min<float>>("max_min"));

// A library of kernels stays: launches of it may be in flight until the process ends.
bool load(const nvrtc::compiled& from, std::vector<const void*>& kernels) {
  // The driver reads a binary by words, and PTX up to a zero.
  std::vector<std::uint64_t> code(from.code.size() / sizeof(std::uint64_t) + 1);
  std::memcpy(code.data(), from.code.data(), from.code.size());
  cudaLibrary_t library{};
  cudaError_t came = cudaLibraryLoadData(&library, code.data(), nullptr, nullptr, 0, nullptr, nullptr, 0);
  kernels.clear();
  for (const std::string& name : from.names) {
    cudaKernel_t kernel{};
    if (came == cudaSuccess) came = cudaLibraryGetKernel(&kernel, library, name.c_str());
    kernels.push_back(reinterpret_cast<const void*>(kernel));
  }
  if (came != cudaSuccess) cudaGetLastError();
  return came == cudaSuccess;
}

}  // namespace

const std::vector<const void*>& ring_kernels::of(const ring_part& part, int capability) {
  const std::lock_guard lock(mutex_);
  auto& kernels = loaded_[{capability, part ? static_cast<int>(*part) : -1}];
  if (kernels.empty() && !load(code(part, capability, false), kernels) &&
      !load(code(part, capability, true), kernels)) {
    kernels.clear();
    throw error(fault_code::device, std::string("CUDA: the driver does not load what NVRTC made of ") + facts_.name +
                                        ": an NVRTC that is no newer than the driver is needed");
  }
  return kernels;
}

template <class T>
std::string assertions_for() {
  using S = any_ring<T>;
  using G = gemm_arguments<S>;
  using atom = any_atom<T, 1>;
  const auto assertion = [](const char* type, std::size_t bytes) {
    return std::string("static_assert(sizeof(") + type + ") == " + std::to_string(bytes) + ");\n";
  };
  return assertion("simt_arguments<plain_atom<ring>, gemm_arguments<ring>>", sizeof(simt_arguments<atom, G>)) +
         assertion("pack_pair<plain_atom<ring>, ring::value_type>", sizeof(pack_pair<atom, T>)) +
         assertion("inspection<ring::value_type>", sizeof(inspection<T>)) +
         assertion("combine_shape", sizeof(combine_shape)) + assertion("gemm_findings", sizeof(gemm_findings));
}

template <class T>
void launch_gemm(const context& ctx, const gemm_arguments<any_ring<T>>& asked, ring_kernels& ring) {
  const gpu::on_device here(ctx.device()->ordinal);
  const ring_facts& facts = ring.facts();
  gemm_arguments<any_ring<T>> g = asked;
  g.check_domain = g.check_domain && facts.has_domain;
  const bool sm_90 = ctx.device()->capability >= 90, with_witness = g.witness != nullptr;
  const workload usual = usual_row_of(sizeof(T), facts.is_selective, with_witness);
  const workload row =
      with_witness ? usual
                   : select_simt_row(usual, false, g.m, g.n, g.k, g.batch, sm_90, ctx.device()->multiprocessors);
  const auto run = [&]<int Depth>() {
    const index_t at_once = simt_batch<any_atom<T, Depth>>(row_of(row).policy, g);
    if (at_once == 0) refuse_extents(g.m, g.n, g.k);
    launch_in_parts(g, at_once, [&](const auto& part) { ring_product<T, Depth>(ctx, part, ring, row).run(); });
  };
  // Operands of one sign are taken two at a time.
  if (facts.signs.non_negative && row_of(row).policy.copy != copies::strided) run.template operator()<2>();
  else run.template operator()<1>();
}

#define KLEENE_RING_TYPE(type)                 \
  template std::string assertions_for<type>(); \
  template void launch_gemm<type>(const context&, const gemm_arguments<any_ring<type>>&, ring_kernels&);
KLEENE_RING_TYPE(float)
KLEENE_RING_TYPE(double)
KLEENE_RING_TYPE(std::int32_t)
KLEENE_RING_TYPE(std::int64_t)
#undef KLEENE_RING_TYPE

}  // namespace kleene::kernels::cuda
