#ifndef TAGFLOW_GRAPH_SAVED_VOCABULARY_H_
#define TAGFLOW_GRAPH_SAVED_VOCABULARY_H_

// A vocabulary: a file of text with a key and its value in each line, which models keep among their
// assets and fill tables from.
//
// Tested by vocabulary_test.cc.

#include <cstdint>
#include <string>

#include "graph/dtype.h"
#include "graph/status.h"
#include "graph/tensor.h"

namespace tagflow {

// Where keys and values are.
struct VocabularyFormat {
  static constexpr int64_t kLineNumber = -1;
  static constexpr int64_t kWholeLine = -2;

  DType key_dtype = DType::kInvalid;
  DType value_dtype = DType::kInvalid;
  int64_t key_index = kWholeLine;  // a column, kLineNumber or kWholeLine
  int64_t value_index = kLineNumber;
  char delimiter = '\t';
  int64_t offset = 0;  // is added to line numbers and to numbers of int32, as TensorFlow has it
  int64_t size = -1;   // how many lines; -1: all
  bool is_first_only = false;  // to see whether there is such a file at all
  bool skips_empty = false;    // lines without text do not count, where they else are an error
};

struct Vocabulary {
  Tensor keys;  // vectors of as many elements
  Tensor values;
};

//   Errors: NOT_FOUND; INVALID_ARGUMENT for lines that are empty, too few, or hold no such number,
//   and for a format that does not fit the dtypes; OUT_OF_RANGE for a file without lines
Result<Vocabulary> ReadVocabulary(const std::string& path, const VocabularyFormat& format);

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_SAVED_VOCABULARY_H_
