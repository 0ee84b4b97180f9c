// Tests: special_bessel.cc special_beta.cc special_fresnel.cc special_gamma.cc
// special_integrals.cc special_normal.cc special_zeta.cc
//
// The expected values come from a computation with forty digits.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "optimized/kernels/special_functions.h"

namespace tagflow::optimized {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

void ExpectNear(double got, double expected) {
  EXPECT_NEAR(got, expected, 1e-13 * std::fabs(expected));
}

TEST(SpecialTest, GammaAndItsDerivatives) {
  ExpectNear(LogGamma(-2.5), -0.056243716497674051);
  ExpectNear(Digamma(1), -0.57721566490153286);
  ExpectNear(Digamma(-2.5), 1.1031566406452432);
  ExpectNear(Digamma(100), 4.6001618527380874);
  ExpectNear(Polygamma(1, 2), 0.64493406684822644);
  ExpectNear(Polygamma(4, 0.25), -24584.375388637934);
  EXPECT_EQ(LogGamma(-2), kInf);
  EXPECT_TRUE(std::isnan(Digamma(-2)));
  EXPECT_TRUE(std::isnan(Polygamma(0.5, 1)));
}

TEST(SpecialTest, Zeta) {
  ExpectNear(HurwitzZeta(2, 1), 1.6449340668482264);
  ExpectNear(HurwitzZeta(1.125, 0.5), 10.140483757876493);
  ExpectNear(HurwitzZeta(30, 20), 1.2198543072936917e-39);
  ExpectNear(HurwitzZeta(3, -2.25), -61.948474887030083);
  EXPECT_EQ(HurwitzZeta(1, 2), kInf);
  EXPECT_EQ(HurwitzZeta(2, -3), kInf);
  EXPECT_EQ(HurwitzZeta(2, kInf), 0);
  EXPECT_TRUE(std::isnan(HurwitzZeta(3, -3)));
  EXPECT_TRUE(std::isnan(HurwitzZeta(2.5, -3.5)));
}

// Of the terms below 0 and above it, all but those from 3.5 on cancel.
TEST(SpecialTest, ZetaOfTermsThatCancel) { ExpectNear(HurwitzZeta(5, -2.5), HurwitzZeta(5, 3.5)); }

TEST(SpecialTest, InversesOfTheNormalDistribution) {
  ExpectNear(InverseErf(0.25), 0.2253120550121781);
  ExpectNear(InverseErf(-0.875), -1.0847870400692831);
  ExpectNear(InverseErf(0x1p-40), 8.0601869326779526e-13);
  ExpectNear(InverseNormal(0.75), 0.67448975019608174);
  ExpectNear(InverseNormal(0x1p-1000), -37.111011937164791);
  EXPECT_EQ(InverseNormal(0.5), 0);
  EXPECT_EQ(InverseNormal(0), -kInf);
  EXPECT_EQ(InverseErf(-1), -kInf);
  EXPECT_TRUE(std::signbit(InverseErf(-0.0)));
  EXPECT_TRUE(std::isnan(InverseErf(1.5)));
}

TEST(SpecialTest, IncompleteGamma) {
  ExpectNear(LowerGamma(0.5, 0.25), 0.52049987781304654);
  ExpectNear(LowerGamma(100, 90), 0.15822098918643017);
  ExpectNear(UpperGamma(3, 8), 0.013753967744002985);
  ExpectNear(UpperGamma(1000, 1100), 0.0010593232539299773);
  ExpectNear(LowerGammaSlope(2, 1), -0.2761960457028348);
  ExpectNear(LowerGammaSlope(0.5, 4), -0.016565975346630366);
  EXPECT_EQ(LowerGamma(2, 0), 0);
  EXPECT_EQ(LowerGamma(2, kInf), 1);
  EXPECT_EQ(UpperGamma(kInf, 2), 1);
  EXPECT_TRUE(std::isnan(LowerGamma(-1, 2)));
}

TEST(SpecialTest, IncompleteBeta) {
  ExpectNear(IncompleteBeta(2, 3, 0.25), 0.26171875);
  ExpectNear(IncompleteBeta(0.5, 0.5, 0.75), 0.66666666666666667);
  ExpectNear(IncompleteBeta(50, 20, 0.5), 0.00012219850828878747);
  EXPECT_NEAR(IncompleteBeta(1e6, 1e6, 0.5), 0.5, 1e-12);
  EXPECT_EQ(IncompleteBeta(2, 3, 1), 1);
  EXPECT_TRUE(std::isnan(IncompleteBeta(0, 3, 0.5)));
}

TEST(SpecialTest, Bessel) {
  ExpectNear(BesselI0(2.5), 3.289839144050123);
  ExpectNear(BesselI0(712), 2.4684110577627524e307);
  ExpectNear(BesselI0e(-40), 0.06327827987523533);
  ExpectNear(BesselI1(-2.5), -2.5167162452886984);
  ExpectNear(BesselI1e(1e-30), 5.0000000000000004e-31);
  ExpectNear(BesselK0(2.5), 0.062347553200366186);
  ExpectNear(BesselK0e(1e-30), 69.193484305479783);
  ExpectNear(BesselK1(0.5), 1.6564411200033009);
  ExpectNear(BesselK1e(1e10), 1.2533141373624995e-5);
  ExpectNear(BesselJ0(1e10), 2.1755917502468917e-6);
  ExpectNear(BesselJ1(-30), 0.11875106261662294);
  ExpectNear(BesselY0(0.5), -0.44451873350670656);
  ExpectNear(BesselY1(30), 0.084425570661747235);
  ExpectNear(BesselY0(20), 0.062640596809383831);
  ExpectNear(BesselJ0(4), -0.39714980986384737);
  ExpectNear(BesselY1(4), 0.39792571055710001);
  ExpectNear(BesselK0(700), 4.6697764316853769e-306);
  EXPECT_EQ(BesselI0(-kInf), kInf);
  EXPECT_EQ(BesselI1(-kInf), -kInf);
  EXPECT_EQ(BesselI0e(kInf), 0);
  EXPECT_EQ(BesselK0(-1), kInf);
  EXPECT_EQ(BesselK1e(kInf), 0);
  EXPECT_EQ(BesselJ0(-kInf), 0);
  EXPECT_EQ(BesselY1(-kInf), -kInf);
  EXPECT_EQ(BesselY0(0), -kInf);
  EXPECT_TRUE(std::isnan(BesselK1e(std::nan(""))));
}

// Every argument has an answer in bounded time.
TEST(SpecialTest, BesselOfEverySize) {
  for (const double x : {5e-324, 1e-300, 1e-9, 1.5, 24.9, 25.1, 1e9, 1e300}) {
    EXPECT_GE(BesselI0(x), 1) << x;
    EXPECT_GE(BesselI1(x), 0) << x;
    EXPECT_GE(BesselK1(x), BesselK0(x)) << x;
    EXPECT_LE(std::fabs(BesselJ0(x)), 1) << x;
    EXPECT_LE(std::fabs(BesselJ1(x)), 1) << x;
    EXPECT_LE(BesselY0(x), 1) << x;
    EXPECT_LE(BesselY1(x), 1) << x;
  }
}

TEST(SpecialTest, Integrals) {
  ExpectNear(Dawson(0.5), 0.4244363835020223);
  ExpectNear(Dawson(-2.5), -0.22308372216743548);
  ExpectNear(Dawson(6.75), 0.074915313826215614);
  ExpectNear(Dawson(20), 0.025031367926403672);
  ExpectNear(ExponentialIntegral(0.25), -0.54254326466191373);
  ExpectNear(ExponentialIntegral(3), 9.9338325706254166);
  ExpectNear(ExponentialIntegral(44), 2.9904447186323367e+17);
  ExpectNear(ExponentialIntegral(50), 1.0585636897131691e+20);
  ExpectNear(ExponentialIntegral(712), 2.3216800841052113e+306);
  ExpectNear(FresnelCosine(0.5), 0.49234422587144639);
  ExpectNear(FresnelCosine(-1.5), -0.44526117603982154);
  ExpectNear(FresnelCosine(30), 0.49999624737060989);
  ExpectNear(FresnelSine(0.5), 0.064732432859999278);
  ExpectNear(FresnelSine(-1.5), -0.69750496008209301);
  ExpectNear(FresnelSine(1000.5), 0.49970606693895422);
  ExpectNear(Dilogarithm(0.25), 0.9784693929303061);
  ExpectNear(Dilogarithm(1.25), -0.23590029768626345);
  ExpectNear(Dilogarithm(1.75), -0.64276126883997888);
  ExpectNear(Dilogarithm(1e10), -266.73983958836554);
}

// The integrals at their ends and where they are not defined; every argument has an answer.
TEST(SpecialTest, IntegralsOfEverySize) {
  EXPECT_EQ(ExponentialIntegral(0), -kInf);
  EXPECT_EQ(ExponentialIntegral(kInf), kInf);
  EXPECT_TRUE(std::isnan(ExponentialIntegral(-1)));
  EXPECT_EQ(Dilogarithm(1), 0);
  EXPECT_EQ(Dilogarithm(kInf), -kInf);
  EXPECT_TRUE(std::isnan(Dilogarithm(-1)));
  EXPECT_EQ(FresnelCosine(-kInf), -0.5);
  EXPECT_EQ(FresnelSine(kInf), 0.5);
  for (const auto function : {Dawson, FresnelCosine, FresnelSine}) {
    EXPECT_TRUE(std::isnan(function(std::nan(""))));
    EXPECT_TRUE(std::signbit(function(-0.0)));
    for (const double x : {5e-324, 1e-9, 0.99, 1.01, 24.9, 1e9, 1e300}) {
      EXPECT_GE(function(x), 0) << x;
      EXPECT_LT(function(x), 0.95) << x;
      EXPECT_EQ(function(-x), -function(x)) << x;
    }
  }
  for (const double x : {1e-300, 0.25, 2.0, 719.0, 721.0, 1e300}) {
    EXPECT_FALSE(std::isnan(ExponentialIntegral(x))) << x;
    EXPECT_FALSE(std::isnan(Dilogarithm(x))) << x;
  }
}

// Every answer comes in bounded time and is a number or NaN, wherever the arguments lie.
TEST(SpecialTest, ArgumentsOfEverySize) {
  for (double a : {1e-300, 1e-9, 1.5, 1e9, 1e300, kInf}) {
    for (double x : {1e-300, 1e-9, 1.5, 1e9, 1e300}) {
      const double p = LowerGamma(a, x);
      EXPECT_TRUE(p >= 0 && p <= 1) << a << " " << x << " " << p;
      EXPECT_NEAR(p + UpperGamma(a, x), 1, 1e-9) << a << " " << x;
      LowerGammaSlope(a, x);
      IncompleteBeta(a, x, 0.25);
      HurwitzZeta(1 + a, x);
      HurwitzZeta(2, -x - 0.5);
      Polygamma(std::floor(a), x);
    }
  }
}

}  // namespace
}  // namespace tagflow::optimized
