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
#include "fuzz/harness/shares.h"
#include "fuzz/harness/slots.h"
#include "fuzz/harness/worker.h"

namespace tagflow::fuzz {
namespace {

constexpr double kBatchSeconds = 0.2;
constexpr double kGraceSeconds = 1;         // what a watched process gets beyond its time
constexpr double kExaminationSeconds = 60;  // the same for an examination, beside shrinking
constexpr double kClosingSeconds = 5;       // for saving failures after an interrupt
constexpr int kStrikesMost = 3;             // deaths in a row of workers that did nothing
constexpr size_t kFailuresKept = 10'000;

// A worker and what it is at.
struct Worker {
  // The messages that the process has written since the last call; does not wait for more.
  std::vector<WorkerMessage> Receive(bool& has_ended) {
    char bytes[1 << 16];
    ssize_t got = 0;
    while ((got = read(child->out(), bytes, sizeof(bytes))) > 0) {
      received.append(bytes, static_cast<size_t>(got));
    }
    has_ended = got == 0;
    std::vector<WorkerMessage> messages;
    while (const std::optional<uint32_t> length = conformance::FrameLength(received)) {
      if (received.size() < 4 + size_t{*length}) break;
      WorkerMessage message;
      const bool good = message.ParseFromArray(received.data() + 4, static_cast<int>(*length));
      received.erase(0, 4 + size_t{*length});
      if (good) messages.push_back(std::move(message));
    }
    return messages;
  }

  std::unique_ptr<Child> child;
  std::optional<Task> task;
  std::string received;
  Tally seen;  // of its slot, and already counted
  uint64_t last_found = ~uint64_t{0};
  bool killed = false;  // by the watchdog
};

double Seconds(int64_t ns) { return static_cast<double>(ns) * 1e-9; }

class Pool {
 public:
  Pool(const Campaign& campaign, const Listener& listener, Slots slots)
      : campaign_(campaign), listener_(listener), slots_(std::move(slots)), shares_(campaign) {
    workers_.resize(slots_.size());
    outcome_.tallies.resize(campaign.claims.size());
    examined_.assign(campaign.claims.size(), 0);
  }

