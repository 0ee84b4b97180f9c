#include <gtest/gtest.h>

#include <random>

#include "fuzz/program/check.h"
#include "fuzz/program/test_program.h"
#include "fuzz/program/text.h"

namespace tagflow::fuzz {
namespace {

std::string ErrorOf(std::string_view text) {
  const Result<Program> program = ParseProgram(text);
  return program.ok() ? "none" : program.status().message();
}

TEST(ParseTest, AnErrorTellsItsPlace) {
  EXPECT_EQ(ErrorOf("x: float = Const 1\ny: float = Neg(z)"),
            "line 2, column 16: there is no value 'z'");
  EXPECT_EQ(ErrorOf("x: float = Const one"),
            "line 1, column 18: expected an element of type float, not 'one'");
  EXPECT_EQ(ErrorOf("x: float = Const"),
            "line 1, column 17: expected an element of type float, not the end");
  EXPECT_EQ(ErrorOf("x: float = Const 1\n\n  x: float = Const 2"),
            "line 3, column 3: 'x' is bound a second time");
  EXPECT_EQ(ErrorOf("x: floaty = Const 1"), "line 1, column 4: expected a type, not 'floaty'");
  EXPECT_EQ(ErrorOf("x: float[-2] = Const 1"), "line 1, column 4: a dimension is negative");
  EXPECT_EQ(ErrorOf("x: float = Konst 1"), "line 1, column 12: expected an operation, not 'Konst'");
  EXPECT_EQ(ErrorOf("x: float[2] = Const [1]"), "line 1, column 23: expected ',', not ']'");
  EXPECT_EQ(ErrorOf("x: float[?] = Const [1]"),
            "line 1, column 21: expected a type whose dimensions are known, not '['");
  EXPECT_EQ(ErrorOf("runs 0"), "line 1, column 6: runs are 1 to 1000");
  EXPECT_EQ(ErrorOf("Assign(x)"), "line 1, column 8: there is no value 'x'");
  EXPECT_EQ(ErrorOf("}"), "line 1, column 1: expected a statement or the end, not '}'");
}

TEST(ParseTest, AFaultOfAProgramIsReportedAtItsStatement) {
  EXPECT_EQ(ErrorOf("c: bool = Const true\n"
                    "Cond(c) {\n"
                    "then:\n"
                    "  x: float = Const 1\n"
                    "  y: float = Neg(c)\n"
                    "else:\n"
                    "}\n"),
            "line 5, column 3: 'v2: float = Neg(v0)': does not take bool");
}

TEST(ParseTest, DeepNestsAreRefusedNotFollowed) {
  std::string text = "c: bool = Const true\n";
  for (int i = 0; i < 100'000; ++i) text += "Cond(c) { then: ";
  EXPECT_NE(ErrorOf(text).find("nested too deeply"), std::string::npos);
  EXPECT_NE(ErrorOf("x: float = Const " + std::string(100'000, '[')).find("expected an element"),
            std::string::npos);
}

TEST(ParseTest, LargeTensorsAreRefusedNotMade) {
  EXPECT_NE(ErrorOf("x: float[1000000000] = Const [1]").find("too large"), std::string::npos);
  EXPECT_NE(ErrorOf("x: float[1048576,1048576,1048576,1048576] = Const [1]").find("too large"),
            std::string::npos);
  EXPECT_NE(ErrorOf("x: float = Const 1 y: float[1048577] = Fill(x) [1048577]").find("too large"),
            std::string::npos);
}

// What is damaged is refused with a place, or is another program, which comes back as it is.
void ExpectNoHarm(const std::string& text, int& parsed) {
  const Result<Program> program = ParseProgram(text);
  if (!program.ok()) {
    EXPECT_EQ(program.status().code(), Code::kInvalidArgument);
    EXPECT_EQ(program.status().message().substr(0, 5), "line ");
    return;
  }
  ++parsed;
  EXPECT_TRUE(Check(*program).ok());
  const std::string again = ToText(*program);
  const Result<Program> second = ParseProgram(again);
  ASSERT_TRUE(second.ok()) << second.status().ToString() << "\n" << again;
  EXPECT_EQ(ToText(*second), again);
}

TEST(ParseTest, ATextCutOffAnywhereDoesNoHarm) {
  int parsed = 0;
  for (const std::string& name : CorpusNames()) {
    const std::string text = CorpusText(name);
    for (size_t length = 0; length < text.size(); length += 3) {
      ExpectNoHarm(text.substr(0, length), parsed);
    }
  }
  EXPECT_GT(parsed, 20);  // where a statement or the results are cut off
}

TEST(ParseTest, DamagedTextDoesNoHarm) {
  std::mt19937 random(1);
  const std::string signs = "[](){}:;,=?#-+.0179eavx \n";
  int parsed = 0, refused = 0;
  for (const std::string& name : CorpusNames()) {
    const std::string text = CorpusText(name);
    for (int i = 0; i < 300; ++i) {
      std::string damaged = text;
      for (uint32_t times = 1 + random() % 3; times > 0; --times) {
        const size_t at = random() % damaged.size();
        const size_t other = random() % damaged.size();
        switch (random() % 4) {
          case 0:
            damaged[at] = signs[random() % signs.size()];
            break;
          case 1:
            damaged.erase(at, 1 + random() % 30);
            break;
          case 2:
            damaged.insert(at, text.substr(other % text.size(), random() % 30));
            break;
          default:
            damaged[at] = static_cast<char>(random());
        }
      }
      const int before = parsed;
      ExpectNoHarm(damaged, parsed);
      refused += parsed == before;
    }
  }
  EXPECT_GT(parsed, 100);
  EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace tagflow::fuzz
