// Tests: kernel.cc

#include "reference/resources.h"

#include <gtest/gtest.h>

#include "reference/kernel.h"
#include "reference/test_step.h"

namespace tagflow::reference {
namespace {

const Resources::Key kKey = {"", "v"};

TEST(Resources, OneVariablePerContainerAndName) {
  Resources resources;
  auto v = *resources.FindOrCreateVariable(kKey, DType::kInt32, PartialShape());
  EXPECT_EQ(*resources.FindOrCreateVariable(kKey, DType::kInt32, PartialShape()), v);
  EXPECT_NE(*resources.FindOrCreateVariable({"c", "v"}, DType::kInt32, PartialShape()), v);
  EXPECT_EQ(resources.FindOrCreateVariable(kKey, DType::kFloat, PartialShape()).status().code(),
            Code::kInvalidArgument);
}

TEST(Resources, ACloneHasVariablesOfItsOwn) {
  Resources resources;
  auto v = *resources.FindOrCreateVariable(kKey, DType::kInt32, PartialShape());
  v->value = Int(1);
  Resources clone = resources.Clone();
  auto copy = *clone.FindOrCreateVariable(kKey, DType::kInt32, PartialShape());
  EXPECT_EQ(copy->value.scalar<int32_t>(), 1);
  copy->value = Int(2);
  EXPECT_EQ(v->value.scalar<int32_t>(), 1);
}

TEST(Resources, AStateBelongsToANode) {
  Resources resources;
  auto state = resources.FindOrCreateState("a", 1, 2);
  state->count = 3;
  EXPECT_EQ(resources.FindOrCreateState("a", 5, 5), state);
  EXPECT_NE(resources.FindOrCreateState("b", 1, 2), state);
  Resources clone = resources.Clone();
  auto copy = clone.FindOrCreateState("a", 0, 0);
  EXPECT_NE(copy, state);
  EXPECT_EQ(copy->seed, 1u);
  EXPECT_EQ(copy->count, 3u);
}

struct Kept : SessionObject {
  std::shared_ptr<SessionObject> Clone() const override { return std::make_shared<Kept>(*this); }
};

TEST(Resources, AnObjectStaysUntilItIsRemovedAndIsCopiedWhole) {
  Resources resources;
  EXPECT_EQ(resources.FindObject({"", "t"}), nullptr);
  const auto object = std::make_shared<Kept>();
  object->name = "t";
  resources.AddObject({"", "t"}, object);
  EXPECT_EQ(resources.FindObject({"", "t"}), object);
  const auto copy = resources.Clone().FindObject({"", "t"});
  EXPECT_NE(copy, object);
  EXPECT_EQ(copy->name, "t");
  EXPECT_TRUE(resources.RemoveObject({"", "t"}));
  EXPECT_FALSE(resources.RemoveObject({"", "t"}));
}

struct Probe : StepObject {
  explicit Probe(int* ends) : ends(ends) {}
  void End() override { ++*ends; }
  int* ends;
};

TEST(Resources, AStepObjectEndsWithItsLastHandleOrTheStep) {
  Resources resources;
  int ends = 0;
  auto handle = resources.Adopt(std::make_shared<Probe>(&ends));
  EXPECT_EQ(ends, 0);
  handle.reset();
  EXPECT_EQ(ends, 1);
  auto kept = resources.Adopt(std::make_shared<Probe>(&ends));
  resources.EndStep();
  EXPECT_GE(ends, 2);
}

TEST(KernelRegistry, OneKernelPerOp) {
  KernelRegistry registry;
  const Kernel kernel = [](KernelContext&) { return Status(); };
  EXPECT_TRUE(registry.Register("Twice", kernel).ok());
  EXPECT_EQ(registry.Register("Twice", kernel).code(), Code::kAlreadyExists);
  EXPECT_NE(registry.Find("Twice"), nullptr);
  EXPECT_EQ(registry.Find("Never"), nullptr);
  EXPECT_EQ(registry.Ops(), std::vector<std::string>{"Twice"});
}

}  // namespace
}  // namespace tagflow::reference
