// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/observe.h"
#include "app/cli/session.h"
#include "app/cli/terminal.h"
#include "model/engine/engine.h"
#include "model/observation/health_policy.h"

#include <memory>
#include <string>
#include <vector>

namespace alidade::cli {

/// The options that `health` and `watch` share.
struct HealthOptions {
    ObserveOptions observe;
    std::string policy;         ///< --policy: id of a preset, or a file; empty: the default preset
    std::string failOn = "now"; ///< --fail-on
    std::string scenario;       ///< --plan; empty: findings have no price
};

void addHealthOptions(CLI::App& command, HealthOptions& options);

/// Findings of one reading, judged like the Live page of the window.
struct HealthAnswer {
    std::string server, job;
    double start = 0, end = 0; ///< Unix s
    std::string policy;        ///< its name
    FindingLevel failOn = FindingLevel::now;
    std::vector<Finding> findings;

    /// Findings at this level or above.
    std::size_t count(FindingLevel level) const;
    /// Exit status: 3 with findings at or above `failOn`, else 0.
    int status() const { return count(failOn) > 0 ? 3 : 0; }
};

/// Reads a server again and again and judges what it says.
class HealthReader {
public:
    /// A Failure names the option that is wrong.
    HealthReader(const HealthOptions& options, const CommonOptions& common);
    ~HealthReader();

    /// A Failure of the environment if the server does not answer.
    HealthAnswer read();

private:
    // Wrong words are refused before the connection opens.
    FindingLevel failOn_;
    std::vector<HealthPolicy> presets_;
    HealthPolicy policy_;
    std::unique_ptr<Estimate> plan_; ///< null: findings have no price
    Observer observer_;
};

/// For a person.
std::string healthText(const HealthAnswer& answer, const Terminal& terminal);
/// The documented object.
std::string healthJson(const HealthAnswer& answer);

/// "gpu-0031 GPU 2"; "job" for a finding of the whole job.
std::string placeText(const Entity& where);
/// One finding as a JSON object on one line, for `watch --json`. \param change "new", "changed" or "over"
std::string findingLine(const Finding& finding, std::string_view change, double time);

} // namespace alidade::cli
