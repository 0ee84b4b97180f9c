#include "optimized/native/native_loops.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cctype>
#include <cstdio>
#include <limits>
#include <utility>

#include "graph/out_of_memory.h"
#include "optimized/limits.h"
#include "optimized/native/loop_source.h"
#include "optimized/native/loop_trips.h"
#include "optimized/native/loop_values.h"
#include "optimized/native/native_library.h"
#include "optimized/native/scout.h"
#include "optimized/straight/code_loops.h"
#include "optimized/straight/code_pieces.h"

namespace tagflow::optimized {
namespace {

constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

// How long a step runs a loop until it tells the others, and asks whether there is code now.
constexpr double kLookNs = 50e3;
// Heads of a loop until a step asks again, where the values did not suit.
constexpr int64_t kRetryHeads = 256;
// A loop that cannot be compiled for its values is given up after so many attempts.
constexpr int kMostAttempts = 8;
// Iterations that are looked at, where none was run to its end.
constexpr int kMostLooks = 4;
// For how many kinds of values a loop is compiled; the last of them takes tensors of any shape.
constexpr size_t kMostKinds = 4;
// Instructions of a piece: to be worth a call of machine code, and so that compiling one does not
// hold up a step for long. Where all is to be compiled, small ones are, too.
constexpr uint32_t kLeastInPiece = 64, kLeastInPieceAlways = 4, kMostInPiece = 512;

// Compiling with little effort warms no cache for the other.
CompilePace& PaceOfProcess(const CompileWork& work) {
  static CompilePace little, full;
  return work.takes_little ? little : full;
}

std::string Milliseconds(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f ms", seconds * 1e3);
  return text;
}

}  // namespace

struct NativeLoops::Loop {
  LoopBounds bounds;
  bool is_piece = false;
  int32_t around = -1;  // the loop that it is in
  double head_ns = 0;   // of what may become quicker in an iteration, without the loops in it
  CompileWork work;
  std::optional<LoopTrips> trips;

  std::atomic<double> noted_ns = 0;  // spent interpreting it and the loops in it; of a piece: none
  std::atomic<double> compiled_ns = 0;  // that it took to compile it and the loops in it
  std::atomic<int64_t> heads = 0;       // that were interpreted; of a piece, all
  std::atomic<int64_t> due_after = 0;   // of a piece: heads before a step asks for code
  // Of steps without and with a limit of firings.
  std::array<std::atomic<const CompiledLoop*>, 2> code = {};
  std::atomic<bool> is_given_up = false;
  std::atomic<bool> has_changing_shapes = false;  // within a step
  std::atomic<int> looks = 0;                     // iterations that were looked at
  std::atomic<uint32_t> tensors = 0;              // that were seen in them

  // Guarded by compiling_, but for the state of `beside`.
  CodeBeside beside;
  std::vector<std::unique_ptr<const CompiledLoop>> kept;
  SeenTypes seen;
  int attempts = 0;
  std::string why_not;

  double SpentNs() const {
    return is_piece ? static_cast<double>(heads) * head_ns : noted_ns.load();
  }
  double ExpectedNsToCompile() const {
    CompileWork known = work;
    known.tensors = tensors;
    return ExpectedCompileNs(known);
  }
  // Another time, where it was compiled before. Beside the step nobody waits for the library.
  double CompileNs() const {
    return PaceOfProcess(work).Expected(ExpectedNsToCompile(), NativeLibrary::OpenedNs()) +
           compiled_ns;
  }
  double CompileNsBeside() const { return ExpectedNsToCompile() + compiled_ns; }
  // What interpreting the iterations that are left takes, with the loops in them; 0: not known.
  double LeftNs(const NativePlace& place) const {
    if (!trips || heads == 0) return 0;
    return static_cast<double>(trips->Left(place.slots)) * noted_ns / static_cast<double>(heads);
  }
};

// Of the instructions before each of the code and one more.
struct NativeLoops::Counts {
  uint32_t QuickenedIn(const LoopBounds& bounds) const {
    return quickened[bounds.last + 1] - quickened[bounds.head];
  }
  uint32_t AccessesIn(const LoopBounds& bounds) const {
    return accesses[bounds.last + 1] - accesses[bounds.head];
  }

