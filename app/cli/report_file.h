// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/commands.h"
#include "data/report/report.h"
#include "model/engine/engine.h"

#include <cstdint>
#include <string>

namespace CLI {
class App;
}

namespace alidade::cli {

/// How a report is to be written, as typed.
struct ReportOptions {
    std::string out;
    std::string paper = "a4";
    std::string locale = "en";
    std::string title, organization, author, confidential, logo, sections, validUntil;
};

/// Lets a command take all of them but the file. `out` must outlive the parsing.
void addReportOptions(CLI::App& command, ReportOptions& out);

/// Whether a report has the form that the name of a file ends in.
bool isReportFile(const std::string& name);
/// A Failure where it has not.
void checkReportFile(const std::string& name);

/// What the options say of a report. A Failure that names the option at fault.
data::ReportContext reportContext(const ReportOptions& options);

/// What a report says of a scenario, computed. The estimate must outlive the report.
data::ReportInput reportInput(const Call& call, const OpenedScenario& scenario, const Catalog& catalog,
                              const Profile& profile, const Estimate& estimate, const DocumentParts& parts);

/// Writes the file. \returns its bytes; a Failure where it cannot be written
std::int64_t writeReportFile(const data::Report& report, const ReportOptions& options);

} // namespace alidade::cli
