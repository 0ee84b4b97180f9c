#include "fuzz/program/test_program.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "fuzz/program/text.h"

namespace tagflow::fuzz {

Program ProgramOf(std::string_view text) {
  Result<Program> program = ParseProgram(text);
  EXPECT_TRUE(program.ok()) << program.status().ToString() << "\nin\n" << text;
  return program.ok() ? *std::move(program) : Program();
}

std::vector<std::string> CorpusNames() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator("fuzz/corpus")) {
    if (entry.path().extension() == ".txt") names.push_back(entry.path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

std::string CorpusText(const std::string& name) {
  std::ifstream file("fuzz/corpus/" + name);
  EXPECT_TRUE(file.good()) << name;
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace tagflow::fuzz
