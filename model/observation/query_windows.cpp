// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/observation/query_windows.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace alidade {

QueryWindows queryWindows(double scrapeS, double stepS, double trainingStepS) {
    // Four intervals keep a rate alive when a scrape is missed; windows that touch leave out no sample.
    const double rate = std::max(4 * scrapeS, stepS);
    // Sixteen steps: a count of whole steps is then off by no more than a sixteenth.
    const double job = trainingStepS > 0 ? std::min(16 * trainingStepS, 600.0) : 120.0;
    return {rate, std::max(rate, std::round(job)), std::max(2.5 * scrapeS, 5.0), stepS};
}

double scrapeIntervalOf(double samples, double windowS) {
    if (!(samples >= 2))
        return 0;
    // A closed window of n intervals holds n or n + 1 samples.
    const double most = windowS / (samples - 1);
    const double least = windowS / samples;
    constexpr std::array usual = {1.0, 2.0, 5.0, 10.0, 15.0, 20.0, 30.0, 60.0, 120.0, 180.0, 300.0};
    for (const double each : usual)
        if (each >= least * 0.98 && each <= most * 1.02)
            return each;
    return windowS / (samples - 0.5);
}

} // namespace alidade