  Result<Outcome> Run() {
    while (failure_.ok()) {
      CheckInterrupt();
      Assign();
      if (!IsAnyAtWork()) break;
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
  bool IsAnyAtWork() const {
    return std::ranges::any_of(workers_, [](const Worker& each) { return each.task.has_value(); });
  }
  double Elapsed() const { return Seconds(NowNs() - began_ns_); }

  // ---- Assigning.

  void Assign() {
    for (size_t i = 0; i < workers_.size() && failure_.ok(); ++i) {
      if (workers_[i].task.has_value()) continue;
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
    if (closing_) return std::nullopt;
    if (campaign_.seconds.has_value() && Elapsed() >= *campaign_.seconds) return std::nullopt;
    if (campaign_.stop_at > 0 && Now().failures >= campaign_.stop_at) return std::nullopt;
    std::optional<Batch> batch = shares_.Next(outcome_.tallies, workers_.size());
    if (!batch.has_value()) return std::nullopt;
    Task task;
    *task.mutable_batch() = *std::move(batch);
    return task;
  }

  void Start(size_t i, Task task) {
    Worker& worker = workers_[i];
    if (worker.child == nullptr) {
      Slot& slot = slots_[i];
      slot.End();
      Result<std::unique_ptr<Child>> child =
          Child::Fork([this, &slot](int in, int out) { Work(campaign_, slot, in, out); });
      if (!child.ok()) {
        failure_ = child.status();
        return;
      }
      worker.child = *std::move(child);
      fcntl(worker.child->out(), F_SETFL, O_NONBLOCK);
      worker.received.clear();
      worker.killed = false;
    }
    worker.last_found = ~uint64_t{0};
    worker.task = std::move(task);
    // A worker that is dead already is found out by Listen.
    (void)conformance::WriteAll(worker.child->in(), conformance::Frame(*worker.task));
  }

  // ---- Listening.

  void Listen() {
    std::vector<pollfd> watched;
    for (const Worker& worker : workers_) {
      watched.push_back({worker.child == nullptr ? -1 : worker.child->out(), POLLIN, 0});
    }
    if (poll(watched.data(), watched.size(), 50) <= 0) return;
    for (size_t i = 0; i < workers_.size(); ++i) {
      if (watched[i].revents != 0) Read(i);
    }
  }

  void Read(size_t i) {
    bool has_ended = false;
    for (const WorkerMessage& message : workers_[i].Receive(has_ended)) OnMessage(i, message);
    if (has_ended) OnEnd(i);
  }

  void OnMessage(size_t i, const WorkerMessage& message) {
    Worker& worker = workers_[i];
    if (message.has_found()) {
      worker.last_found = message.found().index();
      OnFailure(message.found(), /*isolated=*/false, /*batch_first=*/0);
    } else if (message.has_examined()) {
      Finish(message.examined());
    } else if (!message.unusable().empty()) {
      failure_ = FailedPrecondition(message.unusable());
    } else {
      CollectCounts(i);
      worker.task.reset();
      strikes_ = 0;
    }
  }

  // Adds what the slot says beyond what was counted before.
  uint64_t CollectCounts(size_t i) {
    Worker& worker = workers_[i];
    const Slot& slot = slots_[i];
    if (!worker.task.has_value() || !worker.task->has_batch()) return 0;
    Tally now;
    now.programs = slot.programs.load(std::memory_order_relaxed);
    now.unsupported = slot.unsupported.load(std::memory_order_relaxed);
    now.firings = slot.firings.load(std::memory_order_relaxed);
    now.busy_s = Seconds(static_cast<int64_t>(slot.busy_ns.load(std::memory_order_relaxed)));
    const uint64_t more = now.programs - worker.seen.programs;
    TallyOf(*worker.task)
        .Add({more, 0, now.unsupported - worker.seen.unsupported, now.firings - worker.seen.firings,
              now.busy_s - worker.seen.busy_s});
    worker.seen = now;
    outcome_.seconds = Elapsed();
    return more;
  }

  Tally& TallyOf(const Task& task) {
    return outcome_.tallies[static_cast<size_t>(task.batch().property())];
  }

  // All that is counted, and what workers have done since they were last asked.
  Tally Now() const {
    Tally total = outcome_.Total();
    for (size_t i = 0; i < workers_.size(); ++i) {
      total.programs +=
          slots_[i].programs.load(std::memory_order_relaxed) - workers_[i].seen.programs;
      total.firings += slots_[i].firings.load(std::memory_order_relaxed) - workers_[i].seen.firings;
    }
    return total;
  }

  // ---- Failures.

  void OnFailure(const Failure& failure, bool isolated, uint64_t batch_first) {
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
    for (size_t i = 0; i < workers_.size(); ++i) {
      const Slot& slot = slots_[i];
      const int64_t began = slot.began_ns.load(std::memory_order_acquire);
      if (workers_[i].child == nullptr || began == 0 || workers_[i].killed) continue;
      const bool examining = workers_[i].task.has_value() && workers_[i].task->has_examination();
      const double allowed =
          examining ? kExaminationSeconds + campaign_.shrink_s + 2 * campaign_.engines.timeout_s
                    : campaign_.engines.timeout_s + kGraceSeconds;
      if (Seconds(NowNs() - began) < allowed) continue;
      workers_[i].killed = true;
      workers_[i].child->Kill();  // its end is read like any other
    }
  }

  // A worker has ended.
  void OnEnd(size_t i) {
    Worker& worker = workers_[i];
    const std::string how = worker.child->Reap();
    const uint64_t done = CollectCounts(i);
    worker.child.reset();
    if (!worker.task.has_value()) return;
    const Task task = *std::move(worker.task);
    worker.task.reset();
    if (!failure_.ok() || (closing_ && task.has_batch())) return;
    if (task.has_examination()) return OnLostExamination(task.examination());
    const bool in_sample = slots_[i].began_ns.load(std::memory_order_acquire) != 0;
    const uint64_t at = slots_[i].index.load(std::memory_order_relaxed);
    if (!in_sample) {
      if (done == 0 && ++strikes_ >= kStrikesMost) {
        failure_ = Internal("the processes that run samples die at once: " + how);
        return;
      }
      return Return(task.batch(), task.batch().first() + done);
    }
    if (at != worker.last_found) {
      ++TallyOf(task).programs;
      Failure failure;
      failure.set_property(task.batch().property());
      failure.set_index(at);
      failure.set_kind(
          static_cast<int>(worker.killed ? Finding::Kind::kHung : Finding::Kind::kCrashed));
      failure.set_why(worker.killed ? "did not end in time" : how);
      OnFailure(failure, /*isolated=*/true, task.batch().first());
    }
    Return(task.batch(), at + 1);
  }

  void Return(const Batch& batch, uint64_t first) {
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
  void OnLostExamination(const Examination& examination) {
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
      for (Worker& worker : workers_) worker = Worker();
    }
    if (closing_ || !listener_.interrupted || !listener_.interrupted()) return;
    closing_ = true;
    outcome_.interrupted = true;
    closing_until_ = Elapsed() + kClosingSeconds;
    for (size_t i = 0; i < workers_.size(); ++i) Drop(i);
    std::erase_if(waiting_, [](const Task& task) { return task.has_batch(); });
    for (Task& task : waiting_) task.mutable_examination()->set_shrink_s(0);
  }

  // Ends a worker and hears what it has told. A sample that it was at is neither good nor bad.
  void Drop(size_t i) {
    Worker& worker = workers_[i];
    if (worker.child == nullptr) return;
    if (worker.task.has_value() && worker.task->has_examination()) {
      waiting_.push_back(*std::move(worker.task));
      worker.task.reset();
    }
    worker.child->Kill();
    worker.child->Reap();
    slots_[i].End();
    Read(i);
  }

  const Campaign& campaign_;
  const Listener& listener_;
  const Slots slots_;
  Shares shares_;
  const int64_t began_ns_ = NowNs();
  std::vector<Worker> workers_;  // by slot
  std::deque<Task> waiting_;
  std::vector<uint64_t> examined_;  // by claim
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
