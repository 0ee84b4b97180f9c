#include "conformance/optimized_servant.h"

#include "conformance/lent_feeds.h"
#include "conformance/scatter.h"
#include "conformance/session_servant.h"
#include "optimized/rendezvous/local_rendezvous.h"

namespace tagflow::conformance {
namespace {

class OptimizedServant : public SessionServant<optimized::Session, optimized::RunOptions> {
 public:
  OptimizedServant(const OpLibrary& library, const OptimizedOptions& options)
      : SessionServant(options.name, *library.ops), library_(library), options_(options) {}

 private:
  Result<std::unique_ptr<optimized::Session>> Create(Graph graph, std::vector<std::string> devices,
                                                     const Options& asked) override {
    optimized::SessionOptions options = SessionOptionsOf(options_);
    options.kernels = library_.kernels;
    options.device_kinds = *library_.device_kinds;
    const bool scatters = options_.scatter_seed != 0 && devices.empty();
    options.devices = devices.empty() ? options_.devices : std::move(devices);
    if (scatters) TAGFLOW_RETURN_IF_ERROR(Scatter(graph, options, options_.scatter_seed));
    if (asked.threads() != 0) options.threads = asked.threads();
    return optimized::Session::Create(std::move(graph), options);
  }
  void Adjust(optimized::RunOptions& run) override {
    if (run.seed == 0) run.seed = options_.seed;
    if (options_.seed % 2 == 0) return;
    optimized::RendezvousFaults faults;
    faults.holds_back = options_.seed / 2 % 2 == 1;
    faults.seed = options_.seed;
    rendezvous_ = std::make_unique<optimized::LocalRendezvous>(faults);
    run.rendezvous = rendezvous_.get();
  }
  Status Lend(Feeds& feeds) override {
    return options_.borrows_feeds ? lent_.Lend(feeds) : Status();
  }
  Status TakeBack() override { return lent_.TakeBack(); }

  const OpLibrary library_;
  const OptimizedOptions options_;
  std::unique_ptr<optimized::LocalRendezvous> rendezvous_;  // of the last step
  LentFeeds lent_;
};

}  // namespace

optimized::SessionOptions SessionOptionsOf(const OptimizedOptions& options) {
  optimized::SessionOptions session;
  session.threads = options.threads;
  session.executor = options.executor;
  session.native = options.native;
  session.devices = options.devices;
  session.lowers_functions = options.lowers_functions;
  if (options.simplify) {
    session.passes = Passes::All();
    session.simplify_if_worthwhile = false;
  }
  return session;
}

std::unique_ptr<Servant> MakeOptimizedServant(const OpLibrary& library,
                                              const OptimizedOptions& options) {
  return std::make_unique<OptimizedServant>(library, options);
}

}  // namespace tagflow::conformance
