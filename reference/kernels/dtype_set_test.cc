// A kernel by itself refuses what no definition of its op lets through.

#include "reference/kernels/dtype_set.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "reference/kernel.h"

namespace tagflow::reference {
namespace {

// What the kernel of the op says to these inputs, without a definition.
std::string Refusal(const std::string& op, std::vector<Tensor> inputs) {
  Node node;
  node.op = op;
  const Signature signature;
  Resources resources;
  const std::string tag;
  AccessLog accesses;
  KernelContext context{node,      signature, std::move(inputs), {}, std::vector<Tensor>(1), {},
                        resources, tag,       accesses};
  return (*KernelRegistry::Standard().Find(op))(context).ToString();
}

TEST(DTypeSet, KernelsRefuseOtherDTypes) {
  const Tensor two = Tensor::Vector<int32_t>({1, 2});
  EXPECT_EQ(Refusal("Exp", {two}), "UNIMPLEMENTED: no kernel of op Exp for dtype int32");
  EXPECT_EQ(Refusal("AddV2", {two, Tensor::Vector<int64_t>({1, 2})}),
            "INVALID_ARGUMENT: the inputs of op AddV2 must have one dtype, not int32 and int64");
  EXPECT_EQ(Refusal("LogicalNot", {two}),
            "UNIMPLEMENTED: no kernel of op LogicalNot for dtype int32");
}

}  // namespace
}  // namespace tagflow::reference
