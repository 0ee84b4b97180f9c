#ifndef TAGFLOW_GRAPH_OPS_SHAPE_CASE_H_
#define TAGFLOW_GRAPH_OPS_SHAPE_CASE_H_

// One line per case of a shape function:
//   EXPECT_EQ(ShapesOf("Pack", {{"axis", 1}}, {"[2,?]", "[?,3]"}), "[2,2,3]");

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "graph/attr_value.h"

namespace tagflow {

// The shapes of the outputs of `op`, separated by blanks, or "error: " and the message. An input is
// a shape, "[2,?]" or "<unknown>", or a constant, "=3" or "=[1,2]", of the dtype that the op wants.
// What is not given: a type attr is float, or int32 where float is not allowed; N fits the inputs;
// a list of types is all float.
std::string ShapesOf(std::string_view op,
                     std::initializer_list<std::pair<std::string, AttrValue>> attrs,
                     const std::vector<std::string>& inputs);

// Whether `text` holds `part`: EXPECT_PRED2(Contains, …) prints both.
bool Contains(const std::string& text, const std::string& part);

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_OPS_SHAPE_CASE_H_
