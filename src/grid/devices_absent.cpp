// What a library without CUDA has in place of this room's .cu files. No grid of devices comes to be there.
#include "grid/device_links.hpp"
#include "grid/nccl_carrier.hpp"
#include "kleene/grid/detail/device_predecessors.hpp"
#include "kleene/grid/detail/device_share.hpp"
#include "kleene/grid/detail/device_stream.hpp"
#include "kleene/grid/ranks/panels.hpp"

namespace kleene {

bool can_reach_peer(int, int) { return false; }
void allow_peer_access(const std::vector<int>&) { detail::refuse_cuda(); }
std::unique_ptr<communicator> make_device_communicator(hub&, const grid_place&, int) { detail::refuse_cuda(); }

namespace detail {
device_scope::device_scope(int) { refuse_cuda(); }
device_scope::~device_scope() = default;
device_stream::device_stream() { refuse_cuda(); }
device_stream::~device_stream() = default;
device_event::device_event() { refuse_cuda(); }
device_event::~device_event() = default;
void device_event::record(cuda_stream) { refuse_cuda(); }
void device_event::delay(cuda_stream) const { refuse_cuda(); }
void device_event::wait() const { refuse_cuda(); }
device_timer::~device_timer() = default;
void device_timer::begin(cuda_stream) { refuse_cuda(); }
void device_timer::end(cuda_stream) { refuse_cuda(); }
double device_timer::seconds() { return 0; }
pinned_range::pinned_range(void*, std::size_t) { refuse_cuda(); }
pinned_range::~pinned_range() = default;
std::unique_ptr<panel_carrier> make_host_carrier(communicator&, const grid_place&) { refuse_cuda(); }

void place_columns(const context&, const column_pieces&) { refuse_cuda(); }
void follow_chains(const context&, const chain_arguments&) { refuse_cuda(); }

#define KLEENE_ELEMENT(type)                        \
  template <>                                       \
  share_hasher<type> hash_share_on_device<type>() { \
    return nullptr;                                 \
  }
#include "kleene/grid/detail/elements.def"
#undef KLEENE_ELEMENT

#define KLEENE_ROW(algebra, type)                                              \
  template <>                                                                  \
  refused_finder<type> find_refused_on_device<algebra<type>>() {               \
    return nullptr;                                                            \
  }                                                                            \
  template <>                                                                  \
  const predecessor_kernels<type>* find_predecessor_kernels<algebra<type>>() { \
    return nullptr;                                                            \
  }
#include "kleene/algebra/catalog.def"
#undef KLEENE_ROW
}  // namespace detail

}  // namespace kleene
