// Streams on a virtual clock: jobs in order, beside those of other streams.
// Tests: stream.h, virtual_clock.h

#include "optimized/devices/sim/stream.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>

namespace tagflow::optimized {
namespace {

// A job that writes down when it did what.
struct Notes {
  VirtualClock clock;
  std::string text;
  void Add(const std::string& what) { text += what + "@" + std::to_string(clock.now_ns()) + " "; }
};

class Job : public StreamJob {
 public:
  Job(Notes& notes, std::string name, int64_t duration_ns)
      : notes_(notes), name_(std::move(name)), duration_ns_(duration_ns) {}
  bool Begin() override {
    if (!*may_begin) return false;
    notes_.Add(name_ + "+");
    return true;
  }
  int64_t duration_ns() override { return duration_ns_; }
  bool End() override {
    if (!*may_end) return false;
    notes_.Add(name_ + "-");
    return true;
  }
  void GiveUp() override { notes_.Add(name_ + "!"); }

  std::shared_ptr<bool> may_begin = std::make_shared<bool>(true);
  std::shared_ptr<bool> may_end = std::make_shared<bool>(true);

 private:
  Notes& notes_;
  const std::string name_;
  const int64_t duration_ns_;
};

void RunAll(Notes& notes, std::initializer_list<Stream*> streams) {
  do {
    for (Stream* stream : streams) {
      while (stream->Pump()) {
      }
    }
  } while (notes.clock.Advance());
}

TEST(StreamTest, JobsOfAStreamComeOneAfterAnother) {
  Notes notes;
  Stream stream(notes.clock);
  stream.Add(std::make_unique<Job>(notes, "a", 10));
  stream.Add(std::make_unique<Job>(notes, "b", 5));
  RunAll(notes, {&stream});
  EXPECT_EQ(notes.text, "a+@0 a-@10 b+@10 b-@15 ");
  EXPECT_EQ(stream.busy_ns(), 15);
  EXPECT_TRUE(stream.empty());
}

TEST(StreamTest, StreamsGoOnBesideEachOther) {
  Notes notes;
  Stream one(notes.clock), other(notes.clock);
  one.Add(std::make_unique<Job>(notes, "a", 10));
  one.Add(std::make_unique<Job>(notes, "b", 10));
  other.Add(std::make_unique<Job>(notes, "c", 15));
  RunAll(notes, {&one, &other});
  EXPECT_EQ(notes.text, "a+@0 c+@0 a-@10 b+@10 c-@15 b-@20 ");
}

TEST(StreamTest, AHeadThatWaitsHoldsUpTheRest) {
  Notes notes;
  Stream stream(notes.clock);
  auto first = std::make_unique<Job>(notes, "a", 10);
  const auto may_begin = first->may_begin;
  const auto may_end = first->may_end;
  *may_begin = *may_end = false;
  stream.Add(std::move(first));
  stream.Add(std::make_unique<Job>(notes, "b", 1));
  RunAll(notes, {&stream});
  EXPECT_EQ(notes.text, "");
  *may_begin = true;
  RunAll(notes, {&stream});
  EXPECT_EQ(notes.text, "a+@0 ");
  *may_end = true;
  RunAll(notes, {&stream});
  EXPECT_EQ(notes.text, "a+@0 a-@10 b+@10 b-@11 ");
}

TEST(StreamTest, WhatCannotGoOnIsGivenUp) {
  Notes notes;
  Stream stream(notes.clock);
  auto first = std::make_unique<Job>(notes, "a", 10);
  *first->may_end = false;
  stream.Add(std::move(first));
  stream.Add(std::make_unique<Job>(notes, "b", 1));
  EXPECT_TRUE(stream.Pump());
  EXPECT_FALSE(stream.GiveUp());  // it runs
  RunAll(notes, {&stream});
  EXPECT_TRUE(stream.GiveUp());
  RunAll(notes, {&stream});
  EXPECT_EQ(notes.text, "a+@0 a!@10 b+@10 b-@11 ");
  EXPECT_FALSE(stream.GiveUp());
}

TEST(VirtualClockTest, EventsOfOneTimeHappenInOrder) {
  VirtualClock clock;
  std::string text;
  clock.At(5, [&] { text += "b"; });
  clock.At(5, [&] { text += "c"; });
  clock.At(1, [&] {
    text += "a";
    clock.At(5, [&] { text += "d"; });
  });
  while (clock.Advance()) {
  }
  EXPECT_EQ(text, "abcd");
  EXPECT_EQ(clock.now_ns(), 5);
}

}  // namespace
}  // namespace tagflow::optimized
