#include "cli/feeds.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "cli/file.h"
#include "cli/npy.h"
#include "cli/outputs.h"
#include "graph/test_graph.h"

namespace tagflow::cli {
namespace {

namespace fs = std::filesystem;

#define EXPECT_CONTAINS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

class FilesTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        testing::TempDir() + "/" + testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(folder_);
    ASSERT_TRUE(MakeFolder(folder_).ok());
  }
  size_t FileCount() const {
    return static_cast<size_t>(
        std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }
  std::string folder_;
};

TEST_F(FilesTest, AFileAppearsWholeOrNotAtAll) {
  const std::string path = folder_ + "/a";
  {
    AtomicFile file(path);
    ASSERT_TRUE(file.Open().ok());
    ASSERT_TRUE(file.Write("half").ok());
    EXPECT_FALSE(fs::exists(path));
  }
  EXPECT_EQ(FileCount(), 0u);
  AtomicFile file(path);
  ASSERT_TRUE(file.Open().ok());
  ASSERT_TRUE(file.Write("whole").ok());
  ASSERT_TRUE(file.Commit().ok());
  EXPECT_EQ(*ReadFile(path), "whole");
  EXPECT_EQ(FileCount(), 1u);
}

TEST_F(FilesTest, ErrorsNameTheFile) {
  EXPECT_EQ(ReadFile(folder_ + "/none").status().code(), Code::kNotFound);
  EXPECT_CONTAINS(ReadFile(folder_ + "/none").status().message(), "/none'");
  EXPECT_FALSE(ReadFile(folder_).ok());
  EXPECT_FALSE(AtomicFile(folder_).Open().ok());
  EXPECT_EQ(AtomicFile(folder_ + "/none/a").Open().code(), Code::kNotFound);
  ASSERT_TRUE(WriteOutputs(folder_, {"x"}, {Tensor::Scalar(1)}).ok());
  EXPECT_FALSE(MakeFolder(folder_ + "/x.npy").ok());
}

TEST_F(FilesTest, OutputsAreAllWrittenOrNone) {
  const std::vector<Tensor> values = {Tensor::Scalar(1), Tensor::Scalar(Variant())};
  EXPECT_CONTAINS(WriteOutputs(folder_, {"a", "b"}, values).status().message(), "fetch 'b'");
  EXPECT_EQ(FileCount(), 0u);
  const auto paths = WriteOutputs(folder_, {"a", "b:1"}, {values[0], values[0]});
  ASSERT_TRUE(paths.ok());
  EXPECT_EQ(*paths, (std::vector<std::string>{folder_ + "/a.npy", folder_ + "/b_1.npy"}));
  EXPECT_EQ(FileCount(), 2u);
}

TEST_F(FilesTest, FeedsTakeTheDTypeOfTheGraph) {
  const TestGraph g(R"(
    x = Placeholder() T=double
    i = Const() T=int32
    m = Mystery()
  )");
  const auto feed = [&](const std::string& word) -> std::string {
    const auto parsed = ParseFeed(g.graph(), word);
    return parsed.ok() ? parsed->first + " " + parsed->second.DebugString()
                       : parsed.status().ToString();
  };
  EXPECT_EQ(feed("x=3"), "x double[] 3");
  EXPECT_EQ(feed("i:0=[4]"), "i:0 int32[1] [4]");
  EXPECT_EQ(feed("m:5=3"), "m:5 int32[] 3");
  EXPECT_CONTAINS(feed("i=2.5"), "feed 'i': '2.5' is not a value of dtype int32");
  EXPECT_CONTAINS(feed("y=1"), "feed 'y': the graph has no node 'y'");
  EXPECT_CONTAINS(feed("x"), "NAME=VALUE");
  EXPECT_CONTAINS(feed("=3"), "NAME=VALUE");

  const auto paths = WriteOutputs(folder_, {"v"}, {Tensor::Vector<double>({1, 2})});
  EXPECT_EQ(feed("x=" + paths->front()), "x double[2] [1, 2]");
  EXPECT_CONTAINS(feed("i=" + paths->front()), "holds double, and the graph wants int32");
  EXPECT_CONTAINS(feed("i=" + paths->front()), "save the array with that dtype");
  const auto longs = WriteOutputs(folder_, {"w"}, {Tensor::Vector<int64_t>({1, 1ll << 40})});
  EXPECT_EQ(feed("x=" + longs->front()), "x double[2] [1, 1099511627776]");
  EXPECT_CONTAINS(feed("i=" + longs->front()), "element [1], 1099511627776, is not a value of");
  // As results are printed: what was an int32 there may be a double here.
  EXPECT_EQ(feed("x=int32[2] [1, 2]"), "x double[2] [1, 2]");
  EXPECT_EQ(feed("x=double[0,3] []"), "x double[0,3] []");
  EXPECT_CONTAINS(feed("i=double[] 1"), "holds double, and the graph wants int32");
  EXPECT_EQ(feed("x=int32:3"), "x int32[] 3");  // which the call then refuses
}

}  // namespace
}  // namespace tagflow::cli
