// The example of docs/gradients.md, compiled and run. The text between "[power]" and "[/power]" is
// in the guide word for word.

#include <fstream>
#include <sstream>

#include "conformance/builder/builder_run.h"
#include "transform/gradients/gradients.h"

namespace tagflow {
namespace {

TEST(GradientsGuideTest, Power) {
  // [power]
  Scope scope = Scope::Root();
  Output x = Placeholder(scope.WithOpName("x"), DType::kDouble, Dims{});
  Output n = Placeholder(scope.WithOpName("n"), DType::kInt32, Dims{});
  OutputList power = WhileLoop(
      scope, {Const(scope, 0), Const(scope, 1.0)},
      [&](const Scope& s, const OutputList& v) { return Less(s, v[0], n); },
      [&](const Scope&, const OutputList& v) -> OutputList {
        return {v[0] + 1, v[1] * x};
      });
  Output y = power[1];                                     // x to the n
  Result<OutputList> dy = Gradients(scope, y, x);          // n x^(n-1)
  Result<OutputList> ddy = Gradients(scope, (*dy)[0], x);  // n (n-1) x^(n-2)
  Result<OutputList> dddy = Gradients(scope, (*ddy)[0], x);
  // [/power]
  ASSERT_TRUE(dy.ok() && ddy.ok() && dddy.ok());
  for (const auto& [trips, values] : std::vector<std::pair<int32_t, std::vector<double>>>{
           {0, {1, 0, 0, 0}}, {1, {2, 1, 0, 0}}, {5, {32, 80, 160, 240}}}) {
    const std::vector<Tensor> found = Fetch(scope, {y, (*dy)[0], (*ddy)[0], (*dddy)[0]},
                                            {{x, Tensor::Scalar(2.0)}, {n, Tensor::Scalar(trips)}});
    for (size_t i = 0; i < values.size(); ++i) EXPECT_EQ(Only<double>(found[i]), values[i]);
  }
}

std::string FileText(const std::string& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file.good()) << path;
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// The lines between the markers, without the indentation of a test.
std::string Example(const std::string& code) {
  const std::string open = "// [power]\n";
  const size_t from = code.find(open) + open.size();
  std::istringstream lines(code.substr(from, code.find("  // [/power]") - from));
  std::string text;
  for (std::string line; std::getline(lines, line);) text += line.substr(2) + "\n";
  return text;
}

TEST(GradientsGuideTest, GuideIsUpToDate) {
  const std::string example = Example(FileText("conformance/gradients/gradients_guide_test.cc"));
  EXPECT_NE(FileText("docs/gradients.md").find("```cpp\n" + example + "```"), std::string::npos)
      << "docs/gradients.md should have\n"
      << example;
}

}  // namespace
}  // namespace tagflow
