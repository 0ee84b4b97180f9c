#include "optimized/native/native_loops.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <limits>
#include <utility>

#include "optimized/native/loop_source.h"
#include "optimized/native/loop_values.h"
#include "optimized/native/native_library.h"
#include "optimized/straight/code_loops.h"

namespace tagflow::optimized {
namespace {

constexpr int64_t kNever = std::numeric_limits<int64_t>::max();
constexpr char kFunction[] = "loop";

// ---- What time is expected to go where, in nanoseconds ----

// An instruction, interpreted: as little as it takes on a quick machine, so that nowhere a loop is
// compiled too soon. (4.4 on a Xeon of 2023.)
constexpr double kInterpretedNs = 3;
// Compiling a loop: at least, for each of its instructions, and for the first in a process, which
// opens the library. (A Xeon of 2023: 5 ms for 6 instructions, 10 for 30, 14 for 50.)
constexpr double kCompileNs = 4e6, kCompileInstructionNs = 2e5, kOpenNs = 2e7;
// A loop is compiled once it has run interpreted for so many times as long as compiling takes.
constexpr double kPaysAfter = 10;
// How long a step runs a loop until it tells the others, and asks whether there is code now.
constexpr double kLookNs = 50e3;
// Heads of a loop until a step asks again, where the values did not suit.
constexpr int64_t kRetryHeads = 256;
// A loop that cannot be compiled for its values is given up after so many attempts.
constexpr int kMostAttempts = 8;
// For how many kinds of values a loop is compiled.
constexpr size_t kMostKinds = 4;
// Instructions of a loop that is compiled: the time that takes grows faster than their number.
constexpr uint32_t kMostInstructions = 2'000;

std::string Milliseconds(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f ms", seconds * 1e3);
  return text;
}

}  // namespace

struct NativeLoops::Compiled {
  // Whether these slots hold scalars where it has registers.
  bool Suits(const std::vector<Tensor>& slots) const {
    return std::ranges::all_of(values, [&](const NativeValue& value) {
      const Tensor& now = slots[value.slot];
      if (!now.has_value()) return value.is_written;
      return now.is_inline() && now.dtype() == value.dtype;
    });
  }

  NativeCode code;
  std::vector<NativeValue> values;
  // Of the code for other values, made before this; null: none.
  const Compiled* other = nullptr;
  std::string listing = {};  // where the options want it
};

struct NativeLoops::Loop {
  LoopBounds bounds;
  int32_t around = -1;  // the loop that it is in
  double head_ns = 0;   // of what may become quicker in an iteration, without the loops in it

  std::atomic<double> spent_ns = 0;     // interpreted, with the loops in it
  std::atomic<double> compiled_ns = 0;  // that it took to compile it and the loops in it
  std::atomic<int64_t> heads = 0;       // that were interpreted
  // Of steps without and with a limit of firings.
  std::array<std::atomic<const Compiled*>, 2> code = {};
  std::atomic<bool> is_given_up = false;

  // Guarded by compiling_.
  std::vector<std::unique_ptr<const Compiled>> kept;
  int attempts = 0;
  std::string why_not;

