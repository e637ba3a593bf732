// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/health_page.h"
#include "app/cli/observe.h"
#include "app/cli/session.h"
#include "model/engine/engine.h"
#include "model/observation/health_policy.h"

#include <optional>
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

/// Reads a server and judges what it says.
class HealthReader {
public:
    /// A Failure names the option that is wrong.
    HealthReader(const HealthOptions& options, const CommonOptions& common);

    /// A Failure of the environment if the server does not answer.
    HealthAnswer read();
    /// The same again and again, for which little is asked of the server.
    HealthAnswer follow();

private:
    HealthAnswer judged(const Observed& read) const;

    // Wrong words are refused before the connection opens.
    FindingLevel failOn_;
    std::vector<HealthPolicy> presets_;
    HealthPolicy policy_;
    std::optional<Estimate> plan_; ///< absent: findings have no price
    Observer observer_;
};

} // namespace alidade::cli
