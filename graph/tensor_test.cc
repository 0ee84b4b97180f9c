#include "graph/tensor.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <memory>
#include <new>
#include <vector>

#include "graph/host_memory.h"

namespace tagflow {
namespace {

// Hands out memory until `left` bytes are gone, and counts what is out.
class Limited : public Allocator {
 public:
  explicit Limited(size_t left) : left_(left) {}
  void* Allocate(size_t bytes) override {
    if (bytes > left_) return nullptr;
    left_ -= bytes;
    ++live_;
    return HostAllocator().Allocate(bytes);
  }
  void Deallocate(void* pointer, size_t bytes) override {
    --live_;
    HostAllocator().Deallocate(pointer, bytes);
  }
  int live() const { return live_; }

 private:
  size_t left_;
  int live_ = 0;
};

// Memory that the host must not look at.
class FakeDevice : public Limited {
 public:
  FakeDevice() : Limited(1 << 20) {}
  MemoryKind memory_kind() const override { return MemoryKind::kDevice; }
};

Tensor Matrix() { return Tensor::Of<float>(Dims{2, 3}, std::vector<float>{1, 2, 3, 4, 5, 6}); }

TEST(TensorTest, NoValue) {
  const Tensor none;
  EXPECT_FALSE(none.has_value());
  EXPECT_EQ(none.DebugString(), "<no value>");
  EXPECT_TRUE(BitwiseEqual(none, Tensor()));
  EXPECT_FALSE(BitwiseEqual(none, Tensor::Scalar(0)));
}

TEST(TensorTest, SmallScalarsAreInline) {
  Limited allocator(0);
  for (int number = 1; number <= 23; ++number) {
    const DType dtype = static_cast<DType>(number);
    if (!IsTensorDType(dtype)) continue;
    const Result<Tensor> scalar = Tensor::Allocate(dtype, {}, allocator);
    const bool fits = IsPlainDType(dtype) && DTypeSize(dtype) <= 8;
    EXPECT_EQ(scalar.ok(), fits) << DTypeName(dtype);
    if (!fits) {
      EXPECT_EQ(scalar.status().code(), Code::kResourceExhausted);
    }
  }
}

TEST(TensorTest, SetScalarReplacesWhateverWasThere) {
  Tensor tensor = Tensor::Vector<float>({1, 2});
  EXPECT_FALSE(tensor.is_inline());
  tensor.SetScalar<int32_t>(7);
  EXPECT_TRUE(tensor.is_inline());
  EXPECT_EQ(tensor.inline_value<int32_t>(), 7);
  EXPECT_TRUE(BitwiseEqual(tensor, Tensor::Scalar<int32_t>(7)));
  tensor.SetScalar<double>(0.5);
  EXPECT_EQ(tensor.scalar<double>(), 0.5);
}

TEST(TensorTest, ElementsThatAreNotPlainAreConstructedInEveryAllocation) {
  const Tensor strings = *Tensor::AllocateUninitialized(DType::kString, Dims{3});
  EXPECT_EQ(strings.flat<std::string>()[2], "");
  const Tensor floats = *Tensor::AllocateUninitialized(DType::kFloat, Dims{3});
  EXPECT_EQ(floats.num_elements(), 3);
}

TEST(TensorTest, ScalarsOfEveryKind) {
  EXPECT_EQ(Tensor::Scalar(int8_t{-7}).scalar<int8_t>(), -7);
  EXPECT_EQ(Tensor::Scalar(true).scalar<bool>(), true);
  EXPECT_EQ(Tensor::Scalar(uint64_t{1} << 63).scalar<uint64_t>(), uint64_t{1} << 63);
  EXPECT_EQ(Tensor::Scalar(std::complex<float>(1, 2)).scalar<std::complex<float>>().imag(), 2);
  EXPECT_EQ(Tensor::Scalar(std::complex<double>(1, 2)).scalar<std::complex<double>>().imag(), 2);
  EXPECT_EQ(Tensor::Scalar(std::string("text")).scalar<std::string>(), "text");
  EXPECT_EQ(Tensor::Scalar(1.5).rank(), 0);
  EXPECT_EQ(Tensor::Scalar(1.5).num_elements(), 1);
}

TEST(TensorTest, AllocatedElementsAreZeroAndAligned) {
  const Tensor tensor = *Tensor::Allocate(DType::kDouble, Dims{3, 5});
  EXPECT_EQ(reinterpret_cast<uintptr_t>(tensor.raw_data()) % 64, 0u);
  for (const double value : tensor.flat<double>()) EXPECT_EQ(value, 0);
  EXPECT_EQ(tensor.byte_size(), 120u);
  EXPECT_TRUE(Tensor::Allocate(DType::kString, Dims{2})->flat<std::string>()[1].empty());
}

TEST(TensorTest, BadDims) {
  EXPECT_EQ(Tensor::Allocate(DType::kFloat, Dims{2, -1}).status().code(), Code::kInvalidArgument);
  const Dims overflowing{int64_t{1} << 32, int64_t{1} << 31};
  EXPECT_EQ(Tensor::Allocate(DType::kInt8, overflowing).status().code(), Code::kInvalidArgument);
  const Dims bytes_overflow{int64_t{1} << 61};
  EXPECT_EQ(Tensor::Allocate(DType::kDouble, bytes_overflow).status().code(),
            Code::kResourceExhausted);
  const Dims too_large{int64_t{1} << 50};
  EXPECT_EQ(Tensor::Allocate(DType::kInt8, too_large).status().code(), Code::kResourceExhausted);
  EXPECT_EQ(*NumElements(Dims{}), 1);
  EXPECT_EQ(*NumElements(Dims{4, 0, 5}), 0);
}

TEST(TensorTest, AllocationsCanBeLimited) {
  EXPECT_EQ(LimitHostAllocations(1000), 0u);
  EXPECT_TRUE(Tensor::Allocate(DType::kInt8, Dims{1000}).ok());
  EXPECT_EQ(Tensor::Allocate(DType::kInt8, Dims{1001}).status().code(), Code::kResourceExhausted);
  EXPECT_EQ(LimitHostAllocations(0), 1000u);
  EXPECT_TRUE(Tensor::Allocate(DType::kInt8, Dims{1001}).ok());
}

TEST(TensorTest, AValueWithoutMemoryIsBadAlloc) {
  class Watch : public HostMemoryWatch {
   public:
    bool Allocates(size_t) override { return false; }
    void Frees(size_t) override {}
  } watch;
  const Tensor rows = Tensor::Vector<float>({1, 2, 3});
  const std::vector<int32_t> values = {4, 5};
  WatchHostMemory(&watch);
  EXPECT_THROW(Tensor::Scalar(std::string("text")), std::bad_alloc);
  EXPECT_THROW(Tensor::Vector(values), std::bad_alloc);
  EXPECT_THROW(Tensor::Of<int32_t>(Dims{2, 1}, values), std::bad_alloc);
  EXPECT_THROW((void)rows.SliceOuter(1, 1), std::bad_alloc);
  EXPECT_THROW((void)rows.Reshaped(Dims{3, 1}), std::bad_alloc);
  EXPECT_THROW((void)Tensor::Scalar(1.5f).Reshaped(Dims{1}), std::bad_alloc);
  EXPECT_EQ(Tensor::Scalar(1.5f).scalar<float>(), 1.5f);  // in the tensor itself
  WatchHostMemory(nullptr);
  EXPECT_TRUE(rows.unique());
}

TEST(TensorTest, AllocationsAreWatchedAndMayBeRefused) {
  class Watch : public HostMemoryWatch {
   public:
    bool Allocates(size_t bytes) override {
      if (bytes > 100) return false;
      live += bytes;
      return true;
    }
    void Frees(size_t bytes) override { live -= bytes; }
    size_t live = 0;
  } watch;
  EXPECT_EQ(WatchHostMemory(&watch), nullptr);
  {
    const auto small = Tensor::Allocate(DType::kFloat, Dims{10});
    EXPECT_TRUE(small.ok());
    EXPECT_EQ(watch.live, 40u);
    EXPECT_EQ(Tensor::Allocate(DType::kFloat, Dims{100}).status().code(), Code::kResourceExhausted);
    EXPECT_EQ(watch.live, 40u);
  }
  EXPECT_EQ(watch.live, 0u);
  EXPECT_EQ(WatchHostMemory(nullptr), &watch);
}

TEST(TensorTest, AnAllocatorThatFailsIsAnErrorAndLeaksNothing) {
  Limited allocator(64);
  {
    const Result<Tensor> first = Tensor::Allocate(DType::kFloat, Dims{8}, allocator);
    ASSERT_TRUE(first.ok());
    const Result<Tensor> second = Tensor::Allocate(DType::kFloat, Dims{9}, allocator);
    ASSERT_EQ(second.status().code(), Code::kResourceExhausted);
    EXPECT_NE(second.status().message().find("[9]"), std::string::npos);
    EXPECT_EQ(allocator.live(), 1);
  }
  EXPECT_EQ(allocator.live(), 0);
}

TEST(TensorTest, CopiesShareAndTheLastOneFrees) {
  Limited allocator(1 << 10);
  Tensor a = *Tensor::Allocate(DType::kString, Dims{3}, allocator);
  a.mutable_data<std::string>()[1] = std::string(100, 'x');
  EXPECT_TRUE(a.unique());
  Tensor b = a;
  EXPECT_FALSE(a.unique());
  EXPECT_EQ(a.raw_data(), b.raw_data());
  a = Tensor();
  EXPECT_TRUE(b.unique());
  EXPECT_EQ(b.flat<std::string>()[1].size(), 100u);
  b = b.Reshaped(Dims{1, 3});
  EXPECT_EQ(allocator.live(), 1);
  const Tensor c = std::move(b);
  EXPECT_FALSE(b.has_value());  // NOLINT: what a moved-from Tensor is
  EXPECT_EQ(c.dim(1), 3);
}

TEST(TensorTest, ViewsShareData) {
  const Tensor matrix = Matrix();
  const Tensor row = matrix.SliceOuter(1, 1);
  EXPECT_EQ(row.DebugString(), "float[1,3] [[4, 5, 6]]");
  EXPECT_EQ(row.data<float>(), matrix.data<float>() + 3);
  const Tensor flat = row.Reshaped(Dims{3});
  EXPECT_EQ(flat.data<float>(), row.data<float>());
  EXPECT_EQ(matrix.SliceOuter(2, 0).num_elements(), 0);
  EXPECT_EQ(matrix.SliceOuter(0, 2).DebugString(), matrix.DebugString());
}

TEST(TensorTest, AViewKeepsItsOwnerAliveAndIsNotUniqueBesideIt) {
  Tensor view;
  {
    const Tensor matrix = Matrix();
    view = matrix.SliceOuter(1, 1).Reshaped(Dims{3});
    EXPECT_FALSE(view.unique());
    EXPECT_FALSE(matrix.unique());
  }
  EXPECT_TRUE(view.unique());
  EXPECT_EQ(view.flat<float>()[2], 6);
}

TEST(TensorTest, BorrowedElementsAreReadWhereTheyLieAndNeverWritten) {
  const auto memory = std::make_shared<std::vector<float>>(std::vector<float>{0, 1, 2, 3, 4});
  {
    const Tensor tensor = *Tensor::Borrow(DType::kFloat, Dims{2, 2}, &(*memory)[1], memory);
    EXPECT_EQ(tensor.raw_data(), &(*memory)[1]);
    EXPECT_TRUE(tensor.is_borrowed());
    EXPECT_FALSE(tensor.unique());
    const Tensor row = tensor.SliceOuter(1, 1);
    EXPECT_TRUE(row.is_borrowed());
    EXPECT_FALSE(row.unique());
    EXPECT_EQ(*row.data<float>(), 3);
    const Tensor clone = *tensor.Clone();
    EXPECT_FALSE(clone.is_borrowed());
    EXPECT_TRUE(clone.unique());
  }
  EXPECT_EQ(memory.use_count(), 1);
}

TEST(TensorTest, ABorrowedScalarIsCopiedAndBadDimsAreErrors) {
  const auto memory = std::make_shared<float>(7);
  const Tensor scalar = *Tensor::Borrow(DType::kFloat, {}, memory.get(), memory);
  EXPECT_EQ(memory.use_count(), 1);
  EXPECT_FALSE(scalar.is_borrowed());
  EXPECT_TRUE(scalar.unique());
  EXPECT_EQ(scalar.scalar<float>(), 7);
  const auto bad = Tensor::Borrow(DType::kFloat, Dims{-1}, memory.get(), memory);
  EXPECT_EQ(bad.status().code(), Code::kInvalidArgument);
}

TEST(TensorTest, ReshapeToAndFromAnInlineScalar) {
  const Tensor one = Tensor::Vector<int32_t>({7});
  const Tensor scalar = one.Reshaped({});
  EXPECT_TRUE(scalar.unique());
  EXPECT_EQ(scalar.scalar<int32_t>(), 7);
  EXPECT_EQ(scalar.Reshaped(Dims{1, 1}).DebugString(), "int32[1,1] [[7]]");
  EXPECT_EQ(scalar.Reshaped({}).scalar<int32_t>(), 7);
  const Tensor text = Tensor::Vector<std::string>({"a"}).Reshaped({});
  EXPECT_EQ(text.rank(), 0);
  EXPECT_EQ(text.scalar<std::string>(), "a");
}

TEST(TensorTest, CloneIsUniqueAndEqual) {
  const Tensor matrix = Matrix();
  const Tensor shared = matrix;
  const Tensor row = matrix.SliceOuter(1, 1);
  Tensor clone = *row.Clone();
  EXPECT_TRUE(clone.unique());
  EXPECT_TRUE(BitwiseEqual(clone, row));
  clone.mutable_data<float>()[0] = 99;
  EXPECT_EQ(row.flat<float>()[0], 4);
  const Tensor text = Tensor::Vector<std::string>({"a", std::string(50, 'b')});
  EXPECT_TRUE(BitwiseEqual(*text.Clone(), text));
  EXPECT_EQ(Tensor::Scalar(5).Clone()->scalar<int32_t>(), 5);
}

// Writes through a pointer to an element, then moves the tensor: an optimizer once put the move
// first.
Result<double> Moved(std::vector<Tensor>& kept, double offset) {
  const Tensor before = kept[0];
  TAGFLOW_ASSIGN_OR_RETURN(Tensor moved, before.Clone());
  if (offset != 0) moved.mutable_data<double>()[0] += offset;
  kept[0] = std::move(moved);
  const double now = kept[0].data<double>()[0];
  kept[0] = before;
  return now;
}

TEST(TensorTest, AnInlineScalarIsMovedWithWhatWasWrittenThroughItsData) {
  std::vector<Tensor> kept = {Tensor::Scalar(0.5)};
  for (double offset : {0.0, 1.0, 2.0, -3.5}) EXPECT_EQ(*Moved(kept, offset), 0.5 + offset);
}

TEST(TensorTest, WrongDTypeAndDeviceMemoryAreOurBugs) {
  EXPECT_DEATH((void)Matrix().data<double>(), "check failed");
  EXPECT_DEATH((void)Matrix().Reshaped(Dims{7}), "check failed");
  EXPECT_DEATH((void)Matrix().SliceOuter(1, 2), "check failed");
  FakeDevice device;
  const Tensor remote = *Tensor::Allocate(DType::kFloat, Dims{4}, device);
  EXPECT_EQ(remote.memory_kind(), MemoryKind::kDevice);
  EXPECT_DEATH((void)remote.data<float>(), "check failed");
  EXPECT_EQ(remote.DebugString(), "float[4] <in device memory>");
}

}  // namespace
}  // namespace tagflow
