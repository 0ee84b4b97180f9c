#include "optimized/kernels/row_transform.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "optimized/kernels/formula.h"

namespace tagflow::optimized {
namespace {

// Sums of more terms than this cost more than Bluestein's way.
constexpr int64_t kLargestFactor = 61;

// Fours first, whose sums need no products. Empty where a factor is too large.
std::vector<int64_t> FactorsOf(int64_t n) {
  std::vector<int64_t> factors;
  for (; n % 4 == 0; n /= 4) factors.push_back(4);
  for (int64_t factor = 2; factor <= kLargestFactor; ++factor) {
    for (; n % factor == 0; n /= factor) factors.push_back(factor);
  }
  return n == 1 ? factors : std::vector<int64_t>();
}

// exp(∓ 2 pi i k / n), with the angle in double; quarter turns exactly. REQUIRES: 0 <= k < n
template <typename R>
std::complex<R> TurnOf(int64_t k, int64_t n, bool inverse) {
  const R quarter = inverse ? R(1) : R(-1);
  const std::complex<R> quarters[] = {{1, 0}, {0, quarter}, {-1, 0}, {0, -quarter}};
  if (4 * k % n == 0) return quarters[4 * k / n];
  const double angle = 2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n);
  const double sine = inverse ? std::sin(angle) : -std::sin(angle);
  return {static_cast<R>(std::cos(angle)), static_cast<R>(sine)};
}

// Products of finite numbers; without what the standard library does for infinite ones.
template <typename R>
std::complex<R> Product(std::complex<R> a, std::complex<R> b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

}  // namespace

template <typename R>
RowTransform<R>::RowTransform(int64_t n, bool inverse)
    : n_(n), inverse_(inverse), factors_(FactorsOf(n)) {
  if (!factors_.empty() || n == 1) {
    for (int64_t k = 0; k < n; ++k) turns_.push_back(TurnOf<R>(k, n, inverse));
    return;
  }
  int64_t size = 1;
  while (size < 2 * n) size *= 2;
  there_ = std::make_unique<RowTransform>(size, false);
  back_ = std::make_unique<RowTransform>(size, true);
  std::vector<Number> conjugates(static_cast<size_t>(size));
  for (int64_t t = 0; t < n; ++t) {
    const auto square = static_cast<int64_t>(static_cast<__int128>(t) * t % (2 * n));
    chirp_.push_back(TurnOf<R>(square, 2 * n, inverse));
    conjugates[static_cast<size_t>(t)] = std::conj(chirp_.back());
    if (t > 0) conjugates[static_cast<size_t>(size - t)] = std::conj(chirp_.back());
  }
  chirp_spectrum_.resize(static_cast<size_t>(size));
  Room unused;
  there_->Run(conjugates.data(), chirp_spectrum_.data(), unused);
}

template <typename R>
void RowTransform<R>::Run(const Number* x, Number* y, Room& room) const {
  if (chirp_.empty()) {
    Split(x, 1, 0, n_, y);
  } else {
    RunBluestein(x, y, room);
  }
  if (!inverse_) return;
  const R share = R(1) / static_cast<R>(n_);
  for (int64_t k = 0; k < n_; ++k) y[k] *= share;
}

template <typename R>
void RowTransform<R>::Split(const Number* x, int64_t step, size_t level, int64_t count,
                            Number* y) const {
  if (count == 1) {
    y[0] = x[0];
    return;
  }
  const int64_t parts = factors_[level], part_size = count / parts;
  for (int64_t part = 0; part < parts; ++part) {
    Split(x + part * step, step * parts, level + 1, part_size, y + part * part_size);
  }
  Join(parts, part_size, y);
}

// Of transforms of `parts` rows, side by side, the one of the row that has their elements in turn.
template <typename R>
void RowTransform<R>::Join(int64_t parts, int64_t part_size, Number* y) const {
  const int64_t step = n_ / (parts * part_size);  // between turns
  Number terms[kLargestFactor];
  for (int64_t k = 0; k < part_size; ++k) {
    for (int64_t part = 0; part < parts; ++part) {
      terms[part] = Product(y[k + part * part_size], turns_[static_cast<size_t>(part * k * step)]);
    }
    if (parts == 2) {
      y[k] = terms[0] + terms[1];
      y[k + part_size] = terms[0] - terms[1];
    } else if (parts == 4) {
      const Number even = terms[0] + terms[2], odd = terms[1] + terms[3];
      const Number even_rest = terms[0] - terms[2], odd_rest = terms[1] - terms[3];
      // A quarter turn: times -i, or i for the inverse.
      const R sign = inverse_ ? R(1) : R(-1);
      const Number turned(-sign * odd_rest.imag(), sign * odd_rest.real());
      y[k] = even + odd;
      y[k + part_size] = even_rest + turned;
      y[k + 2 * part_size] = even - odd;
      y[k + 3 * part_size] = even_rest - turned;
    } else {
      const int64_t turn = n_ / parts;
      for (int64_t q = 0; q < parts; ++q) {
        Number sum = terms[0];
        for (int64_t part = 1; part < parts; ++part) {
          sum += Product(terms[part], turns_[static_cast<size_t>(part * q % parts * turn)]);
        }
        y[k + q * part_size] = sum;
      }
    }
  }
}

template <typename R>
void RowTransform<R>::RunBluestein(const Number* x, Number* y, Room& room) const {
  const auto size = static_cast<size_t>(there_->size());
  room.row.assign(size, Number());
  room.other.resize(size);
  for (size_t t = 0; t < chirp_.size(); ++t) room.row[t] = Product(x[t], chirp_[t]);
  Room unused;
  there_->Run(room.row.data(), room.other.data(), unused);
  for (size_t k = 0; k < size; ++k) room.other[k] = Product(room.other[k], chirp_spectrum_[k]);
  back_->Run(room.other.data(), room.row.data(), unused);
  for (size_t k = 0; k < chirp_.size(); ++k) y[k] = Product(room.row[k], chirp_[k]);
}

template class RowTransform<float>;
template class RowTransform<double>;

}  // namespace tagflow::optimized
