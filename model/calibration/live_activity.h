// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/calibration/live_windows.h"
#include "model/hardware/hardware.h"

#include <optional>

namespace alidade {

/// SM clock at which the data sheet's dense 16-bit peak holds, Hz: peak / (SMs x FLOP of an SM and cycle). On
/// H100 1830 MHz, not the maximum of 1980. nullopt: a generation whose FLOP per cycle are not known.
std::optional<double> sheetClock(const Gpu& gpu);

/// What the GPUs and network cards of a training job did in the used time, means over it. NaN: not measured.
struct JobActivity {
    std::set<std::string> hosts;
    double gpus = 0;                     ///< with data
    double tensor = 0, sm = 0, dram = 0; ///< 0..1
    bool smIsEngine = false;             ///< the graphics engine's activity stands in, which is higher
    double clock = 0;                    ///< Hz
    double tensorClock = 0;              ///< tensor activity x clock, averaged as the product, Hz
    double power = 0;                    ///< W of one GPU
    double nvlink = 0;                   ///< bytes/s that one GPU sends
    double efa = 0;                      ///< bytes/s that one node sends, its headers included
    double efaMost = 0;                  ///< of any node in any window
    double compute = 0;                  ///< s of a step that nodes compute, median of nodes
};

JobActivity jobActivity(const Observation& observation, const UsableTime& time);

/// Events in so much exposure as a rate: 10 % and 90 % of what a Poisson process with that count may have.
struct PoissonInterval {
    double low = 0, high = 0; ///< events per unit of exposure
};
PoissonInterval poissonInterval(double events, double exposure);

} // namespace alidade
