// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/explain/normal.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

namespace alidade {

namespace {

using Coefficients = std::array<double, 8>;

/// A ratio of two polynomials of degree 7; coefficients start with the constant term.
double ratio(const Coefficients& above, const Coefficients& below, double x) {
    double a = 0, b = 0;
    for (std::size_t i = above.size(); i-- > 0;) {
        a = a * x + above[i];
        b = b * x + below[i];
    }
    return a / b;
}

// Wichura 1988, "Algorithm AS 241: The Percentage Points of the Normal Distribution", Applied Statistics 37,
// routine PPND16: the center, the tails, the far tails.
constexpr Coefficients centerAbove{
    3.3871328727963666080e0,  1.3314166789178437745e+2, 1.9715909503065514427e+3, 1.3731693765509461125e+4,
    4.5921953931549871457e+4, 6.7265770927008700853e+4, 3.3430575583588128105e+4, 2.5090809287301226727e+3};
constexpr Coefficients centerBelow{1.0,
                                   4.2313330701600911252e+1,
                                   6.8718700749205790830e+2,
                                   5.3941960214247511077e+3,
                                   2.1213794301586595867e+4,
                                   3.9307895800092710610e+4,
                                   2.8729085735721942674e+4,
                                   5.2264952788528545610e+3};
constexpr Coefficients tailAbove{1.42343711074968357734e0,  4.63033784615654529590e0,
                                 5.76949722146069140550e0,  3.64784832476320460504e0,
                                 1.27045825245236838258e0,  2.41780725177450611770e-1,
                                 2.27238449892691845833e-2, 7.74545014278341407640e-4};
constexpr Coefficients tailBelow{1.0,
                                 2.05319162663775882187e0,
                                 1.67638483018380384940e0,
                                 6.89767334985100004550e-1,
                                 1.48103976427480074590e-1,
                                 1.51986665636164571966e-2,
                                 5.47593808499534494600e-4,
                                 1.05075007164441684324e-9};
constexpr Coefficients farAbove{6.65790464350110377720e0,  5.46378491116411436990e0,
                                1.78482653991729133580e0,  2.96560571828504891230e-1,
                                2.65321895265761230930e-2, 1.24266094738807843860e-3,
                                2.71155556874348757815e-5, 2.01033439929228813265e-7};
constexpr Coefficients farBelow{1.0,
                                5.99832206555887937690e-1,
                                1.36929880922735805310e-1,
                                1.48753612908506148525e-2,
                                7.86869131145613259100e-4,
                                1.84631831751005468180e-5,
                                1.42151175831644588870e-7,
                                2.04426310338993978564e-15};

} // namespace

double normalQuantile(double p) {
    assert(p > 0 && p < 1);
    const double q = p - 0.5;
    if (std::abs(q) <= 0.425)
        return q * ratio(centerAbove, centerBelow, 0.180625 - q * q);
    const double r = std::sqrt(-std::log(q < 0 ? p : 1 - p));
    const double x = r <= 5 ? ratio(tailAbove, tailBelow, r - 1.6) : ratio(farAbove, farBelow, r - 5);
    return q < 0 ? -x : x;
}

double blomMaximum(double n) { return n < 2 ? 0 : normalQuantile((n - 0.375) / (n + 0.25)); }

double expectedSortedLoad(double mean, int i, int n) {
    assert(mean >= 0 && i >= 1 && i <= n);
    if (n < 2)
        return mean;
    return std::max(0.0, mean + std::sqrt(mean) * normalQuantile((i - 0.375) / (n + 0.25)));
}

} // namespace alidade
