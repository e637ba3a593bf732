// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/base/index.h"
#include "model/explain/normal.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <tuple>

namespace alidade::lattice {

// Sizes of prompts on the cells of a lattice, their sums, and the stationary distribution of a chain on it.

/// Log-normal sizes on whole cells: a size between two cells is split between them, which keeps the mean.
/// \param beyond of each cell the part that comes from sizes above it
template <class Lattice>
Lattice logNormalSizes(double meanCells, double cv, Lattice& beyond) {
    constexpr std::size_t last = std::tuple_size_v<Lattice> - 1;
    const double variance = std::log1p(cv * cv), deviation = std::sqrt(variance);
    const double middle = std::log(meanCells) - variance / 2;
    Lattice out{};
    double mass = 0, moment = 0; // below a cell
    for (std::size_t cell = 0; cell < last && mass < 1 - 1e-9; ++cell) {
        const double place = (std::log(static_cast<double>(cell) + 1) - middle) / deviation;
        const double massUpTo = normalBelow(place), momentUpTo = meanCells * normalBelow(place - deviation);
        const double upper = momentUpTo - moment - static_cast<double>(cell) * (massUpTo - mass);
        beyond[cell] = massUpTo - mass - upper;
        out[cell] += beyond[cell];
        out[cell + 1] += upper;
        mass = massUpTo;
        moment = momentUpTo;
    }
    out[last] += std::max(0.0, 1 - mass);
    return out;
}

/// The same of equal sizes.
template <class Lattice>
Lattice equalSizes(double sizeCells) {
    constexpr int last = static_cast<int>(std::tuple_size_v<Lattice>) - 1;
    Lattice out{};
    const int low = sizeCells < last - 1 ? static_cast<int>(sizeCells) : last - 1;
    const double part = std::min(1.0, sizeCells - low);
    out[at(low)] = 1 - part;
    out[at(low + 1)] = part;
    return out;
}

/// Distribution of the sum of a Poisson number of sizes (Panjer 1981).
template <class Lattice>
Lattice poissonSum(const Lattice& size, double mean) {
    constexpr int last = static_cast<int>(std::tuple_size_v<Lattice>) - 1;
    Lattice out{};
    out[0] = std::exp(-mean * (1 - size[0]));
    double rest = 1 - out[0];
    int longest = last;
    while (longest > 1 && size[at(longest)] <= 0)
        --longest;
    Lattice weighted{};
    for (int j = 1; j <= longest; ++j)
        weighted[at(j)] = j * size[at(j)];
    for (int k = 1; k < last && rest > 1e-10; ++k) {
        double sum = 0;
        for (int j = 1; j <= std::min(k, longest); ++j)
            sum += weighted[at(j)] * out[at(k - j)];
        out[at(k)] = mean / k * sum;
        rest -= out[at(k)];
    }
    out[at(last)] = std::max(0.0, rest);
    return out;
}

/// The stationary distribution of a chain that moves down by at most `reach` states, by the elimination of
/// Grassmann, Taksar and Heyman (1985): no subtractions.
template <std::size_t size>
std::array<double, size> stationaryOf(std::array<std::array<double, size>, size>& moves, std::size_t reach) {
    std::array<double, size> leaving{}, out{};
    std::size_t lowestVisited = 0; // states below it are never entered
    for (std::size_t n = size - 1; n > 0; --n) {
        const std::size_t lowest = n - std::min(n, reach);
        double sum = 0;
        for (std::size_t j = lowest; j < n; ++j)
            sum += moves[n][j];
        if (sum < 1e-200) {
            lowestVisited = n;
            break;
        }
        leaving[n] = sum;
        for (std::size_t i = 0; i < n; ++i) {
            const double part = moves[i][n] / sum;
            if (part <= 0)
                continue;
            for (std::size_t j = lowest; j < n; ++j)
                moves[i][j] += part * moves[n][j];
        }
    }
    out[lowestVisited] = 1;
    double total = 1;
    for (std::size_t n = lowestVisited + 1; n < size; ++n) {
        for (std::size_t i = lowestVisited; i < n; ++i)
            out[n] += out[i] * moves[i][n];
        out[n] /= leaving[n];
        total += out[n];
    }
    for (double& p : out)
        p /= total;
    return out;
}

} // namespace alidade::lattice
