// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/window/exporter.h"
#include "app/window/report_options.h"
#include "data/report/report.h"

#include <memory>

namespace alidade::app {

/// The estimates of a report and all that they are told with, for a preview in this process.
class ReportContent {
public:
    /// Estimates the scenarios; takes seconds. \pre the source has its catalog
    static std::shared_ptr<const ReportContent> of(const ReportSource& source);

    /// The report with these options; fast.
    data::Report report(const ReportOptions& options, const data::Logo& logo, const std::string& date) const;

private:
    std::vector<std::unique_ptr<const Estimate>> estimates_;
    std::vector<data::ReportInput> inputs_; ///< refer to the estimates
};

} // namespace alidade::app
