// The parent of a fuzz run. It gives out batches of samples, looks after the processes that run
// them, and hands failures back to be examined; it never runs a sample itself.
//
// A worker that dies leaves in its slot which sample it was at. That sample is the failure; what is
// left of the batch is given out again; the examination finds out whether the sample kills a
// process by itself or only after others (examine.h).

#include "fuzz/harness/campaign.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <deque>
#include <memory>

#include "conformance/frame_io.h"
#include "fuzz/harness/child.h"
#include "fuzz/harness/save.h"
#include "fuzz/harness/slots.h"
#include "fuzz/harness/worker.h"

namespace tagflow::fuzz {
namespace {

constexpr double kBatchSeconds = 0.2;
constexpr uint64_t kBatchPerWeight = 4;     // so that a claim of little weight runs no share ahead
constexpr double kGraceSeconds = 1;         // what a watched process gets beyond its time
constexpr double kExaminationSeconds = 60;  // the same for an examination, beside shrinking
constexpr double kClosingSeconds = 5;       // for saving failures after an interrupt
constexpr int kStrikesMost = 3;             // deaths in a row of workers that did nothing
constexpr size_t kFailuresKept = 10'000;

// A worker and what it is at.
struct Hand {
  std::unique_ptr<Child> child;
  std::optional<Task> task;
  std::string received;
  Tally seen;  // of its slot, and already counted
  uint64_t last_found = ~uint64_t{0};
  bool killed = false;  // by the watchdog
};

class Pool {
 public:
  Pool(const Campaign& campaign, const Listener& listener, Slots slots)
      : campaign_(campaign), listener_(listener), slots_(std::move(slots)) {
    hands_.resize(slots_.size());
    outcome_.tallies.resize(campaign.claims.size());
    next_.assign(campaign.claims.size(), campaign.first);
    examined_.assign(campaign.claims.size(), 0);
    if (campaign.count.has_value()) quotas_ = Quotas();
  }

  Result<Outcome> Run() {
    while (failure_.ok()) {
      CheckInterrupt();
      GiveOut();
      if (std::ranges::none_of(hands_, [](const Hand& hand) { return hand.task.has_value(); })) {
        break;
      }
      Listen();
      Watch();
      if (listener_.on_time) listener_.on_time(Now(), outcome_.seconds);
    }
    if (!failure_.ok()) return failure_;
    std::ranges::stable_sort(outcome_.failures, {}, [](const Failure& failure) {
      return std::pair(failure.property(), failure.index());
    });
    return std::move(outcome_);
  }

 private:
  static double Seconds(int64_t ns) { return static_cast<double>(ns) * 1e-9; }
  double Elapsed() const { return Seconds(NowNs() - began_ns_); }

  // ---- Giving out.

  void GiveOut() {
    for (size_t i = 0; i < hands_.size() && failure_.ok(); ++i) {
      if (hands_[i].task.has_value()) continue;
      std::optional<Task> task = NextTask();
      if (!task.has_value()) return;
      Start(i, *std::move(task));
    }
  }

  std::optional<Task> NextTask() {
    if (!waiting_.empty()) {
      Task task = std::move(waiting_.front());
      waiting_.pop_front();
      return task;
    }
    return NextBatch();
  }

  std::optional<Task> NextBatch() {
    if (closing_) return std::nullopt;
    if (campaign_.seconds.has_value() && Elapsed() >= *campaign_.seconds) return std::nullopt;
    if (campaign_.stop_at > 0 && Now().failures >= campaign_.stop_at) return std::nullopt;
    const std::optional<size_t> claim = NextClaim();
    if (!claim.has_value()) return std::nullopt;
    Task task;
    Batch& batch = *task.mutable_batch();
    batch.set_property(static_cast<int>(*claim));
    batch.set_first(next_[*claim]);
    batch.set_count(std::min(Left(*claim), BatchSize(*claim)));
    next_[*claim] += batch.count();
    return task;
  }