  double CompileNs() const {
    return kCompileNs + kCompileInstructionNs * (bounds.repeat - bounds.head + 1) +
           (NativeLibrary::IsOpen() ? 0 : kOpenNs);
  }
};

NativeLoops::NativeLoops(const ListedCall& origin, Code& code,
                         const std::function<const KernelPart*(NodeId)>& find_part,
                         const NativeOptions& options)
    : origin_(origin), code_(code), options_(options) {
  const std::vector<CodeLoop> found = FindLoops(code);
  if (found.empty()) return;
  parts_.resize(code.instructions.size());
  // Of the instructions before each: those that machine code may make quicker.
  std::vector<uint32_t> quickened(code.instructions.size() + 1);
  for (size_t i = 0; i < parts_.size(); ++i) {
    const Instruction& at = code.instructions[i];
    const bool is_call = at.op == OpCode::kCall;
    if (is_call && at.node != NodeId::kNone) parts_[i] = find_part(at.node);
    quickened[i + 1] = quickened[i] + (!is_call || parts_[i] != nullptr ? 1 : 0);
  }
  std::vector<int32_t> outermost;  // of those met so far
  for (const CodeLoop& bounds : found) {
    const auto number = static_cast<int32_t>(loops_.size());
    const auto within = [&](const LoopBounds& loop) {
      return quickened[loop.repeat + 1] - quickened[loop.head];
    };
    auto loop = std::make_unique<Loop>();
    loop->bounds = {bounds.head, bounds.repeat};
    uint32_t own = within(loop->bounds);
    // A loop comes after those in it.
    while (!outermost.empty() && loop_at(outermost.back()).bounds.head >= bounds.head) {
      Loop& inner = loop_at(outermost.back());
      inner.around = number;
      own -= within(inner.bounds);
      outermost.pop_back();
    }
    outermost.push_back(number);
    loop->head_ns = kInterpretedNs * own;
    code.instructions[bounds.repeat].loop = number;
    if (bounds.head > 0) {
      Instruction& before = code.instructions[bounds.head - 1];
      if (before.op == OpCode::kEnter) before.loop = number;
    }
    loops_.push_back(std::move(loop));
  }
}

NativeLoops::~NativeLoops() = default;

bool NativeLoops::is_compiled(int32_t number) const {
  const Loop& loop = loop_at(number);
  return loop.code[0] != nullptr || loop.code[1] != nullptr;
}

int64_t NativeLoops::Patience(int32_t number) const {
  const Loop& loop = loop_at(number);
  if (is_compiled(number)) return 0;
  if (loop.is_given_up) return kNever;
  if (options_.choice == NativeChoice::kAlways) {
    return std::max<int64_t>(0, options_.after - loop.heads);
  }
  if (IsWorthwhile(loop)) return 0;
  return 1 + static_cast<int64_t>(kLookNs / loop.head_ns);
}

void NativeLoops::Note(int32_t number, int64_t heads) {
  loop_at(number).heads += heads;
  const double ns = static_cast<double>(heads) * loop_at(number).head_ns;
  for (int32_t i = number; i >= 0; i = loop_at(i).around) {
    loop_at(i).spent_ns.fetch_add(ns, std::memory_order_relaxed);
  }
}

bool NativeLoops::IsWorthwhile(const Loop& loop) const {
  if (options_.choice == NativeChoice::kAlways) return loop.heads >= options_.after;
  return loop.spent_ns >= kPaysAfter * (loop.CompileNs() + loop.compiled_ns);
}

const NativeLoops::Compiled* NativeLoops::FindFor(const Loop& loop, const NativePlace& place) {
  const Compiled* found = loop.code[place.counts_firings];
  while (found != nullptr && !found->Suits(place.slots)) found = found->other;
  return found;
}

std::optional<int32_t> NativeLoops::Run(int32_t number, int64_t heads, NativePlace& place) {
  Loop& loop = loop_at(number);
  if (heads > 0) Note(number, heads);
  const Compiled* compiled = FindFor(loop, place);
  if (compiled == nullptr && !loop.is_given_up && IsWorthwhile(loop)) {
    compiled = Compile(number, place);
  }
  if (compiled == nullptr) return std::nullopt;
  return compiled->code.function(place.slots.data(), place.iterations, &place.fuel, place.stop,
                                 &place.host);
}

const NativeLoops::Compiled* NativeLoops::Compile(int32_t number, const NativePlace& place) {
  Loop& loop = loop_at(number);
  std::unique_lock lock(compiling_, std::try_to_lock);
  if (!lock.owns_lock()) return nullptr;  // another step compiles: this one goes on interpreted
  if (const Compiled* const found = FindFor(loop, place)) return found;
  if (loop.is_given_up) return nullptr;
  Result<Compiled> made = Make(loop, place);
  if (!made.ok()) {
    loop.why_not = made.status().message();
    const bool is_for_good = made.status().code() != tagflow::Code::kFailedPrecondition;
    loop.is_given_up = is_for_good || ++loop.attempts == kMostAttempts;
    return nullptr;
  }
  for (int32_t i = number; i >= 0; i = loop_at(i).around) {
    loop_at(i).compiled_ns.fetch_add(made->code.seconds * 1e9, std::memory_order_relaxed);
  }
  loop.why_not.clear();
  auto& newest = loop.code[place.counts_firings];
  made->other = newest;
  loop.kept.push_back(std::make_unique<const Compiled>(*std::move(made)));
  newest = loop.kept.back().get();
  return newest;
}

Result<NativeLoops::Compiled> NativeLoops::Make(const Loop& loop, const NativePlace& place) const {
  const NativeLibrary* const library = NativeLibrary::Get();
  if (library == nullptr) return Unimplemented(NativeLibrary::WhyNot());
  if (loop.kept.size() == kMostKinds) return FailedPrecondition("its values are of many kinds");
  if (loop.bounds.repeat - loop.bounds.head >= kMostInstructions) {
    return Unimplemented("it has more than " + std::to_string(kMostInstructions) + " instructions");
  }
  const HasBody has_body = [library](const std::string& name) { return library->HasBody(name); };
  const LoopToCompile to_compile = {code_, loop.bounds, parts_, has_body, place.counts_firings};
  LoopValues values(to_compile);
  TAGFLOW_RETURN_IF_ERROR(values.Look(place.slots));
  if (values.has_unknown() && loop.attempts == 0) {
    return FailedPrecondition("some of its values were not known yet");
  }
  const std::string source = WriteLoop(to_compile, values, kFunction);
  TAGFLOW_ASSIGN_OR_RETURN(NativeCode code, library->Compile(source, kFunction));
  Compiled compiled{std::move(code), values.values()};
  if (options_.lists_loops) compiled.listing = ListLoop(origin_, to_compile, values);
  if (options_.lists_ir) {
    TAGFLOW_ASSIGN_OR_RETURN(const std::string optimized, library->Optimized(source));
    compiled.listing += "\n" + optimized;
  }
  return compiled;
}

std::vector<std::string> NativeLoops::Notes() const {
  std::lock_guard lock(compiling_);
  std::vector<std::string> notes;
  for (const auto& loop : loops_) {
    const NodeId node = code_.instructions[loop->bounds.repeat].node;
    const std::string name =
        node == NodeId::kNone ? "a loop" : "the loop of '" + origin_.graph.node(node).name + "'";
    if (!loop->kept.empty()) {
      double seconds = 0;
      for (const auto& compiled : loop->kept) seconds += compiled->code.seconds;
      notes.push_back(name + " is machine code, compiled in " + Milliseconds(seconds));
      for (const auto& compiled : loop->kept) {
        if (!compiled->listing.empty()) notes.push_back(compiled->listing);
      }
    } else if (!loop->why_not.empty()) {
      notes.push_back(name + " is interpreted: " + loop->why_not);
    }
  }
  return notes;
}

NativeStep::NativeStep(NativeLoops* loops) : loops_(loops) {
  if (loops == nullptr) return;
  waits_.reserve(loops->size());
  for (size_t i = 0; i < loops->size(); ++i) {
    const int64_t patience = loops->Patience(static_cast<int32_t>(i));
    waits_.push_back({patience, patience});
  }
}

NativeStep::~NativeStep() {
  for (size_t i = 0; i < waits_.size(); ++i) {
    const int64_t heads = waits_[i].from - waits_[i].left;
    if (heads > 0) loops_->Note(static_cast<int32_t>(i), heads);
  }
}

std::optional<int32_t> NativeStep::Run(int32_t loop, NativePlace& place) {
  Wait& wait = waits_[static_cast<size_t>(loop)];
  const std::optional<int32_t> next = loops_->Run(loop, wait.from - wait.left, place);
  if (next) {
    wait = {0, 0};
  } else {
    const int64_t patience = loops_->Patience(loop);
    const bool is_compiled = loops_->is_compiled(loop);
    wait.from = wait.left = is_compiled ? std::max(patience, kRetryHeads) : patience;
  }
  return next;
}

}  // namespace tagflow::optimized
