// Tests: bodies.cc, code_names.cc, modules.cc, ptx.cc

#include <gtest/gtest.h>
#include <unistd.h>

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "optimized/native/native_library.h"

namespace tagflow::optimized {
namespace {

class TagflowNativeTest : public testing::Test {
 protected:
  void SetUp() override {
    setenv("TAGFLOW_NATIVE_NAMES", "1", 1);  // looked at by the first compilation
    if (NativeLibrary::Get() == nullptr) GTEST_SKIP() << NativeLibrary::WhyNot();
  }
  const NativeLibrary& library() const { return *NativeLibrary::Get(); }
};

// A loop of no instructions that adds 1 to its first cell.
constexpr char kAddOne[] = R"(
define i32 @f(ptr %cells, ptr, ptr, ptr, ptr) {
  %x = load i32, ptr %cells
  %y = call i32 @Add_i32(i32 %x, i32 1)
  store i32 %y, ptr %cells
  ret i32 5
}
declare i32 @Add_i32(i32, i32)
)";

TEST_F(TagflowNativeTest, CompilesWhatCallsBodies) {
  EXPECT_TRUE(library().HasBody("Add_i32"));
  EXPECT_FALSE(library().HasBody("Add_i31"));
  const Result<NativeCode> code = library().Compile(kAddOne, "f");
  ASSERT_TRUE(code.ok()) << code.status().ToString();
  int64_t cells[] = {41};
  EXPECT_EQ(code->loop()(cells, nullptr, nullptr, nullptr, nullptr), 5);
  EXPECT_EQ(cells[0], 42);
  EXPECT_GT(code->seconds, 0);
}

TEST_F(TagflowNativeTest, PerfFindsNames) {
  const std::string source =
      "define i32 @\"loop a/b\"(ptr, ptr, ptr, ptr, ptr) {\n  ret i32 7\n}\n";
  const Result<NativeCode> code = library().Compile(source, "loop a/b");
  ASSERT_TRUE(code.ok()) << code.status().ToString();
  const std::string path = std::string("/tmp") + "/perf-" + std::to_string(getpid()) + ".map";
  std::ifstream map(path);
  std::string line, last;
  while (std::getline(map, line)) last = line;
  uint64_t address = 0, size = 0;
  int name = 0;
  ASSERT_EQ(std::sscanf(last.c_str(), "%" SCNx64 " %" SCNx64 " %n", &address, &size, &name), 2);
  EXPECT_EQ(address, reinterpret_cast<uint64_t>(code->address));
  EXPECT_GT(size, 0u);
  EXPECT_EQ(last.substr(static_cast<size_t>(name)), "loop a/b");
  std::remove(path.c_str());
}

TEST_F(TagflowNativeTest, TheBodyIsInlined) {
  const Result<std::string> text = library().Optimized(kAddOne);
  ASSERT_TRUE(text.ok());
  EXPECT_EQ(text->find("call"), std::string::npos) << *text;
  EXPECT_NE(text->find("add i32"), std::string::npos) << *text;
}

TEST_F(TagflowNativeTest, WhatIsNoModuleIsAnError) {
  for (const char* source : {"define i32 @f( {", "call i32 @g()", "\xff"}) {
    EXPECT_EQ(library().Compile(source, "f").status().code(), Code::kInternal) << source;
  }
  EXPECT_EQ(library().Compile(kAddOne, "g").status().code(), Code::kInternal);
  // A function that is nowhere.
  const char unknown[] =
      "declare void @nowhere_at_all()\ndefine i32 @f(ptr, ptr, ptr, ptr, ptr) {\n"
      "  call void @nowhere_at_all()\n  ret i32 0\n}\n";
  EXPECT_EQ(library().Compile(unknown, "f").status().code(), Code::kInternal);
}

// A kernel's text that calls a function.
std::string KernelThatCalls(const std::string& function) {
  return "declare double @" + function +
         "(double)\ndefine ptx_kernel void @k(double %x, ptr %y) {\n  %z = call double @" +
         function + "(double %x)\n  store double %z, ptr %y\n  ret void\n}\n";
}

TEST_F(TagflowNativeTest, WritesPtx) {
  const Result<std::string> ptx = library().Ptx(KernelThatCalls("Exp_f64"));
  ASSERT_TRUE(ptx.ok()) << ptx.status().ToString();
  EXPECT_NE(ptx->find(".visible .entry k("), std::string::npos) << *ptx;
  EXPECT_EQ(ptx->find("call"), std::string::npos) << *ptx;
  EXPECT_EQ(library().Ptx("define i32 @f( {").status().code(), Code::kInternal);
  EXPECT_EQ(library().Ptx(KernelThatCalls("nowhere_at_all")).status().code(), Code::kInternal);
  // The logarithm is CUDA's, where there was a toolkit; LLVM alone has none for GPUs.
  const Result<std::string> log = library().Ptx(KernelThatCalls("Log_f64"));
  EXPECT_TRUE(log.ok() || log.status().code() == Code::kInternal);
}

// Functions of sources that have one name are not mixed up, and code goes with its owner.
TEST_F(TagflowNativeTest, EachSourceIsByItself) {
  for (int i = 0; i < 50; ++i) {
    const std::string source =
        "define i32 @f(ptr, ptr, ptr, ptr, ptr) { ret i32 " + std::to_string(i) + " }\n";
    const Result<NativeCode> code = library().Compile(source, "f");
    ASSERT_TRUE(code.ok()) << code.status().ToString();
    EXPECT_EQ(code->loop()(nullptr, nullptr, nullptr, nullptr, nullptr), i);
  }
}

TEST_F(TagflowNativeTest, ThreadsCompileAtTheSameTime) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i) {
        const Result<NativeCode> code = library().Compile(kAddOne, "f");
        ASSERT_TRUE(code.ok()) << code.status().ToString();
        int64_t cells[] = {i};
        code->loop()(cells, nullptr, nullptr, nullptr, nullptr);
        EXPECT_EQ(cells[0], i + 1);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace tagflow::optimized
