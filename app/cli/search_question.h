// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/commands.h"
#include "app/cli/search_arguments.h"
#include "model/search/question.h"

#include <memory>

namespace CLI {
class App;
}

namespace alidade::cli {

/// A question with what its plans are looked up in.
struct AskedSearch {
    std::shared_ptr<const Catalog> catalog;
    Profile profile;
    OpenedScenario scenario;
    SearchQuestion question;
};

/// Lets a command take what a search is asked for. `out` must outlive the parsing.
void addSearchArguments(CLI::App& command, SearchArguments& out);

/// Opens what the arguments name. A Failure that names the option at fault.
AskedSearch askedSearch(const Call& call, const SearchArguments& arguments);

} // namespace alidade::cli
