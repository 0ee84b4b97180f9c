// The command line of `tagflow serve`; that it serves is tested wherever cases run on an engine in
// a process of its own.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "conformance/commands.h"

namespace tagflow::conformance {
namespace {

int Serve(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "serve");
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  return ServeCommand(static_cast<int>(pointers.size()), pointers.data());
}

TEST(ServeCommandTest, HelpIsNoError) { EXPECT_EQ(Serve({"--help"}), 0); }

TEST(ServeCommandTest, MistakesAreUsageErrors) {
  EXPECT_EQ(Serve({"--engine"}), 2);
  EXPECT_EQ(Serve({"--engine", "nobody"}), 2);
  EXPECT_EQ(Serve({"--engine=nobody"}), 2);
  EXPECT_EQ(Serve({"case.textproto"}), 2);
}

}  // namespace
}  // namespace tagflow::conformance
