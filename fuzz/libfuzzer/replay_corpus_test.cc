// The libFuzzer target that is linked in, on the files of a corpus and on damaged copies of them.
// Arguments: the files.
// Tests: graph_def_target.cc, graph_text_target.cc, program_text_target.cc, choices_target.cc,
//        program_of_bytes.cc

#include <gtest/gtest.h>

#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

std::vector<std::string> files;

void RunTarget(const std::string& bytes) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
}

std::vector<std::string> Corpus() {
  std::vector<std::string> corpus;
  for (const std::string& file : files) {
    std::ostringstream bytes;
    bytes << std::ifstream(file, std::ios::binary).rdbuf();
    corpus.push_back(bytes.str());
  }
  return corpus;
}

TEST(ReplayCorpusTest, TheCorpusPasses) {
  ASSERT_FALSE(files.empty()) << "name the files of the corpus";
  for (const std::string& bytes : Corpus()) {
    ASSERT_FALSE(bytes.empty());
    RunTarget(bytes);
  }
  RunTarget("");
}

TEST(ReplayCorpusTest, DamagedCopiesPass) {
  std::mt19937 random(1);
  for (const std::string& bytes : Corpus()) {
    for (int i = 0; i < 40; ++i) {
      std::string damaged = bytes;
      for (int change = 0; change < 3 && !damaged.empty(); ++change) {
        const size_t place = random() % damaged.size();
        switch (random() % 3) {
          case 0:
            damaged[place] = static_cast<char>(random());
            break;
          case 1:
            damaged.erase(place, random() % 8);
            break;
          default:
            damaged.insert(place, damaged.substr(random() % damaged.size(), random() % 16));
        }
      }
      RunTarget(damaged);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  files.assign(argv + 1, argv + argc);
  return RUN_ALL_TESTS();
}