  // Of those with samples left, the one that was given the least for its share.
  std::optional<size_t> NextClaim() const {
    std::optional<size_t> next;
    for (size_t claim = 0; claim < next_.size(); ++claim) {
      if (Left(claim) > 0 && (!next.has_value() || Given(claim) < Given(*next))) next = claim;
    }
    return next;
  }
  double Given(size_t claim) const {
    const uint64_t samples = next_[claim] - campaign_.first + 1;
    return static_cast<double>(samples) / campaign_.claims[claim].weight;
  }
  uint64_t Left(size_t claim) const {
    if (quotas_.empty()) return ~uint64_t{0};
    return campaign_.first + quotas_[claim] - next_[claim];
  }
  // How many samples each claim has of the count: as its weight says, rounded so that they add up.
  std::vector<uint64_t> Quotas() const {
    uint64_t total = 0;
    for (const Claim& claim : campaign_.claims) total += static_cast<uint64_t>(claim.weight);
    std::vector<uint64_t> quotas;
    uint64_t weights = 0, given = 0;
    for (const Claim& claim : campaign_.claims) {
      weights += static_cast<uint64_t>(claim.weight);
      const uint64_t until = (2 * *campaign_.count * weights + total) / (2 * total);
      quotas.push_back(until - given);
      given = until;
    }
    return quotas;
  }

  // As many as take a fifth of a second, by what is known; near the end of a count, fewer, so that
  // all workers end together.
  uint64_t BatchSize(size_t claim) const {
    const Tally& tally = outcome_.tallies[claim];
    if (tally.programs == 0) return 4;
    const double each_s = std::max(tally.busy_s / static_cast<double>(tally.programs), 1e-6);
    auto size = static_cast<uint64_t>(std::clamp(kBatchSeconds / each_s, 1.0, 1e6));
    if (campaign_.count.has_value()) {
      size = std::min(size, Left(claim) / hands_.size() + 1);
    }
    const auto weight = static_cast<uint64_t>(campaign_.claims[claim].weight);
    return std::clamp<uint64_t>(size, 1, kBatchPerWeight * weight);
  }

  void Start(size_t i, Task task) {
    Hand& hand = hands_[i];
    if (hand.child == nullptr) {
      Slot& slot = slots_[i];
      slot.End();
      Result<std::unique_ptr<Child>> child =
          Child::Fork([this, &slot](int in, int out) { Work(campaign_, slot, in, out); });
      if (!child.ok()) {
        failure_ = child.status();
        return;
      }
      hand.child = *std::move(child);
      fcntl(hand.child->out(), F_SETFL, O_NONBLOCK);
      hand.received.clear();
      hand.killed = false;
    }
    hand.last_found = ~uint64_t{0};
    hand.task = std::move(task);
    // A worker that is dead already is found out by Listen.
    (void)conformance::WriteAll(hand.child->in(), conformance::Frame(*hand.task));
  }

  // ---- Listening.

  void Listen() {
    std::vector<pollfd> watched;
    for (const Hand& hand : hands_) {
      watched.push_back({hand.child == nullptr ? -1 : hand.child->out(), POLLIN, 0});
    }
    if (poll(watched.data(), watched.size(), 50) <= 0) return;
    for (size_t i = 0; i < hands_.size(); ++i) {
      if (watched[i].revents != 0) Read(i);
    }
  }

  void Read(size_t i) {
    Hand& hand = hands_[i];
    char bytes[1 << 16];
    ssize_t got = 0;
    while ((got = read(hand.child->out(), bytes, sizeof(bytes))) > 0) {
      hand.received.append(bytes, static_cast<size_t>(got));
    }
    const bool ended = got == 0;
    while (const std::optional<uint32_t> length = conformance::FrameLength(hand.received)) {
      if (hand.received.size() < 4 + size_t{*length}) break;
      News news;
      const bool good = news.ParseFromArray(hand.received.data() + 4, static_cast<int>(*length));
      hand.received.erase(0, 4 + size_t{*length});
      if (good) Hear(i, news);
    }
    if (ended) Bury(i);
  }

