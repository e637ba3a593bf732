// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "data/catalog/catalog_reader.h"
#include "data/catalog/catalog_writer.h"
#include "data/catalog/kind.h"
#include "data/catalog/shipped.h"
#include "data/fleet/fleet_file.h"
#include "data/handoff/tools.h"

#include <QFileInfo>

#include <CLI/CLI.hpp>

#include <memory>

namespace alidade::cli {

namespace {

constexpr const char* fleetsKind = "fleets"; // which are next to the entries

struct CatalogArguments {
    std::string kind, id, folder;
};

data::CatalogKind kindOf(const std::string& word) {
    if (const auto kind = data::catalogKind(word))
        return *kind;
    std::vector<std::string> known(data::catalogKindNames.begin(), data::catalogKindNames.end());
    known.emplace_back(fleetsKind);
    throw Failure(Failure::request, "catalog: there is no kind '" + word + "'" + didYouMean(word, known));
}

data::CatalogForm formOf(const Call& call) {
    return call.common.json ? data::CatalogForm::json : data::CatalogForm::text;
}

void list(Call& call, const CatalogArguments& options) {
    if (options.kind == fleetsKind) {
        listFleets(call);
        return;
    }
    const data::CatalogKind kind = kindOf(options.kind);
    call.out = data::catalogList(*openCatalog(call.common), kind, formOf(call));
    if (call.out.empty())
        call.out = "No " + options.kind + " in this catalog\n";
}

void show(Call& call, const CatalogArguments& options) {
    if (options.kind == fleetsKind) { // JSON as it is: a fleet has no other form
        const Result<std::string> fleet = data::sampleFleet(options.id);
        if (!fleet)
            throw Failure(Failure::request, "catalog: " + fleet.error());
        call.out = *fleet;
        return;
    }
    const data::CatalogKind kind = kindOf(options.kind);
    const auto entry = data::catalogEntry(*openCatalog(call.common), kind, options.id, formOf(call));
    if (!entry)
        throw Failure(Failure::request, "catalog: " + entry.error());
    call.out = *entry;
}

void check(Call& call, const CatalogArguments& options) {
    const std::string& folder = options.folder.empty() ? call.common.catalog : options.folder;
    if (!folder.empty() && !QFileInfo::exists(QString::fromStdString(folder))) {
        throw Failure(Failure::request,
                      folder + ": there is no such file or folder; pass a catalog file or folder");
    }
    // A folder may hold nothing but versions of tools, which are checked below.
    const bool toolsAlone = data::catalogDocuments(folder).empty() &&
                            QFileInfo(QString::fromStdString(folder + "/handoff")).isDir();
    const auto problems =
        !folder.empty() && toolsAlone ? std::vector<data::CatalogProblem>() : data::checkCatalog(folder);
    if (!problems.empty()) {
        std::vector<std::string> lines;
        for (const data::CatalogProblem& problem : problems)
            lines.push_back(data::text(problem));
        throw Failure(Failure::request, std::move(lines));
    }
    CommonOptions own = call.common;
    own.catalog = folder;
    openTools(own); // of which the catalog itself knows nothing
    call.out = call.common.json ? "[]\n"
                                : "No faults in " + (folder.empty() ? "the shipped catalog" : folder) + "\n";
}

} // namespace

void addCatalogCommand(CLI::App& program, Call& call) {
    const auto options = std::make_shared<CatalogArguments>();
    CLI::App* command =
        program.add_subcommand("catalog", "Hardware, prices, models and software of the catalog");
    command->require_subcommand(1);
    command->footer("Example:\n  alidade catalog show instances p5.48xlarge");
    const std::string kinds =
        "gpus instances ultraservers efa storage prices models frameworks engines scenarios fleets";
    const auto finish = [&call, options](CLI::App* each, const char* example,
                                         void (*run)(Call&, const CatalogArguments&)) {
        addCommonOptions(*each, call.common);
        each->footer(std::string("Example:\n  ") + example);
        each->callback(
            [&call, options, run] { call.action = [&call, options, run] { run(call, *options); }; });
    };

    CLI::App* listing = command->add_subcommand("list", "The entries of a kind");
    listing->add_option("KIND", options->kind, kinds)->required();
    finish(listing, "alidade catalog list models --json", list);

    CLI::App* showing = command->add_subcommand("show", "One entry with the source of each value");
    showing->add_option("KIND", options->kind, kinds)->required();
    showing->add_option("ID", options->id, "Id of the entry, as the list shows it")->required();
    finish(showing, "alidade catalog show gpus h100-sxm", show);

    CLI::App* checking = command->add_subcommand("check", "Every fault of a catalog with its place");
    checking->add_option("DIR", options->folder,
                         "Catalog to check: a file or a folder; the shipped one if absent");
    finish(checking, "alidade catalog check my-catalog", check);
}

} // namespace alidade::cli