  std::vector<uint32_t> quickened = {0};  // those that machine code may make quicker
  std::vector<uint32_t> accesses = {0};   // of elements
};

NativeLoops::NativeLoops(const ListedCall& origin, Code& code,
                         const std::function<const KernelPart*(NodeId)>& find_part,
                         const NativeOptions& options, IdleThreads* idle_threads)
    : origin_(origin),
      code_(code),
      options_(options),
      idle_threads_(options.choice == NativeChoice::kAlways ? nullptr : idle_threads) {
  const bool is_always = options.choice == NativeChoice::kAlways;
  const std::vector<CodePiece> pieces =
      MarkPieces(is_always ? kLeastInPieceAlways : kLeastInPiece, kMostInPiece, code);
  const std::vector<CodeLoop> found = FindLoops(code);
  if (found.empty() && pieces.empty()) return;
  Counts counts;
  for (const Instruction& at : code.instructions) {
    const bool is_call = at.op == OpCode::kCall;
    const bool has_node = at.node != NodeId::kNone;
    const KernelPart* const part = is_call && has_node ? find_part(at.node) : nullptr;
    const bool is_access = part != nullptr && std::holds_alternative<ElementPart>(*part);
    parts_.push_back(part);
    counts.quickened.push_back(counts.quickened.back() + (!is_call || part != nullptr ? 1 : 0));
    counts.accesses.push_back(counts.accesses.back() + (is_access ? 1 : 0));
  }
  for (const CodeLoop& loop : found) AddLoop({loop.head, loop.repeat}, counts, code);
  first_piece_ = static_cast<int32_t>(loops_.size());
  for (const CodePiece& piece : pieces) AddPiece({piece.first, piece.last}, counts, code);
}

void NativeLoops::AddLoop(const LoopBounds& bounds, const Counts& counts, Code& code) {
  const auto number = static_cast<int32_t>(loops_.size());
  auto loop = std::make_unique<Loop>();
  loop->bounds = bounds;
  const uint32_t accesses = counts.AccessesIn(bounds);
  loop->work = {bounds.is_long() || accesses > kMostAccesses, bounds.size(), accesses};
  uint32_t own = counts.QuickenedIn(bounds);
  // A loop comes after those in it.
  for (int32_t i = number - 1; i >= 0 && loop_at(i).bounds.head >= bounds.head; --i) {
    if (loop_at(i).around >= 0) continue;
    loop_at(i).around = number;
    own -= counts.QuickenedIn(loop_at(i).bounds);
  }
  loop->head_ns = kInterpretedNs * own;
  loop->trips = LoopTrips::Of(code, bounds, parts_);
  code.instructions[bounds.last].loop = number;
  if (bounds.head > 0) {
    Instruction& before = code.instructions[bounds.head - 1];
    if (before.op == OpCode::kEnter) before.loop = number;
  }
  loops_.push_back(std::move(loop));
}

void NativeLoops::AddPiece(const LoopBounds& bounds, const Counts& counts, Code& code) {
  auto piece = std::make_unique<Loop>();
  piece->bounds = bounds;
  piece->is_piece = true;
  piece->work = {true, bounds.size(), 0};
  piece->head_ns = kInterpretedNs * std::max<uint32_t>(1, counts.QuickenedIn(bounds));
  const double due_ns = idle_threads_ == nullptr ? kPaysAfter * piece->CompileNs()
                                                 : kPaysBeside * piece->CompileNsBeside();
  piece->due_after = options_.choice == NativeChoice::kAlways
                         ? options_.after
                         : static_cast<int64_t>(due_ns / piece->head_ns);
  code.instructions[bounds.head - 1].loop = static_cast<int32_t>(loops_.size());
  loops_.push_back(std::move(piece));
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
  const CodeBeside::State beside = loop.beside.state();
  const bool is_due = beside == CodeBeside::State::kMade || IsWorthAnIdleThread(loop) ||
                      (beside == CodeBeside::State::kNone && IsWorthwhile(loop, nullptr));
  if (is_due) return 0;
  constexpr double kLeastShare = 1e-3;  // of branches that are all dead
  const double share = std::max(time_share_.share(), kLeastShare);
  return 1 + static_cast<int64_t>(kLookNs / (loop.head_ns * share));
}

double NativeLoops::Note(int32_t number, int64_t heads) {
  loop_at(number).heads += heads;
  const double ns = ExpectedNs(number, heads);
  for (int32_t i = number; i >= 0; i = loop_at(i).around) {
    loop_at(i).noted_ns.fetch_add(ns, std::memory_order_relaxed);
  }
  return ns;
}

bool NativeLoops::IsPieceDue(int32_t number) {
  Loop& piece = loop_at(number);
  return piece.heads.fetch_add(1, std::memory_order_relaxed) >=
         piece.due_after.load(std::memory_order_relaxed);
}

double NativeLoops::ExpectedNs(int32_t number, int64_t heads) const {
  return static_cast<double>(heads) * loop_at(number).head_ns;
}

bool NativeLoops::IsWorthwhile(const Loop& loop, const NativePlace* place) const {
  if (options_.choice == NativeChoice::kAlways) return loop.heads >= options_.after;
  const double ns = std::max(loop.SpentNs(), place == nullptr ? 0 : loop.LeftNs(*place));
  return ns * time_share_.share() >= kPaysAfter * loop.CompileNs();
}

bool NativeLoops::IsWorthAnIdleThread(const Loop& loop) const {
  if (idle_threads_ == nullptr || loop.is_given_up) return false;
  return loop.beside.state() == CodeBeside::State::kNone &&
         loop.SpentNs() * time_share_.share() >= kPaysBeside * loop.CompileNsBeside() &&
         idle_threads_->HasIdle();
}

const CompiledLoop* NativeLoops::FindFor(const Loop& loop, const NativePlace& place) {
  const CompiledLoop* for_any_shape = nullptr;
  for (const CompiledLoop* code = loop.code[place.counts_firings]; code != nullptr;
       code = code->other) {
    const bool is_usable = code->tensors.empty() || !loop.has_changing_shapes;
    if (!is_usable || !code->Suits(place.slots, place.done)) continue;
    if (!code->tensors.empty()) return code;
    for_any_shape = code;
  }
  return for_any_shape;
}

std::optional<int32_t> NativeLoops::Run(int32_t number, int64_t heads, NativePlace& place) {
  Loop& loop = loop_at(number);
  const CompiledLoop* compiled = FindFor(loop, place);
  if (compiled == nullptr) {
    if (heads > 0) Note(number, heads);
    std::optional<int32_t> next;
    compiled = Obtain(number, place, next);
    if (next) return next;
  }
  if (compiled == nullptr) return std::nullopt;
  place.host.tensors = compiled->tensors.data();
  const int32_t next = compiled->code.loop()(place.slots.data(), place.iterations, &place.fuel,
                                             place.stop, &place.host);
  const bool is_at_end = next == static_cast<int32_t>(loop.bounds.last) + 1;
  if (loop.is_piece && is_at_end) place.done[static_cast<size_t>(number)] = compiled;
  if (!is_at_end && !compiled->SuitsTensors(place.slots)) loop.has_changing_shapes = true;
  return next;
}

std::optional<int32_t> NativeLoops::LookAt(int32_t number, NativePlace& place) {
  Loop& loop = loop_at(number);
  if (loop.work.takes_little || loop.looks >= kMostLooks) return std::nullopt;
  const auto is_empty = [&](uint32_t slot) { return !place.slots[slot].has_value(); };
  bool has_unknown = false;
  for (uint32_t at = loop.bounds.head; at < loop.bounds.last; ++at) {
    VisitSlots(
        code_.instructions[at], code_.args, code_.outputs, [](const Arg&) {},
        [&](uint32_t slot) { has_unknown = has_unknown || is_empty(slot); });
  }
  if (!has_unknown) return std::nullopt;
  SeenTypes seen;
  const int32_t next = RunScout(code_, loop.bounds, place, seen);
  std::unique_lock lock(compiling_, std::try_to_lock);
  if (!lock.owns_lock()) return next;  // another step compiles: this one is not to wait
  const bool is_whole = next == static_cast<int32_t>(loop.bounds.last);
  loop.looks = is_whole ? kMostLooks : loop.looks + 1;
  seen.merge(loop.seen);
  loop.seen = std::move(seen);
  // It may take longer to compile than was expected.
  loop.tensors = static_cast<uint32_t>(std::ranges::count_if(
      loop.seen, [](const auto& slot) { return IsSmallTensor(slot.second); }));
  return next;
}

const CompiledLoop* NativeLoops::Obtain(int32_t number, NativePlace& place,
                                        std::optional<int32_t>& next) {
  Loop& loop = loop_at(number);
  const CodeBeside::State beside = loop.beside.state();
  if (beside == CodeBeside::State::kMade) return TakeMade(number, place);
  const bool is_being_made = beside == CodeBeside::State::kMaking;
  const bool is_for_idle = IsWorthAnIdleThread(loop);
  const bool is_worthwhile =
      is_for_idle || (!loop.is_given_up && !is_being_made && IsWorthwhile(loop, &place));
  const bool is_for_later =
      loop.is_piece && place.has_compiled_piece && options_.choice != NativeChoice::kAlways;
  const CompiledLoop* compiled = nullptr;
  if (is_worthwhile && !is_for_later) {
    next = LookAt(number, place);
    if (next) return nullptr;
    compiled = Compile(number, place, is_for_idle);
  }
  if (loop.is_given_up) {
    loop.due_after = kNever;
  } else if (is_being_made) {
    loop.due_after = loop.heads + loop.heads / 16;
  } else if (!is_worthwhile && !is_compiled(number)) {
    loop.due_after = loop.heads + loop.heads / 4;
  }
  return compiled;
}

const CompiledLoop* NativeLoops::Compile(int32_t number, NativePlace& place, bool is_for_idle) {
  Loop& loop = loop_at(number);
  std::unique_lock lock(compiling_, std::try_to_lock);
  if (!lock.owns_lock()) return nullptr;  // another step compiles: this one goes on interpreted
  if (const CompiledLoop* const found = FindFor(loop, place)) return found;
  if (loop.is_given_up || loop.beside.state() != CodeBeside::State::kNone) return nullptr;
  if (NativeLibrary::OpenedNs() == 0) {
    if (is_for_idle) {
      loop.beside.StartOpening(*idle_threads_);
      return nullptr;
    }
    // Where that took long, so will compiling.
    NativeLibrary::TryToOpen();
    if (!IsWorthwhile(loop, &place)) return nullptr;
  }
  Result<WrittenLoop> written = OrOutOfMemory([&] { return Write(number, place); });
  if (!written.ok()) {
    GiveUp(loop, written.status());
    return nullptr;
  }
  place.has_compiled_piece = place.has_compiled_piece || loop.is_piece;
  if (is_for_idle) {
    loop.beside.Start(*std::move(written), *idle_threads_);
    return nullptr;
  }
  Result<NativeCode> code = CompileWritten(*written);
  return Keep(number, *std::move(written), std::move(code), place);
}

const CompiledLoop* NativeLoops::TakeMade(int32_t number, const NativePlace& place) {
  Loop& loop = loop_at(number);
  std::unique_lock lock(compiling_, std::try_to_lock);
  if (!lock.owns_lock() || loop.beside.state() != CodeBeside::State::kMade) return nullptr;
  auto [written, code] = loop.beside.Take();
  written.loop.is_made_beside = true;
  return Keep(number, std::move(written), std::move(code), place);
}

const CompiledLoop* NativeLoops::Keep(int32_t number, WrittenLoop written, Result<NativeCode> code,
                                      const NativePlace& place) {
  Loop& loop = loop_at(number);
  if (!code.ok()) {
    GiveUp(loop, code.status());
    return nullptr;
  }
  PaceOfProcess(loop.work).Note(loop.ExpectedNsToCompile(), code->seconds * 1e9);
  for (int32_t i = number; i >= 0; i = loop_at(i).around) {
    loop_at(i).compiled_ns.fetch_add(code->seconds * 1e9, std::memory_order_relaxed);
  }
  loop.why_not.clear();
  // Other values are looked at again.
  loop.looks = 0;
  loop.seen.clear();
  FindGivers(number, written);
  auto& newest = loop.code[written.counts_firings];
  auto kept = std::make_unique<CompiledLoop>(std::move(written.loop));
  kept->code = *std::move(code);
  kept->other = newest;
  newest = kept.get();
  loop.kept.push_back(std::move(kept));
  return FindFor(loop, place);
}

void NativeLoops::GiveUp(Loop& loop, const Status& why) {
  loop.why_not = why.message();
  const bool may_be_otherwise = why.code() == tagflow::Code::kFailedPrecondition ||
                                why.code() == tagflow::Code::kResourceExhausted;
  loop.is_given_up = !may_be_otherwise || ++loop.attempts == kMostAttempts;
}

void NativeLoops::FindGivers(int32_t number, WrittenLoop& written) {
  CompiledLoop& compiled = written.loop;
  if (!loop_at(number).is_piece) {
    compiled.looked_at = compiled.values;
    return;
  }
  if (!writers_) {
    std::vector<LoopBounds> pieces;
    for (const auto& loop : loops_) {
      if (loop->is_piece) pieces.push_back(loop->bounds);
    }
    writers_.emplace(code_, pieces, first_piece_);
  }
  for (const NativeValue& value : compiled.values) {
    const int32_t writer = writers_->of(value.slot);
    // What nobody else writes is written here before it is read, and until then holds a scalar or
    // nothing, as every slot does where a step begins.
    if (writer == number) continue;
    const CompiledLoop* const giver = writer == SlotWriters::kNoPiece
                                          ? nullptr
                                          : loop_at(writer).code[written.counts_firings].load();
    if (giver == nullptr || !giver->Writes(value)) {
      compiled.looked_at.push_back(value);
      continue;
    }
    compiled.given.push_back(value);
    auto& givers = compiled.givers;
    const bool is_new =
        std::ranges::find(givers, writer, &CompiledLoop::Giver::piece) == givers.end();
    if (is_new) givers.push_back({writer, giver});
  }
}

Result<WrittenLoop> NativeLoops::Write(int32_t number, const NativePlace& place) {
  const Loop& loop = loop_at(number);
  const NativeLibrary* const library = NativeLibrary::Get();
  if (library == nullptr) return Unimplemented(NativeLibrary::WhyNot());
  if (loop.kept.size() == kMostKinds) return FailedPrecondition("its values are of many kinds");
  if (loop.bounds.size() > kMostNativeInstructions) {
    return Unimplemented("it has more than " + std::to_string(kMostNativeInstructions) +
                         " instructions");
  }
  const HasBody has_body = [library](const std::string& name) { return library->HasBody(name); };
  const bool takes_tensors = !loop.has_changing_shapes && loop.kept.size() + 1 < kMostKinds;
  const LoopToCompile to_compile = {
      code_,     loop.bounds,          parts_,        has_body,
      loop.seen, place.counts_firings, takes_tensors, loop.work.accesses > kMostAccesses};
  LoopValues values(to_compile);
  TAGFLOW_RETURN_IF_ERROR(values.Look(place.slots));
  if (values.has_unknown() && loop.attempts == 0 && loop.work.takes_little) {
    return FailedPrecondition("some of its values were not known yet");
  }
  if (loop.is_piece && 2 * values.num_native() < loop.bounds.size()) {
    return Unimplemented("most of it is calls of kernels");
  }
  WrittenLoop written;
  written.function = FunctionOf(loop);
  written.source = WriteLoop(to_compile, values, written.function);
  written.effort =
      to_compile.takes_little() ? NativeLibrary::Effort::kLittle : NativeLibrary::Effort::kFull;
  written.counts_firings = place.counts_firings;
  written.loop.values = values.values();
  written.loop.tensors = values.tensors();
  std::string& listing = written.loop.listing;
  if (options_.lists_loops) listing = ListLoop(origin_, to_compile, values);
  if (options_.lists_ir) {
    TAGFLOW_ASSIGN_OR_RETURN(const std::string optimized,
                             library->Optimized(written.source, written.effort));
    listing += "\n" + optimized;
  }
  return written;
}

// Perf and gdb show it (llvm/code_names.h): no more than what nodes' names are made of.
std::string NativeLoops::FunctionOf(const Loop& loop) const {
  const NodeId node = code_.instructions[loop.is_piece ? loop.bounds.head : loop.bounds.last].node;
  std::string name = node == NodeId::kNone ? "move" : origin_.graph.node(node).name;
  for (char& c : name) {
    const bool is_plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' ||
                          c == '.' || c == '/' || c == '-';
    if (!is_plain) c = '_';
  }
  return (loop.is_piece ? "from " : "loop ") + name;
}

std::string NativeLoops::NameOf(const Loop& loop) const {
  const auto name_of = [this](uint32_t at) {
    const NodeId node = code_.instructions[at].node;
    return node == NodeId::kNone ? "" : "'" + origin_.graph.node(node).name + "'";
  };
  if (!loop.is_piece) {
    const std::string name = name_of(loop.bounds.last);
    return name.empty() ? "a loop" : "the loop of " + name;
  }
  const std::string first = name_of(loop.bounds.head), last = name_of(loop.bounds.last);
  return "the code from " + (first.empty() ? "a move" : first) + " to " +
         (last.empty() ? "a move" : last);
}

std::vector<std::string> NativeLoops::Notes() const {
  std::lock_guard lock(compiling_);
  std::vector<std::string> notes;
  for (const auto& loop : loops_) {
    const std::string name = NameOf(*loop);
    if (!loop->kept.empty()) {
      double seconds = 0;
      for (const auto& compiled : loop->kept) seconds += compiled->code.seconds;
      const bool is_made_beside = loop->kept.back()->is_made_beside;
      notes.push_back(name + " is machine code, compiled in " + Milliseconds(seconds) +
                      (is_made_beside ? " by an idle thread" : ""));
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
  if (loops == nullptr || loops->size() == 0) return;
  is_timed_ = loops->time_share().IsSample();
  if (is_timed_) begin_ = std::chrono::steady_clock::now();
  const int32_t num_loops = loops->first_piece();
  waits_.reserve(static_cast<size_t>(num_loops));
  for (int32_t i = 0; i < num_loops; ++i) {
    const int64_t patience = loops->Patience(i);
    waits_.push_back({patience, patience});
  }
}

NativeStep::~NativeStep() {
  for (size_t i = 0; i < waits_.size(); ++i) {
    const int64_t heads = waits_[i].from - waits_[i].left;
    if (heads > 0) expected_ns_ += loops_->Note(static_cast<int32_t>(i), heads);
  }
  if (is_timed_) NoteTime();
}

void NativeStep::NoteTime() {
  const auto now = std::chrono::steady_clock::now();
  const std::chrono::duration<double, std::nano> real = now - begin_;
  loops_->time_share().Note(real.count(), expected_ns_);
  begin_ = now;
  expected_ns_ = 0;
}

std::optional<int32_t> NativeStep::Run(int32_t loop, NativePlace& place) {
  if (loop >= loops_->first_piece()) {
    const std::optional<int32_t> next = loops_->Run(loop, 0, place);
    if (next) is_timed_ = false;
    return next;
  }
  Wait& wait = waits_[static_cast<size_t>(loop)];
  const int64_t heads = wait.from - wait.left;
  if (is_timed_) {
    expected_ns_ += loops_->ExpectedNs(loop, heads);
    NoteTime();
  }
  const std::optional<int32_t> next = loops_->Run(loop, heads, place);
  // From here on other things than interpreting have taken time.
  if (next) is_timed_ = false;
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