  void Hear(size_t i, const News& news) {
    Hand& hand = hands_[i];
    if (news.has_found()) {
      hand.last_found = news.found().index();
      Found(news.found(), /*isolated=*/false, /*batch_first=*/0);
    } else if (news.has_examined()) {
      Finish(news.examined());
    } else if (!news.unusable().empty()) {
      failure_ = FailedPrecondition(news.unusable());
    } else {
      Harvest(i);
      hand.task.reset();
      strikes_ = 0;
    }
  }

  // Adds what the slot says beyond what was counted before.
  uint64_t Harvest(size_t i) {
    Hand& hand = hands_[i];
    const Slot& slot = slots_[i];
    if (!hand.task.has_value() || !hand.task->has_batch()) return 0;
    Tally now;
    now.programs = slot.programs.load(std::memory_order_relaxed);
    now.unsupported = slot.unsupported.load(std::memory_order_relaxed);
    now.firings = slot.firings.load(std::memory_order_relaxed);
    now.busy_s = Seconds(static_cast<int64_t>(slot.busy_ns.load(std::memory_order_relaxed)));
    const uint64_t more = now.programs - hand.seen.programs;
    TallyOf(*hand.task)
        .Add({more, 0, now.unsupported - hand.seen.unsupported, now.firings - hand.seen.firings,
              now.busy_s - hand.seen.busy_s});
    hand.seen = now;
    outcome_.seconds = Elapsed();
    return more;
  }

  Tally& TallyOf(const Task& task) {
    return outcome_.tallies[static_cast<size_t>(task.batch().property())];
  }

  // All that is counted, and what workers have done since they were last asked.
  Tally Now() const {
    Tally total = outcome_.Total();
    for (size_t i = 0; i < hands_.size(); ++i) {
      total.programs +=
          slots_[i].programs.load(std::memory_order_relaxed) - hands_[i].seen.programs;
      total.firings += slots_[i].firings.load(std::memory_order_relaxed) - hands_[i].seen.firings;
    }
    return total;
  }

  // ---- Failures.

  void Found(const Failure& failure, bool isolated, uint64_t batch_first) {
    const auto property = static_cast<size_t>(failure.property());
    ++outcome_.tallies[property].failures;
    if (examined_[property]++ >= campaign_.examine_max) {
      Failure counted = failure;
      counted.set_replay(ReplayOfIndex(campaign_, failure));
      Keep(std::move(counted));
      return;
    }
    Task task;
    Examination& examination = *task.mutable_examination();
    *examination.mutable_failure() = failure;
    examination.set_isolated(isolated);
    examination.set_batch_first(batch_first);
    examination.set_shrink_s(closing_ ? 0 : campaign_.shrink_s);
    waiting_.push_back(std::move(task));
  }

  void Finish(Failure failure) {
    if (listener_.on_failure) listener_.on_failure(failure);
    Keep(std::move(failure));
  }

  void Keep(Failure failure) {
    if (outcome_.failures.size() < kFailuresKept) outcome_.failures.push_back(std::move(failure));
  }

  // ---- Watching.

  void Watch() {
    for (size_t i = 0; i < hands_.size(); ++i) {
      const Slot& slot = slots_[i];
      const int64_t began = slot.began_ns.load(std::memory_order_acquire);
      if (hands_[i].child == nullptr || began == 0 || hands_[i].killed) continue;
      const bool examining = hands_[i].task.has_value() && hands_[i].task->has_examination();
      const double allowed =
          examining ? kExaminationSeconds + campaign_.shrink_s + 2 * campaign_.engines.timeout_s
                    : campaign_.engines.timeout_s + kGraceSeconds;
      if (Seconds(NowNs() - began) < allowed) continue;
      hands_[i].killed = true;
      hands_[i].child->Kill();  // its end is read like any other
    }
  }

