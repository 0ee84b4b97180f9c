// Tests: bundle_index.cc, merge_bundles.cc

#include "graph/saved/bundle_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "graph/saved/merge_bundles.h"
#include "graph/saved/tensor_bundle.h"

namespace tagflow {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct Saved {
  std::string name;
  Tensor tensor;
  std::string slice = "";
};

class BundleWriterTest : public testing::Test {
 protected:
  BundleWriterTest() {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  Status Save(const std::string& name, const std::vector<Saved>& tensors) {
    TAGFLOW_ASSIGN_OR_RETURN(const auto writer, BundleWriter::Create(folder_ + "/" + name));
    for (const Saved& saved : tensors) {
      TAGFLOW_RETURN_IF_ERROR(writer->Add(saved.name, saved.tensor, saved.slice));
    }
    return writer->Finish();
  }
  Status Merge(std::vector<std::string> names, const std::string& destination,
               const MergeOptions& options = {}) {
    for (std::string& name : names) name = folder_ + "/" + name;
    return MergeBundles(names, folder_ + "/" + destination, options);
  }
  // The value, or the error.
  std::string Read(const std::string& bundle, const std::string& name,
                   const std::string& slice = "") {
    const auto opened = TensorBundle::Open(folder_ + "/" + bundle);
    if (!opened.ok()) return opened.status().ToString();
    const auto tensor = (*opened)->Read(name, slice);
    return tensor.ok() ? tensor->DebugString() : tensor.status().ToString();
  }
  std::set<std::string> Files() {
    std::set<std::string> files;
    for (const auto& file : std::filesystem::recursive_directory_iterator(folder_)) {
      files.insert(std::filesystem::relative(file.path(), folder_).string());
    }
    return files;
  }

  const std::string folder_ = testing::TempDir() + "/written";
  const Tensor floats_ = Tensor::Vector<float>({1, 2});
};

TEST_F(BundleWriterTest, WhatIsWrittenIsRead) {
  const std::string wide(300, 'w');
  const Status saved =
      Save("all", {{"f", floats_},
                   {"words", Tensor::Vector<std::string>({"", wide, std::string("a\0b", 3)})},
                   {"no words", *Tensor::Allocate(DType::kString, Dims{0, 2})},
                   {"scalar", Tensor::Scalar<int64_t>(-7)},
                   {"empty", *Tensor::Allocate(DType::kHalf, Dims{0, 4})},
                   {"yes", Tensor::Vector<std::complex<double>>({{1, 2}})}});
  ASSERT_TRUE(saved.ok()) << saved.ToString();
  EXPECT_EQ(Read("all", "f"), "float[2] [1, 2]");
  EXPECT_EQ(Read("all", "words"), "string[3] [\"\", \"" + wide + "\", \"a\\x00b\"]");
  EXPECT_EQ(Read("all", "no words"), "string[0,2] []");
  EXPECT_EQ(Read("all", "scalar"), "int64[] -7");
  EXPECT_EQ(Read("all", "empty"), "half[0,4] []");
  EXPECT_EQ(Read("all", "f", "2 1,1"), "float[1] [2]");
  EXPECT_THAT(Read("all", "f", "3 1,1"), HasSubstr("INVALID_ARGUMENT: tensor_name = f; shape in"));
  EXPECT_THAT(Files(), ElementsAre("all.data-00000-of-00001", "all.index"));
}

TEST_F(BundleWriterTest, PiecesAreOneTensor) {
  const Tensor words = Tensor::Of<std::string>(Dims{1, 2}, std::vector<std::string>{"a", "b"});
  const Status saved = Save("pieces", {{"f", floats_, "5 0,2"},
                                       {"w", words, "2 2 0,1:-"},
                                       {"f", Tensor::Vector<float>({3, 4, 5}), "5 2,3"},
                                       {"half", floats_, "5 1,2"},
                                       {"twice", floats_, "3 0,2"},
                                       {"twice", floats_, "3 1,2"},
                                       {"w", words, "2 2 1,1:-"}});
  ASSERT_TRUE(saved.ok()) << saved.ToString();
  EXPECT_EQ(Read("pieces", "f"), "float[5] [1, 2, 3, 4, 5]");
  EXPECT_EQ(Read("pieces", "f", "5 1,3"), "float[3] [2, 3, 4]");
  EXPECT_EQ(Read("pieces", "w"), "string[2,2] [[\"a\", \"b\"], [\"a\", \"b\"]]");
  EXPECT_EQ(Read("pieces", "w", "2 2 -:1,1"), "string[2,1] [[\"b\"], [\"b\"]]");
  EXPECT_EQ(Read("pieces", "half", "5 2,1"), "float[1] [2]");
  EXPECT_THAT(Read("pieces", "half"), HasSubstr("Does not have sufficient slices"));
  EXPECT_THAT(Read("pieces", "twice"), HasSubstr("INTERNAL: tensor 'twice'"));
}

TEST_F(BundleWriterTest, WhatContradictsItselfIsNotWritten) {
  const auto says = [&](const std::vector<Saved>& tensors, const std::string& words) {
    EXPECT_THAT(Save("wrong", tensors).ToString(), HasSubstr(words));
    EXPECT_TRUE(Files().empty());
  };
  says({{"a", floats_}, {"a", floats_}}, "INVALID_ARGUMENT: Adding duplicate key: a");
  says({{"a", floats_}, {"a", floats_, "4 0,2"}}, "INVALID_ARGUMENT: Adding duplicate key: a");
  says({{"a", floats_, "4 0,2"}, {"a", floats_}}, "INVALID_ARGUMENT: Adding duplicate key: a");
  says({{"a", floats_, "4 0,2"}, {"a", floats_, "5 2,2"}}, "differ in dtype or whole shape");
  says({{"a", floats_, "4 0,2"}, {"a", Tensor::Vector<int32_t>({1, 2}), "4 2,2"}},
       "differ in dtype or whole shape");
  says({{"a", floats_, "4 0,3"}}, "does not match the shape of the tensor");
  says({{"a", floats_, "4"}}, "Need least two elements");
  says({{"", floats_}}, "is not empty");
  says({{std::string("\0a", 2), floats_}}, "is not empty");
  says({{"a", Tensor::Scalar(ResourceHandle())}}, "UNIMPLEMENTED");
  EXPECT_EQ(Save("no/such/folder", {}).code(), Code::kNotFound);
}

TEST_F(BundleWriterTest, AnOldOneStaysUntilTheNewOneIsWhole) {
  ASSERT_TRUE(Save("one", {{"a", floats_}}).ok());
  EXPECT_FALSE(Save("one", {{"a", Tensor::Scalar<float>(3)}, {"a", floats_}}).ok());
  EXPECT_EQ(Read("one", "a"), "float[2] [1, 2]");
  ASSERT_TRUE(Save("one", {{"a", Tensor::Scalar<float>(3)}}).ok());
  EXPECT_EQ(Read("one", "a"), "float[] 3");
}

TEST_F(BundleWriterTest, SeveralBecomeOne) {
  ASSERT_TRUE(Save("t/p0", {{"a", floats_}, {"c", floats_, "4 0,2"}}).ok());
  ASSERT_TRUE(Save("t/p1", {{"b", floats_}, {"c", floats_, "4 2,2"}}).ok());
  ASSERT_TRUE(Merge({"t/p0", "t/p1"}, "out", {.deletes_folders = true}).ok());
  EXPECT_EQ(Read("out", "a") + Read("out", "b"), "float[2] [1, 2]float[2] [1, 2]");
  EXPECT_EQ(Read("out", "c"), "float[4] [1, 2, 1, 2]");
  EXPECT_THAT(Files(),
              ElementsAre("out.data-00000-of-00002", "out.data-00001-of-00002", "out.index"));
  // And one of that and another.
  ASSERT_TRUE(Save("more", {{"d", floats_}}).ok());
  ASSERT_TRUE(Merge({"more", "out"}, "out").ok());
  EXPECT_EQ(Read("out", "c") + Read("out", "d"), "float[4] [1, 2, 1, 2]float[2] [1, 2]");
  ASSERT_TRUE(Merge({"out"}, "out").ok());
  EXPECT_EQ(Read("out", "c") + Read("out", "d"), "float[4] [1, 2, 1, 2]float[2] [1, 2]");
  EXPECT_EQ(Files().size(), 4u);
}

TEST_F(BundleWriterTest, WhatDoesNotFitTogetherStaysAsItIs) {
  ASSERT_TRUE(Save("a", {{"x", floats_}}).ok());
  ASSERT_TRUE(Save("p", {{"x", floats_, "4 0,2"}}).ok());
  ASSERT_TRUE(Save("q", {{"x", floats_, "6 2,2"}}).ok());
  const auto files = Files();
  const auto says = [&](const std::vector<std::string>& names, const std::string& destination,
                        const std::string& words) {
    EXPECT_THAT(Merge(names, destination).ToString(), HasSubstr(words));
    EXPECT_EQ(Files(), files);
  };
  says({"a", "a"}, "out", "INVALID_ARGUMENT: Duplicate tensor 'x' encountered");
  says({"a", "p"}, "out", "INVALID_ARGUMENT: Duplicate tensor 'x' encountered");
  says({"p", "p"}, "out", "INVALID_ARGUMENT: Duplicate a piece of a tensor");
  says({"p", "q"}, "out", "differ in dtype or whole shape");
  says({"a", "none"}, "out", "INVALID_ARGUMENT: allow_missing_files was set to false");
  says({}, "out", "At least one prefix checkpoint file must exist");
  says({"a"}, "no/such/out", "NOT_FOUND");
  EXPECT_TRUE(Merge({"a", "none"}, "out", {.allows_missing = true}).ok());
  EXPECT_EQ(Read("out", "x"), "float[2] [1, 2]");
  std::filesystem::remove(folder_ + "/out.data-00000-of-00001");
  EXPECT_EQ(Merge({"out"}, "again").code(), Code::kNotFound);
}

TEST_F(BundleWriterTest, AFolderWithOtherFilesStays) {
  ASSERT_TRUE(Save("t/p0", {{"a", floats_}}).ok());
  std::ofstream(folder_ + "/t/kept") << "x";
  ASSERT_TRUE(Merge({"t/p0"}, "out", {.deletes_folders = true}).ok());
  EXPECT_THAT(Files(), ElementsAre("out.data-00000-of-00001", "out.index", "t", "t/kept"));
}

}  // namespace
}  // namespace tagflow
