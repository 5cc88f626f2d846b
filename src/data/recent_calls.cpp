#include "kleene/data/detail/recent_calls.hpp"

#include "kleene/data/context.hpp"

#include <algorithm>
#include <utility>

namespace kleene::detail {

namespace {
thread_local const recent_calls* named = nullptr;  // those of the context that this thread works on
}

std::string to_text(const call_name& call) {
  std::string text = call.operation;
  for (const char* word : {call.algebra, call.type})
    if (*word) text += std::string(" ") + word;
  const char* before = " ";
  for (const index_t extent : call.extents)
    if (extent >= 0) text += std::exchange(before, "x") + std::to_string(extent);
  return call.batch == 1 ? text : text + ", batch of " + std::to_string(call.batch);
}

std::string recent_calls::text() const {
  const index_t first = std::max(settled_, count_ - kept);
  std::string all = first > settled_ ? std::to_string(first - settled_) + " earlier ones" : "";
  for (index_t i = first; i < count_;) {
    const std::string one = to_text(calls_[i % kept]);
    index_t times = 0;
    while (i < count_ && to_text(calls_[i % kept]) == one) ++times, ++i;
    all += (all.empty() ? "" : ", ") + one + (times > 1 ? " (" + std::to_string(times) + " times)" : "");
  }
  return all;
}

naming_calls::naming_calls(const recent_calls& calls) noexcept : before_(std::exchange(named, &calls)) {}
naming_calls::~naming_calls() { named = before_; }

std::string suspected_calls() {
  const std::string calls = named ? named->text() : "";
  if (calls.empty()) return "";
  return "; of this context's calls it may be " + calls +
         (sync_enabled() ? "" : " (with KLEENE_SYNC=1 each waits, and throws itself)");
}

device_call::device_call(const context& ctx, const call_name& name) noexcept : ctx_(ctx), naming_(calls_of(ctx)) {
  calls_of(ctx).begin(name);
}
device_call::~device_call() {
  if (!ended_) calls_of(ctx_).end();
}

void device_call::finish() {
  calls_of(ctx_).end();
  ended_ = true;
  if (!sync_enabled() || ctx_.kind() != device_kind::cuda || calls_of(ctx_).in_call()) return;
  if (!backend.captures(queue_of(ctx_).get())) ctx_.synchronise();
}

}  // namespace kleene::detail