  // A worker has ended.
  void Bury(size_t i) {
    Hand& hand = hands_[i];
    const std::string how = hand.child->Reap();
    const uint64_t done = Harvest(i);
    hand.child.reset();
    if (!hand.task.has_value()) return;
    const Task task = *std::move(hand.task);
    hand.task.reset();
    if (!failure_.ok() || (closing_ && task.has_batch())) return;
    if (task.has_examination()) return Lost(task.examination());
    const bool in_sample = slots_[i].began_ns.load(std::memory_order_acquire) != 0;
    const uint64_t at = slots_[i].index.load(std::memory_order_relaxed);
    if (!in_sample) {
      if (done == 0 && ++strikes_ >= kStrikesMost) {
        failure_ = Internal("the processes that run samples die at once: " + how);
        return;
      }
      return GiveBack(task.batch(), task.batch().first() + done);
    }
    if (at != hand.last_found) {
      ++TallyOf(task).programs;
      Failure failure;
      failure.set_property(task.batch().property());
      failure.set_index(at);
      failure.set_kind(
          static_cast<int>(hand.killed ? Finding::Kind::kHung : Finding::Kind::kCrashed));
      failure.set_why(hand.killed ? "did not end in time" : how);
      Found(failure, /*isolated=*/true, task.batch().first());
    }
    GiveBack(task.batch(), at + 1);
  }

  void GiveBack(const Batch& batch, uint64_t first) {
    const uint64_t end = batch.first() + batch.count();
    if (first >= end) return;
    Task rest;
    *rest.mutable_batch() = batch;
    rest.mutable_batch()->set_first(first);
    rest.mutable_batch()->set_count(end - first);
    waiting_.push_back(std::move(rest));
  }

  // An examination took its process along: once more, with every try in a process of its own; then
  // no more.
  void Lost(const Examination& examination) {
    if (!examination.isolated()) {
      Task again;
      *again.mutable_examination() = examination;
      again.mutable_examination()->set_isolated(true);
      again.mutable_examination()->set_batch_first(examination.failure().index());
      waiting_.push_front(std::move(again));
      return;
    }
    Failure failure = examination.failure();
    failure.set_note("it could not be saved: that ended the process, too");
    failure.set_replay(ReplayOfIndex(campaign_, failure));
    Finish(std::move(failure));
  }

  // At an interrupt all samples are dropped, and what was found is saved as it is.
  void CheckInterrupt() {
    if (closing_ && Elapsed() > closing_until_) {
      waiting_.clear();
      for (Hand& hand : hands_) hand = Hand();
    }
    if (closing_ || !listener_.interrupted || !listener_.interrupted()) return;
    closing_ = true;
    outcome_.interrupted = true;
    closing_until_ = Elapsed() + kClosingSeconds;
    for (size_t i = 0; i < hands_.size(); ++i) Drop(i);
    std::erase_if(waiting_, [](const Task& task) { return task.has_batch(); });
    for (Task& task : waiting_) task.mutable_examination()->set_shrink_s(0);
  }

  // Ends a worker and hears what it has told. A sample that it was at is neither good nor bad.
  void Drop(size_t i) {
    Hand& hand = hands_[i];
    if (hand.child == nullptr) return;
    if (hand.task.has_value() && hand.task->has_examination()) {
      waiting_.push_back(*std::move(hand.task));
      hand.task.reset();
    }
    hand.child->Kill();
    hand.child->Reap();
    slots_[i].End();
    Read(i);
  }

  const Campaign& campaign_;
  const Listener& listener_;
  const Slots slots_;
  const int64_t began_ns_ = NowNs();
  std::vector<Hand> hands_;  // by slot
  std::deque<Task> waiting_;
  std::vector<uint64_t> next_;      // by claim: the index that no batch has had
  std::vector<uint64_t> examined_;  // by claim
  std::vector<uint64_t> quotas_;    // by claim, of Campaign::count; empty without one
  int strikes_ = 0;
  bool closing_ = false;
  double closing_until_ = 0;
  Status failure_;
  Outcome outcome_;
};

}  // namespace

Result<Outcome> RunCampaign(const Campaign& campaign, const Listener& listener) {
  TAGFLOW_ASSIGN_OR_RETURN(Slots slots,
                           Slots::Make(static_cast<size_t>(std::max(campaign.jobs, 1))));
  return Pool(campaign, listener, std::move(slots)).Run();
}

}  // namespace tagflow::fuzz
