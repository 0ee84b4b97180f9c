#include "conformance/serve.h"

#include <poll.h>
#include <unistd.h>

#include <condition_variable>
#include <cstdio>
#include <deque>
#include <mutex>
#include <thread>

#include "conformance/frame_io.h"

namespace tagflow::conformance {
namespace {

// One request and whether it was cancelled. Relaxed: the flag alone travels between the threads.
struct Job {
  Request request;
  std::atomic<bool> cancelled{false};
};

class Server {
 public:
  Server(Servant& servant, int output) : servant_(servant), output_(output) {}

  Status Run(int input) {
    Response hello;
    *hello.mutable_hello() = servant_.Introduce();
    TAGFLOW_RETURN_IF_ERROR(WriteAll(output_, Frame(hello)));
    std::thread worker([this] { Work(); });
    const Status status = ReadRequests(input);
    Finish();
    worker.join();
    return status;
  }

 private:
  Status ReadRequests(int input) {
    while (true) {
      TAGFLOW_ASSIGN_OR_RETURN(const std::optional<std::string> bytes, ReadFrame(input));
      if (!bytes.has_value()) return Status();
      auto job = std::make_shared<Job>();
      if (!job->request.ParseFromString(*bytes)) return DataLoss("a frame that is no Request");
      if (job->request.has_cancel()) {
        CancelLast();
      } else {
        Push(std::move(job));
      }
    }
  }

  void Push(std::shared_ptr<Job> job) {
    std::lock_guard<std::mutex> lock(mutex_);
    last_ = job;
    jobs_.push_back(std::move(job));
    changed_.notify_all();
  }

  void CancelLast() {
    std::lock_guard<std::mutex> lock(mutex_);
    if (last_ != nullptr) last_->cancelled.store(true, std::memory_order_relaxed);
  }

  // Lets the worker answer what it has been asked, as long as somebody reads the answers.
  void Finish() {
    std::unique_lock<std::mutex> lock(mutex_);
    no_more_ = true;
    changed_.notify_all();
    while (!changed_.wait_for(lock, std::chrono::milliseconds(100), [this] { return done_; })) {
      pollfd watched{output_, 0, 0};
      if (poll(&watched, 1, 0) < 0 || (watched.revents & (POLLERR | POLLHUP)) == 0) continue;
      for (const auto& job : jobs_) job->cancelled.store(true, std::memory_order_relaxed);
    }
  }

  void Work() {
    while (std::shared_ptr<Job> job = Front()) {
      const Response response = Answer(servant_, job->request, [&job] {
        return job->cancelled.load(std::memory_order_relaxed);
      });
      // Nobody reads: the reader of requests will see the end of its own stream too.
      (void)WriteAll(output_, Frame(response));
      std::lock_guard<std::mutex> lock(mutex_);
      jobs_.pop_front();
    }
  }

  // The next job, left in the queue until it is done; null when there will be none.
  std::shared_ptr<Job> Front() {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [this] { return no_more_ || !jobs_.empty(); });
    if (!jobs_.empty()) return jobs_.front();
    done_ = true;
    changed_.notify_all();
    return nullptr;
  }

  Servant& servant_;
  const int output_;
  std::mutex mutex_;  // guards all below
  std::condition_variable changed_;
  std::deque<std::shared_ptr<Job>> jobs_;
  std::shared_ptr<Job> last_;
  bool no_more_ = false;
  bool done_ = false;
};

}  // namespace

Status Serve(Servant& servant, int input, int output) {
  IgnoreBrokenPipes();
  return Server(servant, output).Run(input);
}

int ClaimStandardOutput() {
  std::fflush(stdout);
  const int frames = dup(STDOUT_FILENO);
  dup2(STDERR_FILENO, STDOUT_FILENO);
  return frames;
}

}  // namespace tagflow::conformance
