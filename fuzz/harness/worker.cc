#include "fuzz/harness/worker.h"

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "conformance/frame_io.h"
#include "fuzz/harness/child.h"
#include "fuzz/harness/examine.h"
#include "fuzz/harness/sample.h"

namespace tagflow::fuzz {
namespace {

class Worker {
 public:
  Worker(const Campaign& campaign, Slot& slot, int in, int out)
      : campaign_(campaign), slot_(slot), in_(in), out_(out) {}

  void Serve() {
    while (true) {
      const Result<std::optional<std::string>> frame = conformance::ReadFrame(in_);
      Task task;
      if (!frame.ok() || !frame->has_value() || !task.ParseFromString(**frame)) return;
      ForgetPrinted();
      if (!Perform(task)) return;
      WorkerMessage message;
      message.set_done(true);
      Tell(message);
    }
  }

 private:
  bool Perform(const Task& task) {
    return task.has_batch() ? RunBatch(task.batch()) : Perform(task.examination());
  }

  bool Perform(const Examination& examination) {
    Campaign campaign = campaign_;
    campaign.engines = ChoiceFor(examination.failure().index());
    // In an isolated examination nothing of what is under test may run in this process.
    WorkerEngines* const started = examination.isolated() ? nullptr : EnginesOf(campaign.engines);
    if (!examination.isolated() && started == nullptr) return false;
    slot_.Begin(examination.failure().index());
    WorkerMessage message;
    *message.mutable_examined() = started == nullptr
                                      ? ExamineIsolated(campaign, examination)
                                      : Examine(campaign, examination, started->setting());
    Tell(message);
    slot_.End();
    return true;
  }

  EngineChoice ChoiceFor(uint64_t index) const {
    EngineChoice choice = campaign_.engines;
    choice.engine = EngineNameFor(choice.engine, index);
    return choice;
  }

  // Null, and told, where its engines cannot be started.
  WorkerEngines* EnginesOf(const EngineChoice& engines) {
    std::unique_ptr<WorkerEngines>& kept = engines_[engines.engine];
    if (kept != nullptr) return kept.get();
    Result<std::unique_ptr<WorkerEngines>> started = WorkerEngines::Make(engines);
    if (started.ok()) {
      kept = *std::move(started);
      return kept.get();
    }
    WorkerMessage message;
    message.set_unusable(started.status().message());
    Tell(message);
    return nullptr;
  }

  bool RunBatch(const Batch& batch) {
    const Claim& claim = campaign_.claims[static_cast<size_t>(batch.property())];
    SampleName name{campaign_.seed, batch.first(), claim.profile};
    const uint64_t end = batch.first() + batch.count();
    for (; name.index < end; ++name.index) {
      WorkerEngines* const started = EnginesOf(ChoiceFor(name.index));
      if (started == nullptr) return false;
      slot_.Begin(name.index);
      const int64_t began = NowNs();
      const Finding finding = DrawAndCheck(claim.property, name, started->setting());
      // The parent counts a sample that is found bad here before it can count it as lost.
      if (finding.bad()) TellFound(batch.property(), name.index, finding);
      Count(finding, NowNs() - began);
      slot_.End();
    }
    return true;
  }

  void Count(const Finding& finding, int64_t took_ns) {
    const auto add = [](std::atomic<uint64_t>& number, uint64_t more) {
      number.store(number.load(std::memory_order_relaxed) + more, std::memory_order_relaxed);
    };
    add(slot_.programs, 1);
    add(slot_.firings, static_cast<uint64_t>(finding.firings));
    add(slot_.unsupported, finding.kind == Finding::Kind::kUnsupported ? 1 : 0);
    add(slot_.busy_ns, static_cast<uint64_t>(took_ns));
  }

  void TellFound(int property, uint64_t index, const Finding& finding) {
    WorkerMessage message;
    Failure& failure = *message.mutable_found();
    failure.set_property(property);
    failure.set_index(index);
    failure.set_kind(static_cast<int>(finding.kind));
    failure.set_why(finding.why);
    Tell(message);
  }

  // A parent that no longer reads has killed us.
  void Tell(const WorkerMessage& message) {
    (void)conformance::WriteAll(out_, conformance::Frame(message));
  }

  const Campaign& campaign_;
  Slot& slot_;
  const int in_;
  const int out_;
  std::map<std::string, std::unique_ptr<WorkerEngines>> engines_;  // by the name of --engine
};

}  // namespace

void Work(const Campaign& campaign, Slot& slot, int in, int out) {
  Worker(campaign, slot, in, out).Serve();
}

}  // namespace tagflow::fuzz
