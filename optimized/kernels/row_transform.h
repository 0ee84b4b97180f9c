#ifndef TAGFLOW_OPTIMIZED_KERNELS_ROW_TRANSFORM_H_
#define TAGFLOW_OPTIMIZED_KERNELS_ROW_TRANSFORM_H_

// Fourier transforms of single rows, of any length n:
//
//   y[k] = sum over t of x[t] exp(-2 pi i k t / n);  inverse: exp(+2 pi i k t / n), over n
//
// A length is taken apart into its prime factors: a row of p m elements is p rows of every p-th
// element, whose transforms are joined by sums of p terms (Cooley and Tukey, 1965). So n log n
// steps are enough where all factors are small. A length with a large prime is made one of a power
// of two (Bluestein, 1970): 2 k t = k^2 + t^2 - (k - t)^2 makes of the sum a convolution with the
// chirp exp(pi i t^2 / n). Its cost is some six times as much, and no length costs n^2.
//
// Thread safety: a transform is read-only once made; each caller has room of its own.
//
// Tested by row_transform_test.cc.

#include <complex>
#include <cstdint>
#include <memory>
#include <vector>

namespace tagflow::optimized {

// R: float or double.
template <typename R>
class RowTransform {
 public:
  using Number = std::complex<R>;

  // Room that one call at a time needs, kept from call to call.
  struct Room {
    std::vector<Number> row, other;
  };

  // REQUIRES: n >= 1
  RowTransform(int64_t n, bool inverse);

  int64_t size() const { return n_; }

  // x and y: rows of n elements, apart from each other.
  void Run(const Number* x, Number* y, Room& room) const;

 private:
  // Transforms every step-th element of x, as many as factors_[level] and those behind it multiply
  // to.
  void Split(const Number* x, int64_t step, size_t level, int64_t count, Number* y) const;
  void Join(int64_t parts, int64_t part_size, Number* y) const;
  void RunBluestein(const Number* x, Number* y, Room& room) const;

  int64_t n_;
  bool inverse_;
  std::vector<int64_t> factors_;  // none: Bluestein's way
  std::vector<Number> turns_;     // exp(∓ 2 pi i k / n)
  // Of Bluestein's way.
  std::vector<Number> chirp_;           // exp(∓ pi i t^2 / n)
  std::vector<Number> chirp_spectrum_;  // transformed, over its size
  std::unique_ptr<const RowTransform> there_, back_;
};

extern template class RowTransform<float>;
extern template class RowTransform<double>;

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_KERNELS_ROW_TRANSFORM_H_
