// The end of an iteration, over all of its indices on the host.

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <utility>

#include "optimized/devices/gpu/kernels/commit_body.h"
#include "optimized/devices/gpu/kernels/each_index.h"

namespace tagflow::optimized {
namespace {

int64_t PiecesOf(const CommitArgs& args) {
  int64_t pieces = 0;
  for (int i = 0; i < args.count; ++i) pieces += CommitBody::PiecesOf(args.copies[i]);
  return pieces;
}

TEST(Commit, CopiesWhateverLength) {
  alignas(16) const char from[] = "0123456789abcdef0123456789abcdef0123456789";
  for (int64_t bytes = 1; bytes < static_cast<int64_t>(sizeof(from)) - 1; ++bytes) {
    for (const int64_t shift : {0, 1}) {  // in pieces, and byte by byte
      alignas(16) char to[sizeof(from)] = {};
      char scalar[5] = {};
      CommitArgs args;
      args.copies[args.count++] = {from + shift, to, bytes, {}};
      args.copies[args.count++] = {nullptr, scalar, 4, {'a', 'b', 'c', 'd'}};
      OnHost(CommitBody{args}, PiecesOf(args));
      EXPECT_EQ(std::string(to), std::string(from + shift, static_cast<size_t>(bytes)));
      EXPECT_STREQ(scalar, "abcd");
    }
  }
}

TEST(Commit, CopiesRowsOfTheIteration) {
  alignas(16) char first[16], second[16], put[2][16] = {}, taken[16];
  std::memset(first, 'a', sizeof(first));
  std::memset(second, 'b', sizeof(second));
  char* const from[] = {first, second};
  char* const to[] = {put[0], put[1]};
  // Where kernels find the columns.
  char* const* from_column = from;
  char* const* to_column = to;
  for (int64_t begun = 1; begun <= 2; ++begun) {
    CommitArgs args;
    args.begun = &begun;
    args.copies[args.count++] = {
        reinterpret_cast<const char*>(&from_column), taken, 16, {}, CommitArgs::Rows::kFrom};
    args.copies[args.count++] = {
        second, reinterpret_cast<char*>(&to_column), 5, {}, CommitArgs::Rows::kTo};
    OnHost(CommitBody{args}, PiecesOf(args));
    EXPECT_EQ(std::string(taken, 16), std::string(16, begun == 1 ? 'a' : 'b'));
    EXPECT_STREQ(put[begun - 1], "bbbbb");
  }
  EXPECT_EQ(put[0][5], 0);
}

// An index outside of the ways chooses the last.                                      [switch.1]
TEST(Commit, AnIndexChoosesAWay) {
  uint64_t fault = FaultPlace::kNone;
  int32_t index = 0;
  bool holds = false;
  CommitArgs args;
  args.fault = &fault;
  args.has_condition = true;
  args.index = &index;
  args.ways = 3;
  args.goes_on = &holds;
  const auto chosen = [&](int32_t way) {
    args.way = way;
    OnHost(CommitBody{args}, 1);
    return holds;
  };
  for (const auto& [given, wanted] : {std::pair{0, 0}, {1, 1}, {2, 2}, {3, 2}, {-1, 2}}) {
    index = given;
    for (int32_t way = 0; way < 3; ++way) EXPECT_EQ(chosen(way), way == wanted) << given;
  }
}

TEST(Commit, CountsIterationsUpToTheLast) {
  bool predicate = true, goes_on = false;
  int64_t begun[2] = {0, 2};
  uint64_t fault = FaultPlace::kNone;
  CommitArgs args;
  args.fault = &fault;
  args.has_condition = true;
  args.predicate = &predicate;
  args.begun = begun;
  args.goes_on = &goes_on;
  for (const int64_t wanted : {1, 2, 2}) {
    OnHost(CommitBody{args}, 1);
    EXPECT_EQ(begun[0], wanted);
    EXPECT_TRUE(goes_on);
  }
  predicate = false;
  OnHost(CommitBody{args}, 1);
  EXPECT_EQ(begun[0], 2);
  EXPECT_FALSE(goes_on);

  // A kernel has failed.
  begun[0] = 0;
  predicate = true;
  fault = 0;
  OnHost(CommitBody{args}, 1);
  EXPECT_EQ(begun[0], 0);
  EXPECT_FALSE(goes_on);
}

}  // namespace
}  // namespace tagflow::optimized
