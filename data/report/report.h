// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/catalog/custom_values.h"
#include "data/report/branding.h"
#include "data/report/number_style.h"
#include "data/report/plot.h"
#include "model/base/result.h"
#include "model/document/plan_document.h"
#include "model/engine/engine.h"
#include "model/estimate/cluster_map.h"
#include "model/estimate/estimate.h"
#include "model/search/search.h"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace alidade::data {

// A report as a value: words, numbers, tables and plot descriptions, built once from an estimate. The PDF,
// HTML, CSV and JSON writers show this value and compute nothing.

/// A stretch of a sentence; `strong` marks what counts in it.
struct TextRun {
    std::string text;
    bool strong = false;
};
using Sentence = std::vector<TextRun>;
std::string plainText(const Sentence& sentence);

enum class Emphasis : std::uint8_t { none, strong, quiet, warning };

/// One of the figures under the answer: "How long?" "73.3" "days" "67.4 – 82.8 days".
struct KeyFigure {
    std::string question, value, unit, detail;
    std::optional<double> si; ///< the value in the unit of its dimension; absent for a word
    Dimension dimension = Dimension::number;
    Emphasis emphasis = Emphasis::none;
};

struct Cell {
    std::string text; ///< as printed; without the unit that the column's title carries
    std::optional<double>
        value; ///< in the unit of `dimension`; absent: a text, or a number that is not known
    Dimension dimension = Dimension::number;
    std::optional<Bound> bound; ///< the text names this class: draw its tag
    Emphasis emphasis = Emphasis::none;
};

enum class ColumnKind : std::uint8_t {
    text,
    quantity, ///< all of one dimension
    mixed,    ///< each cell has its own dimension
};

struct Column {
    std::string title; ///< of a quantity column it may end in the printed unit: "Time, ms"
    ColumnKind kind = ColumnKind::text;
    Dimension dimension = Dimension::number;
    std::string name; ///< the title without the printed unit
};

struct Table {
    std::string id{};    ///< for programs: "order", "layers.transformer.operations"
    std::string title{}; ///< above it; empty where the section's title says it all
    std::vector<Column> columns{};
    std::vector<std::vector<Cell>> rows{};
    bool totalRow = false; ///< the last row is the sum of those above
    std::string note{};    ///< below it
    Emphasis noteEmphasis = Emphasis::quiet;
};

struct ReportSection {
    std::string id{}, title{};
    std::vector<std::string> text{};
    std::vector<Plot> plots{};
    std::vector<Table> tables{};
    bool firstPage = false;  ///< belongs to the answer, before the details
    bool narrow = false;     ///< may be next to another narrow section
    bool beginsPart = false; ///< the first one of a part of the document: on paper it begins a page
};

/// What is printed on each page and kept with each file.
struct ReportFooter {
    std::string program;        ///< "Alidade 0.1.0"
    std::string catalogVersion; ///< empty: not known
    std::string calibration;
    std::string date; ///< ISO 8601
};

struct Report {
    std::string title, subtitle;
    std::vector<Sentence> answer;
    std::vector<KeyFigure> keyFigures;
    std::vector<ReportSection> sections; ///< those of the first page come first
    std::optional<Order> order;          ///< what to buy, for the workbook's formulas
    std::string priceValidUntil; ///< last day of the prices that it orders at; empty: not known, or no order
    ReportFooter footer;
    Branding branding;
    NumberStyle numbers;       ///< of pages that people read, see localized()
    std::string scenarioName;  ///< file name of the attachment, without suffix
    std::string scenarioJson;  ///< the scenario that it answers; empty: none to attach
    std::vector<Report> parts; ///< of a comparison: one report a scenario, in the order given
};

/// What a report says besides the estimate. The date is given, so that the same input gives the same report.
struct ReportContext {
    std::string programVersion;
    std::string date; ///< ISO 8601 day of the report
    Branding branding{};
    SectionChoice sections{};
    std::string validUntil{}; ///< ISO 8601, last day of the prices as its author sets it; empty: by the price
    NumberLocale locale = NumberLocale::en;
};

/// The cluster of a scenario with what its links carry.
struct ReportCluster {
    ClusterMap map;
    std::vector<std::vector<GroupTraffic>> moved; ///< of each pool
    LinkTraffic traffic;
};
/// nullptr if the ranks have no place in the cluster.
std::shared_ptr<const ReportCluster> reportCluster(const Estimate& estimate, const Catalog& catalog,
                                                   const Profile& profile);

/// A scenario of a report. The estimate must outlive the call.
struct ReportInput {
    const Estimate* estimate = nullptr;
    std::vector<Suggestion> suggestions;
    std::string scenarioJson;                       ///< as in a scenario file, UTF-8
    std::string scenarioName;                       ///< id or file name without suffix; empty: "scenario"
    std::shared_ptr<const ReportCluster> cluster{}; ///< nullptr: the report has no section of the topology
    std::vector<CustomValue> customValues{};        ///< that the estimate rests on
    /// What a buyer's document holds besides the estimate; nullptr: the report has no such sections.
    std::shared_ptr<const PlanDocument> document{};
    /// The search that found the plan of this scenario; nullptr: none did.
    std::shared_ptr<const SearchAnswer> search{};
};

/// \param customValues that the estimate rests on
/// \param document nullptr: the sections of a buyer's document are left out
Report buildReport(const Estimate& estimate, const std::vector<Suggestion>& suggestions,
                   const ReportContext& context, std::span<const CustomValue> customValues = {},
                   const PlanDocument* document = nullptr);

/// One scenario: its report. Several: a comparison first, then the report of each. On paper and as a page
/// each of these is its first page alone. Precondition: not empty.
Report buildReport(std::span<const ReportInput> inputs, const ReportContext& context);

/// Days from one ISO 8601 day to another; nullopt if one of them is not a day.
std::optional<int> daysBetween(std::string_view from, std::string_view to);

/// From this age on a price is marked.
inline constexpr int oldPriceDays = 90;

} // namespace alidade::data
