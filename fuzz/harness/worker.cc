#include "fuzz/harness/worker.h"

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
      News news;
      news.set_done(true);
      Tell(news);
    }
  }

 private:
  bool Perform(const Task& task) {
    // In an isolated examination nothing of what is under test may run in this process.
    const bool isolated = task.has_examination() && task.examination().isolated();
    if (!isolated && !OpenBench()) return false;
    if (task.has_batch()) {
      RunBatch(task.batch());
      return true;
    }
    slot_.Begin(task.examination().failure().index());
    News news;
    *news.mutable_examined() = isolated ? ExamineIsolated(campaign_, task.examination())
                                        : Examine(campaign_, task.examination(), bench_->setting());
    Tell(news);
    slot_.End();
    return true;
  }

  bool OpenBench() {
    if (bench_ != nullptr) return true;
    Result<std::unique_ptr<Workbench>> bench = Workbench::Make(campaign_.engines);
    if (bench.ok()) {
      bench_ = *std::move(bench);
      return true;
    }
    News news;
    news.set_unusable(bench.status().message());
    Tell(news);
    return false;
  }

  void RunBatch(const Batch& batch) {
    const Claim& claim = campaign_.claims[static_cast<size_t>(batch.property())];
    SampleName name{campaign_.seed, batch.first(), claim.profile};
    const uint64_t end = batch.first() + batch.count();
    for (; name.index < end; ++name.index) {
      slot_.Begin(name.index);
      const int64_t began = NowNs();
      const Finding finding = DrawAndCheck(claim.property, name, bench_->setting());
      // The parent counts a sample that is found bad here before it can count it as lost.
      if (finding.bad()) TellFound(batch.property(), name.index, finding);
      Count(finding, NowNs() - began);
      slot_.End();
    }
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
    News news;
    Failure& failure = *news.mutable_found();
    failure.set_property(property);
    failure.set_index(index);
    failure.set_kind(static_cast<int>(finding.kind));
    failure.set_why(finding.why);
    Tell(news);
  }

  // A parent that no longer reads has killed us.
  void Tell(const News& news) { (void)conformance::WriteAll(out_, conformance::Frame(news)); }

  const Campaign& campaign_;
  Slot& slot_;
  const int in_;
  const int out_;
  std::unique_ptr<Workbench> bench_;
};

}  // namespace

void Work(const Campaign& campaign, Slot& slot, int in, int out) {
  Worker(campaign, slot, in, out).Serve();
}

}  // namespace tagflow::fuzz
