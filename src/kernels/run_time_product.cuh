// One product over a ring at run time: what gemm/simt/launch.cuh does with kernels that nvcc compiled.
#pragma once

#include "kernels/run_time_gemm.hpp"
#include "kleene/algebra/catalog.hpp"
#include "kleene/gpu/host/launch.cuh"
#include "kleene/kernels/cuda/gemm/select.hpp"
#include "kleene/kernels/cuda/gemm/simt/describe.hpp"
#include "kleene/kernels/cuda/gemm/simt/enqueue.cuh"
#include "kleene/kernels/cuda/gemm/simt/operands/checks.cuh"

#include <utility>

namespace kleene::kernels::cuda {

// As far as the host goes, all atoms of four and eight bytes are alike but for the steps of k that they do at once.
template <class T, int Depth>
struct any_atom {
  using operand = T;
  using accumulator = T;
  static constexpr int lanes = 1, depth = Depth;
};

template <class... Parameters>
void launch_loaded(const void* kernel, const gpu::launch_config& config, const Parameters&... parameters) {
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

// Where a product of a closure is: rows and columns of C that it leaves out, and what stops it (findings.hpp).
struct product_place {
  excluded_range rows{}, cols{};
  const int* stop = nullptr;
};

// One product, or several of a batch, with a row's kernels.
template <class T, int Depth>
class ring_product {
  using S = any_ring<T>;
  using G = gemm_arguments<S>;
  using atom = any_atom<T, Depth>;

 public:
  ring_product(const context& ctx, const G& g, ring_kernels& ring, workload row, const product_place& place = {})
      : ctx_(ctx),
        g_(g),
        facts_(ring.facts()),
        place_(place),
        row_(row),
        policy_(row_of(row).policy),
        packed_(policy_.copy != copies::strided),
        passes_(ring.of({ring_part::operands}, ctx.device()->capability)),
        products_(ring.of({ring_part::products, row}, ctx.device()->capability)),
        plan_(plan_simt<atom>(policy_, g.witness != nullptr, g, policy_.blocks * ctx.device()->multiprocessors)),
        workspace_(ctx.workspace(plan_.bytes)),
        found_(plan_.findings.in(workspace_)),
        checks_(checks_here()),
        arguments_(arguments_simt<atom>(policy_, tile_steps(policy_, operand_run<atom>).run_n, g, plan_, workspace_)) {
    arguments_.checks = checks_, arguments_.overflow = &found_->overflow;
    arguments_.excluded_rows = place.rows, arguments_.excluded_cols = place.cols;
    const index_t run = tile_steps(policy_, operand_run<atom>).run_n;
    arguments_.store_runs =
        arguments_.store_runs && place.cols.size % run == 0 && (place.cols.size == 0 || place.cols.first % run == 0);
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
      launch_loaded(products_[k],
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

  gemm_checks checks_here() const {
    gemm_checks checks = checks_for(g_, found_, packed_ && (facts_.signs.non_negative || facts_.signs.non_positive));
    checks.stop = place_.stop;
    return checks;
  }

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
    launch_loaded(passes_[2], {p.first_block[3], inspect_threads, 0, stream()}, p, reports);
  }

  void pack(bool looks) const {
    const auto& p = arguments_;
    operand_source<T> a = source_a<S>(g_), b = source_b<S>(g_);
    a.excluded = place_.rows, b.excluded = place_.cols;
    const pack_pair<atom, T> pair{{{a, p.a, policy_.bm, p.depth, p.lines_a, p.line_depth},
                                   {b, p.b, policy_.bn, p.depth, p.lines_b, p.line_depth}},
                                  looks ? found_->reports : nullptr};
    if (pair.blocks() > 0) launch_loaded(passes_[0], {pair.blocks(), pack_threads, 0, stream(), looks}, pair);
  }

  void join(const void* combine, index_t tiles) const {
    const combine_shape shape(policy_, operand_run<atom>, plan_.splits, most_combine_parts<atom>);
    launch_loaded(combine,
                  {shape.blocks(gpu::grid_of(tiles), combine_width<atom>), shape.threads(), 0, stream(), packed_},
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
  const product_place place_;
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

// Calls work.operator()<Depth>(): kernels for operands of one sign take two steps of k at once.
template <class T, class Work>
void with_product(const ring_facts& facts, workload row, const Work& work) {
  if (facts.signs.non_negative && row_of(row).policy.copy != copies::strided) work.template operator()<2>();
  else work.template operator()<1>();
}

}  // namespace kleene::kernels::cuda
