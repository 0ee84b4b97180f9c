#ifndef TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_ROW_LINKS_H_
#define TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_ROW_LINKS_H_

// Which rows of one tensor go to which rows of another, where many may go to one: for each row of
// the output, those that go there, from first to last. Who folds these in that order gives the bits
// that the host gives, in every run; atomic additions, which take them as they come, would not.
//
// They are linked: first[row] is the first that goes there, next[i] the one that follows i. Three
// passes make that of the names:
//   1. first[row] becomes kNone, of each row of the output
//   2. targets[i] becomes the row that i goes to, or nowhere
//   3. each of P threads goes through all targets, from the last to the first, and links those
//      of its part of the output in front
// Threads of a warp read the same target at a time, and write to different rows.
//
// Where only rows of the output are looked at that something goes to, pass 1 is for those alone,
// and comes after pass 2.
//
// Costs: of n rows, n steps for the slowest thread, each a read from a cache, and a write for each
// row of its part; P n reads in all, where P is the number of rows of the output, or kPartsMax of
// more. Nothing is sorted. Memory: a word for each row of the output, and two for each of the n.
//
// Tested by conformance/gpu/host_scatter_test.cc and host_row_updates_test.cc.

#include <cstdint>

#include "optimized/devices/gpu/kernels/coordinates.h"
#include "optimized/devices/gpu/kernels/each_index.h"
#include "optimized/devices/gpu/kernels/passes.h"
#include "optimized/formulas/anywhere.h"

namespace tagflow::optimized {

struct RowLinks {
  static constexpr int64_t kNone = -1;

  Coordinates coordinates;  // of the row of the output that each goes to
  int64_t count;            // of the rows that go there
  int64_t rows;             // of the output
  int64_t* targets;         // [count]
  int64_t* next;            // [count]
  int64_t* first;           // [rows]

  int64_t words() const { return 2 * count + rows; }
  void Take(int64_t* room) {  // of so many words
    targets = room;
    next = room + count;
    first = next + count;
  }
};

struct ForgetLinks {
  TAGFLOW_ANYWHERE void operator()(int64_t row) const { first[row] = RowLinks::kNone; }
  int64_t* first;
};

template <typename I>
struct FindTargets {
  explicit FindTargets(const RowLinks& links) : row_of(links.coordinates), targets(links.targets) {}
  TAGFLOW_ANYWHERE void operator()(int64_t i) const { targets[i] = row_of(i); }
  RowFinder<I> row_of;
  int64_t* targets;
};

// Of the rows that something goes to: several threads may write the same to one.
struct ForgetLinksOfTargets {
  TAGFLOW_ANYWHERE void operator()(int64_t i) const {
    if (targets[i] != Coordinates::kNowhere) first[targets[i]] = RowLinks::kNone;
  }
  const int64_t* targets;
  int64_t* first;
};

struct LinkPart {
  static constexpr int64_t kPartsMax = 16384;  // a power of two, and a few warps for each core
  static constexpr int kAtOnce = 8;

  explicit LinkPart(const RowLinks& links)
      : count(links.count), targets(links.targets), next(links.next), first(links.first) {
    while (parts < links.rows && parts < kPartsMax) parts *= 2;
  }
  TAGFLOW_ANYWHERE void operator()(int64_t part) const {
    // Several are read before the first is linked, so that no read waits for the one before.
    for (int64_t end = count; end > 0; end -= kAtOnce) {
      int64_t rows[kAtOnce];
      for (int k = 0; k < kAtOnce; ++k) {
        rows[k] = k < end ? targets[end - 1 - k] : Coordinates::kNowhere;
      }
      for (int k = 0; k < kAtOnce; ++k) {
        if (rows[k] == Coordinates::kNowhere || (rows[k] & (parts - 1)) != part) continue;
        next[end - 1 - k] = first[rows[k]];
        first[rows[k]] = end - 1 - k;
      }
    }
  }
  int64_t count;
  const int64_t* targets;
  int64_t* next;
  int64_t* first;
  int64_t parts = 1;
};

template <typename Run>
auto RunFindTargets(const RowLinks& links, const Run& run) {
  return links.coordinates.are_wide ? run(FindTargets<int64_t>(links), links.count)
                                    : run(FindTargets<int32_t>(links), links.count);
}
template <typename Run>
auto RunLinkParts(const RowLinks& links, const Run& run) {
  const LinkPart link(links);
  return run(link, link.parts);
}

template <typename Run>
auto LinkRows(const RowLinks& links, const Run& run) {
  return InTurn([&] { return run(ForgetLinks{links.first}, links.rows); },
                [&] { return RunFindTargets(links, run); },
                [&] { return RunLinkParts(links, run); });
}
// Leaves first[row] as it was of a row that nothing goes to, so that it costs nothing.
template <typename Run>
auto LinkTargets(const RowLinks& links, const Run& run) {
  return InTurn([&] { return RunFindTargets(links, run); },
                [&] {
                  return run(ForgetLinksOfTargets{links.targets, links.first}, links.count);
                },
                [&] { return RunLinkParts(links, run); });
}

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_ROW_LINKS_H_
