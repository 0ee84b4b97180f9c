#include "graph/saved/new_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace tagflow {
namespace {

std::string Folder(const char* name) {
  const std::string folder = testing::TempDir() + "/" + name;
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  return folder;
}

std::string Content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

size_t FilesIn(const std::string& folder) {
  return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
}

TEST(NewFileTest, IsThereWhenItIsCommitted) {
  const std::string folder = Folder("committed"), path = folder + "/f";
  std::ofstream(path) << "old";
  std::string all;
  {
    const auto file = NewFile::Create(path);
    ASSERT_TRUE(file.ok()) << file.status().ToString();
    for (const size_t size : {0u, 10u, 70000u, 1u, 65535u, 65536u}) {
      const std::string bytes(size, static_cast<char>('a' + size % 26));
      all += bytes;
      EXPECT_TRUE((*file)->Append(bytes).ok());
    }
    EXPECT_EQ(Content(path), "old");
    EXPECT_TRUE((*file)->Commit().ok());
    EXPECT_EQ(Content(path), all);
  }
  EXPECT_EQ(Content(path), all);
  EXPECT_EQ(FilesIn(folder), 1u);
}

TEST(NewFileTest, LeavesNothingWhereItIsNotCommitted) {
  const std::string folder = Folder("left");
  {
    const auto a = NewFile::Create(folder + "/f"), b = NewFile::Create(folder + "/f");
    ASSERT_TRUE(a.ok() && b.ok());
    EXPECT_NE((*a)->temporary_path(), (*b)->temporary_path());
    EXPECT_TRUE((*a)->Append("x").ok());
    EXPECT_EQ(FilesIn(folder), 2u);
  }
  EXPECT_EQ(FilesIn(folder), 0u);
}

TEST(NewFileTest, SaysWhyItCannotBeMade) {
  const std::string folder = Folder("refused");
  EXPECT_EQ(NewFile::Create(folder + "/none/f").status().code(), Code::kNotFound);
  std::ofstream(folder + "/file") << "x";
  EXPECT_EQ(NewFile::Create(folder + "/file/f").status().code(), Code::kFailedPrecondition);
  EXPECT_EQ(NewFile::Create(std::string("a\0b", 3)).status().code(), Code::kInvalidArgument);
  EXPECT_EQ(NewFile::Create(std::string(5000, 'x')).status().code(), Code::kInvalidArgument);
  std::filesystem::create_directory(folder + "/taken");
  const auto file = NewFile::Create(folder + "/taken");
  ASSERT_TRUE(file.ok());
  EXPECT_EQ((*file)->Commit().code(), Code::kFailedPrecondition);
}

TEST(NewFileTest, AFolderIsMadeInOneThatIsThere) {
  const std::string folder = Folder("folders");
  EXPECT_TRUE(MakeFolderOf(folder + "/a/f").ok());
  EXPECT_TRUE(MakeFolderOf(folder + "/a/f").ok());
  EXPECT_TRUE(std::filesystem::is_directory(folder + "/a"));
  EXPECT_EQ(MakeFolderOf(folder + "/b/c/f").code(), Code::kNotFound);
  EXPECT_TRUE(MakeFolderOf("f").ok());
  EXPECT_TRUE(MakeFolderOf("/f").ok());
}

}  // namespace
}  // namespace tagflow
