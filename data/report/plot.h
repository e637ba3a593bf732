// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/report/number_style.h"
#include "model/kernels/bound.h"
#include "model/units/quantity.h"

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace alidade::data {

// What a plot shows, without how: values in SI units, the classes that color them, and the words at them.
// Any renderer draws the same picture from it, and its numbers can be read without one.

/// A part of a stacked bar. `bound` gives it a bottleneck class; a part of the memory has only its name.
struct PlotSegment {
    std::string name;
    double value = 0;
    std::string text; ///< the value as printed
    std::optional<Bound> bound;
};

struct PlotBar {
    std::string label;
    std::vector<PlotSegment> segments; ///< in the order of stacks
    std::string total;                 ///< the sum as printed
};

/// One bar across the page with a legend that carries the values: where a step goes.
struct StepBar {
    PlotBar bar; ///< seconds
};

/// Horizontal stacked bars on a common scale that begins at 0.
struct StackedBars {
    Dimension dimension = Dimension::seconds;
    std::vector<PlotBar> bars;
};

/// A value that the bars of MemoryStages must not pass.
struct PlotLimit {
    double value = 0;
    std::string text;  ///< "usable, 75.2 GB"
    bool hard = false; ///< the end of the capacity itself; else a target before it
};

/// One standing bar a pipeline stage.
struct MemoryStages {
    std::vector<PlotBar> stages; ///< bytes; the same parts in the same order in each
    std::vector<PlotLimit> limits;
    int worstStage = 0; ///< index into `stages`
};

struct RooflinePoint {
    std::string label; ///< the operation
    std::string phase; ///< "forward"
    Bound bound = Bound::compute;
    double intensity = 0;     ///< FLOP per byte
    double flopPerSecond = 0; ///< reached
    double seconds = 0;       ///< what it takes; the largest are labeled
};

struct RooflineRoof {
    std::string text;         ///< "989 TFLOP/s BF16"
    double flopPerSecond = 0; ///< level of the flat part
};

/// Double logarithmic: FLOP/s over FLOP per byte.
struct Roofline {
    std::vector<RooflineRoof> roofs; ///< may be empty: not known
    double bytesPerSecond = 0;       ///< of the slope; 0: not known
    std::string slopeText;           ///< "3.35 TB/s HBM"
    std::vector<RooflinePoint> points;
};

struct RangeBar {
    std::string label;
    double value = 0;
    std::optional<double> low, high;
    std::string text; ///< behind the bar
};

/// Horizontal bars with whiskers, for a comparison.
struct RangeBars {
    Dimension dimension = Dimension::dollars;
    std::vector<RangeBar> bars;
};

struct LoadLine {
    std::string name; ///< "p90"
    bool strong = false;
    std::vector<double> seconds; ///< one a load
};

/// One latency against the load.
struct LoadPanel {
    std::string title;
    std::vector<LoadLine> lines;
    std::optional<PlotLimit> target;
    std::optional<double> present; ///< seconds of the strong line at the present load
    std::string presentText;
};

/// Latencies against the load that the deployment gets, on a common axis; each grows beyond any bound near
/// the largest load, so that an axis ends where it still shows what counts.
struct LoadCurves {
    std::string loadTitle;        ///< of the axis, with its unit
    std::vector<double> loads;    ///< rising
    double present = 0;           ///< the scenario's load
    std::string presentText;      ///< "this plan, 96"
    std::optional<double> breaks; ///< from this load on a target is missed
    std::vector<LoadPanel> panels;
};

/// A part of a network layer: as wide as the hosts below it.
struct FabricBox {
    std::string label;           ///< name, where there is room; empty: several in one
    std::string detail;          ///< "16 hosts"
    double begin = 0, end = 0;   ///< hosts, counted from the left
    double used = 0;             ///< share of its hosts that have ranks, 0..1
    std::optional<double> share; ///< mean load of the link to the layer above, 0..1; absent: there is none
};

struct FabricRow {
    std::string name; ///< "Layer 3, next to the hosts"
    std::vector<FabricBox> boxes;
};

/// A cluster from the top layer of its network down: what lies below a node is below it.
struct FabricTree {
    double hosts = 0; ///< of all
    std::vector<FabricRow> rows;
};

struct Plot {
    std::string id;          ///< "step", "layers", "roofline", "memory", "comparison", "load", ...
    std::string title;       ///< of the axis or of the whole, with no unit
    std::string description; ///< the result in words, for those who do not see it
    std::variant<StepBar, StackedBars, MemoryStages, Roofline, RangeBars, LoadCurves, FabricTree> content;
    std::shared_ptr<const NumberStyle> numbers{}; ///< of the texts in the picture; null: as they are
};

} // namespace alidade::data
