// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/catalog/custom_values.h"
#include "model/catalog/catalog.h"
#include "model/scenario/spec.h"

#include <exception>
#include <memory>
#include <string>
#include <vector>

namespace alidade::data {
struct WorkspaceContent;
namespace handoff {
class Tools;
}
} // namespace alidade::data

namespace alidade::cli {

/// A request that could not be done: its exit status and what standard error says, the first line first.
class Failure : public std::exception {
public:
    enum Status { environment = 1, request = 2 };

    Failure(Status status, std::string line)
        : Failure(status, std::vector{std::move(line)}) {}
    Failure(Status status, std::vector<std::string> lines)
        : status_(status)
        , lines_(std::move(lines)) {}

    int status() const { return status_; }
    const std::vector<std::string>& lines() const { return lines_; } ///< "FILE:/json/pointer: wrong; right"
    const char* what() const noexcept override { return lines_.front().c_str(); }

private:
    Status status_;
    std::vector<std::string> lines_;
};

/// Options that every subcommand has.
struct CommonOptions {
    bool json = false;
    std::string catalog;         ///< file or folder that overrides the shipped catalog; empty: none
    bool shippedCatalog = false; ///< without the changes that a workspace keeps
    std::string calibration;     ///< name or file of a profile; empty: what the scenario says
};

/// A scenario with what it was read from.
struct OpenedScenario {
    std::string file; ///< as it was named: a file or the id of a shipped scenario
    std::string name; ///< file name without its suffix, or the id
    ScenarioSpec spec;
    /// Where it comes from; null: not from a workspace.
    std::shared_ptr<const data::WorkspaceContent> workspace = nullptr;
};

/// The shipped catalog with the user's over it; a fault in the user's is a Failure with all of its faults.
std::shared_ptr<const Catalog> openCatalog(const CommonOptions& options);

/// The versions of tools that jobs are written for and read from: the shipped ones and those in the folder
/// `handoff` of the user's catalog. A Failure with all faults of those.
data::handoff::Tools openTools(const CommonOptions& options);

/// The content of a file that the user named. That it is not there is the request's fault; that it may not be
/// read is the environment's.
std::string contentOf(const std::string& file, std::size_t limit = 16U << 20);

/// Reads SCENARIO (a file, the id of a shipped one, or WORKSPACE.alidade#name) and applies `PATH=VALUE`
/// settings in their order.
OpenedScenario openScenario(const std::string& argument, const std::vector<std::string>& settings = {});

/// What a scenario is looked up in: the opened catalog with the topology that it names; for one from a
/// workspace also with the changes that this keeps, under what --catalog names. A Failure if the topology
/// cannot be read.
std::shared_ptr<const Catalog> catalogFor(const CommonOptions& options,
                                          std::shared_ptr<const Catalog> catalog,
                                          const OpenedScenario& scenario);

/// What a catalog from `openCatalog` or `catalogFor` says otherwise than the shipped one.
std::vector<data::CustomValue> customValuesOf(const CommonOptions& options, const Catalog& catalog,
                                              const OpenedScenario* scenario = nullptr);

/// The profile that the option names, else the one that the scenario names; the scenario is made to name it.
Profile openProfile(const CommonOptions& options, OpenedScenario& scenario, const Catalog& catalog);

/// A Failure of the request: "OPTION: why".
[[noreturn]] void refuse(const char* option, const std::string& why);

/// Nearest known word as the end of a sentence: "; did you mean 'x'?", or the list of a few known ones.
std::string didYouMean(const std::string& word, const std::vector<std::string>& known);

/// Writes a file complete or not at all; a Failure of the environment if it cannot be written, and of the
/// request if it is an input of this command.
void writeFile(const std::string& file, const std::string& content);

} // namespace alidade::cli
