// The GPU's own matrix products, run on the host over all indices, against the reference.
// Tests: product_bodies.h

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "conformance/gpu/against_reference.h"
#include "optimized/devices/gpu/kernels/product_bodies.h"

namespace tagflow::optimized {
namespace {

using conformance::Bounds;
using conformance::DifferenceFromReference;
using conformance::Mixed;

struct Call {
  std::string op;
  Dims a_batch, b_batch, batch;
};

template <typename C>
class Check {
 public:
  Check(const Call& call, bool a_is_transposed, bool b_is_transposed, int64_t inner)
      : call_(call), a_is_transposed_(a_is_transposed), b_is_transposed_(b_is_transposed) {
    a_ = Mixed<C>(DimsOf(call.a_batch, kRows, inner, a_is_transposed));
    b_ = Mixed<C>(DimsOf(call.b_batch, inner, kColumns, b_is_transposed));
    out_ = *Tensor::Allocate(DTypeOf<C>::value, DimsOf(call.batch, kRows, kColumns, false));
    ProductArgs args = {};
    args.a = PlacesOfFactor(a_.data<C>(), kRows, inner, a_is_transposed, call.a_batch.empty());
    args.b = PlacesOfFactor(b_.data<C>(), inner, kColumns, b_is_transposed, call.b_batch.empty());
    args.out = out_.mutable_data<C>();
    args.rows = kRows;
    args.inner = inner;
    args.columns = kColumns;
    args.count = out_.num_elements();
    args.batches = *PlacesOf(call.a_batch, call.b_batch, call.batch);
    OnHost(ProductBody<C>(args), args.count);
  }

  std::string Difference() const {
    const bool is_single = call_.op == "MatMul";
    const AttrMap attrs = {{is_single ? "transpose_a" : "adj_x", a_is_transposed_},
                           {is_single ? "transpose_b" : "adj_y", b_is_transposed_}};
    return DifferenceFromReference(call_.op, {a_, b_}, attrs, {out_}, BoundsFor());
  }

 private:
  static constexpr int64_t kRows = 3, kColumns = 5;

  static Dims DimsOf(Dims dims, int64_t rows, int64_t columns, bool is_transposed) {
    if (is_transposed) std::swap(rows, columns);
    dims.insert(dims.end(), {rows, columns});
    return dims;
  }
  // Both sum in double and round once.
  Bounds BoundsFor() const {
    if (std::is_integral_v<C>) return {};
    constexpr double kEpsilons = 2, kMagnitudeMax = 4;  // of a product of two elements of Mixed
    return {.magnitude_relative = kEpsilons * std::numeric_limits<C>::epsilon(),
            .magnitude = kMagnitudeMax * static_cast<double>(a_.num_elements() + 1)};
  }

  const Call& call_;
  bool a_is_transposed_, b_is_transposed_;
  Tensor a_, b_, out_;
};

struct RunsProducts {
  template <typename C>
  void operator()(const std::string& op, DType) const {
    for (const Call& call : kCalls) {
      if (call.op != op) continue;
      for (const bool a_is_transposed : {false, true}) {
        for (const bool b_is_transposed : {false, true}) {
          for (const int64_t inner : {0, 1, 70}) {
            EXPECT_EQ(Check<C>(call, a_is_transposed, b_is_transposed, inner).Difference(), "")
                << op << " of batches " << DimsString(call.batch);
            ++*products;
          }
        }
      }
    }
  }
  static const std::vector<Call> kCalls;
  int* products;
};
const std::vector<Call> RunsProducts::kCalls = {
    {"MatMul", {}, {}, {}},
    {"BatchMatMul", {}, {}, {}},
    {"BatchMatMul", {2, 4}, {2, 4}, {2, 4}},
    {"BatchMatMulV2", {}, {4}, {4}},
    {"BatchMatMulV2", {3}, {1}, {3}},
    {"BatchMatMulV2", {2, 1, 3}, {4, 1}, {2, 4, 3}},
};

TEST(HostProducts, GiveWhatTheReferenceGives) {
  int products = 0;
  ForEachProduct(RunsProducts{&products});
  EXPECT_EQ(products, 6 * 4 * 12) << "calls, dtypes, and ways to read three sizes";
}

}  // namespace
}  // namespace tagflow::optimized
