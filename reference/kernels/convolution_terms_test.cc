#include "reference/kernels/convolution_terms.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>

namespace tagflow::reference {
namespace {

using Term = std::array<int64_t, 3>;

TEST(ConvolutionTermsTest, PlacesThatArePaddingAreLeftOut) {
  const auto places = [](const WindowDim& dim, int64_t window) {
    std::vector<int64_t> found;
    for (const WindowPlace& place : PlacesInImage(dim, window)) {
      found.insert(found.end(), {place.in_window, place.in_image});
    }
    return found;
  };
  const WindowDim dim = {.image = 4, .window = 3, .stride = 2, .dilation = 2, .padding_before = 3};
  EXPECT_EQ(places(dim, 0), (Dims{2, 1}));
  EXPECT_EQ(places(dim, 1), (Dims{1, 1, 2, 3}));
  EXPECT_EQ(places(dim, 3), (Dims{0, 3}));
  const WindowDim far = {.dilation = std::numeric_limits<int64_t>::max(),
                         .padding_before = std::numeric_limits<int64_t>::max() - 1};
  EXPECT_EQ(places(far, 0), Dims());
}

// Two images of two rows and one column, of two groups of a channel; windows of two rows.
TEST(ConvolutionTermsTest, TermsOfGroups) {
  for (const bool second : {false, true}) {
    ConvolutionAttrs attrs;
    attrs.windows.layout = {4, second};
    attrs.windows.strides = attrs.windows.dilations = {1, 1, 1, 1};
    const Dims image = second ? Dims{2, 2, 2, 1} : Dims{2, 2, 1, 2}, filter = {2, 1, 1, 2};
    std::vector<Term> terms;
    ForEachTerm(*PlaceConvolution(attrs, image, filter), image, filter,
                [&](int64_t i, int64_t f, int64_t o) {
                  terms.push_back({i, f, o});
                });
    EXPECT_EQ(terms.size(), 8u);
    EXPECT_EQ(terms[1], (second ? Term{2, 1, 1} : Term{1, 1, 1}));
    EXPECT_EQ(terms[2], (second ? Term{1, 2, 0} : Term{2, 2, 0}));
    EXPECT_EQ(terms[7], (Term{7, 3, 3}));
  }
}

TEST(ConvolutionTermsTest, NoChannelsHaveNoTerms) {
  ConvolutionAttrs attrs;
  attrs.windows.layout = {4, false};
  attrs.windows.strides = attrs.windows.dilations = {1, 1, 1, 1};
  const Dims image = {1, 2, 2, 0}, filter = {1, 1, 1, 2};
  ForEachTerm(*PlaceConvolution(attrs, image, filter), image, filter,
              [](int64_t, int64_t, int64_t) { ADD_FAILURE(); });
}

}  // namespace
}  // namespace tagflow::reference
