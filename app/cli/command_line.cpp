// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/command_line.h"

#include "app/cli/commands.h"
#include "app/cli/messages.h"
#include "app/cli/version.h"
#include "data/catalog/catalog_reader.h"
#include "data/catalog/shipped.h"
#include "data/fleet/fleet_file.h"
#include "data/import/file_nature.h"
#include "data/json/file.h"
#include "data/scenario/scenario_json.h"
#include "data/topology/import.h"

#include <QFileInfo>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <sstream>

namespace alidade::cli {

namespace {

constexpr int wrongRequest = 2;

/// Prints all of it; a full disk or a closed pipe is the environment's failure.
int print(const std::string& text) {
    const bool whole =
        std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
    if (!whole) {
        say("standard output: cannot be written; choose another place for it");
        return Failure::environment;
    }
    return 0;
}

std::string versionText() {
    return "alidade " + programVersion() + " (catalog " + data::loadShippedCatalog().catalog->version + ")\n";
}

std::vector<std::string> optionNames(const CLI::App& command) {
    std::vector<std::string> out;
    for (const CLI::Option* option : command.get_options())
        for (const std::string& name : option->get_lnames())
            out.push_back("--" + name);
    return out;
}

std::vector<std::string> subcommandNames(const CLI::App& command) {
    std::vector<std::string> out;
    for (const CLI::App* each : command.get_subcommands([](const CLI::App*) { return true; }))
        out.push_back(each->get_name());
    return out;
}

/// The deepest subcommand that was recognized.
const CLI::App& deepest(const CLI::App& program) {
    const CLI::App* at = &program;
    while (!at->get_subcommands().empty())
        at = at->get_subcommands().front();
    return *at;
}

std::string pathOf(const CLI::App& command) {
    const CLI::App* parent = command.get_parent();
    return parent == nullptr ? command.get_name() : pathOf(*parent) + " " + command.get_name();
}

/// What is wrong with the arguments, and how to fix it.
std::string argumentFault(const CLI::App& program, const CLI::ParseError& error) {
    const CLI::App& command = deepest(program);
    const std::string place = pathOf(command);
    const std::string under =
        place == "alidade" ? "" : place.substr(std::string_view("alidade ").size()) + ": ";
    const std::string help = "; '" + place + " --help' shows what it takes";
    const auto orHelp = [&help](const std::string& suggestion) {
        return suggestion.empty() ? help : suggestion;
    };
    if (const auto extras = program.remaining(true); !extras.empty()) {
        const std::string& word = extras.front();
        if (word.size() > 1 && word.front() == '-') {
            return under + "there is no option '" + word + "'" +
                   orHelp(didYouMean(word, optionNames(command)));
        }
        const auto known = subcommandNames(command);
        return under +
               (known.empty() ? "'" + word + "' is an unexpected argument"
                              : "there is no subcommand '" + word + "'") +
               orHelp(known.empty() ? "" : didYouMean(word, known));
    }
    if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr && !subcommandNames(command).empty())
        return under + "a subcommand is missing" + didYouMean("", subcommandNames(command));
    std::string wrong = error.what();
    std::replace(wrong.begin(), wrong.end(), '\n', ' ');
    return under + wrong + help;
}

int runSubcommand(CLI::App& program, Call& call, int argc, char** argv) {
    try {
        program.parse(argc, argv);
    } catch (const CLI::Success& success) { // help or version
        std::ostringstream out, err;
        program.exit(success, out, err);
        return print(out.str());
    } catch (const CLI::ParseError& error) {
        say(argumentFault(program, error));
        return wrongRequest;
    }
    try {
        call.action();
        const int printed =
            print(call.common.json ? printableJson(call.out) : printableOutput(call.out, call.terminal));
        return printed != 0 ? printed : call.status;
    } catch (const Failure& failure) {
        for (const std::string& line : failure.lines())
            say(line);
        return failure.status();
    }
}

/// Options of the window and of Qt that are followed by a value; the others that begin with a dash are
/// subcommands'.
bool isWindowOption(std::string_view word) {
    constexpr std::array<std::string_view, 10> names{
        "grab", "snapshot", "theme", "size", "view", "platform", "style", "display", "geometry", "session"};
    word.remove_prefix(std::min(word.find_first_not_of('-'), word.size()));
    return std::find(names.begin(), names.end(), word.substr(0, word.find('='))) != names.end();
}

/// Words of the command line that are neither options of the window nor their values.
std::vector<std::string> wordsOf(int argc, char** argv) {
    std::vector<std::string> words;
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        if (word.starts_with('-') && isWindowOption(word))
            i += word.find('=') == std::string::npos ? 1 : 0;
        else
            words.push_back(word);
    }
    return words;
}

/// A window without any display ends in an abort inside Qt, which says nothing to a person.
bool displayIsNamed(int argc, char** argv) {
    for (const char* variable : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"})
        if (!qEnvironmentVariableIsEmpty(variable))
            return true;
    return std::any_of(argv, argv + argc, [](std::string_view word) {
        return word.starts_with("-platform") || word.starts_with("--platform");
    });
}

/// What the window would say of a file, for those who have none; empty: it would open it.
std::string refusalOf(const std::string& file) {
    const QFileInfo info(QString::fromStdString(file));
    if (!info.isFile() || info.suffix() == QStringLiteral("alidade"))
        return {};
    try {
        const std::string content = contentOf(file, data::topologyBytes);
        if (content.starts_with("SQLite format 3"))
            return {};
        if (data::isFleet(content)) {
            const data::FleetReading fleet = data::readFleet(content, file);
            return fleet.file ? std::string() : fleet.faults.front();
        }
        if (std::string other = data::notScenario(content, file); !other.empty())
            return other;
        const data::ScenarioReading reading = data::readScenario(content);
        return reading.spec ? std::string() : data::faultText(file, reading.faults.front());
    } catch (const Failure& failure) {
        return failure.lines().front();
    }
}

bool canBeOpened(const std::string& word) {
    return QFileInfo(QString::fromStdString(word)).isFile() || data::shippedScenario(word) ||
           data::sampleFleet(word);
}

void describe(CLI::App& program) {
    program.set_help_flag("-h,--help", "Print this help");
    program.set_version_flag("--version", versionText, "Print the versions of program and catalog");
    program.require_subcommand(0, 1);
    program.footer(
        "Without a subcommand the window opens: alidade [FILE], where FILE is a scenario or a fleet\n"
        "(.json), a workspace (.alidade) or the id of a shipped scenario or fleet. Subcommands need no "
        "display.\n"
        "Example:\n"
        "  alidade estimate llama-3.1-405b-2048xp5.48xlarge\n"
        "Exit status: 0 success, 1 environment failure, 2 wrong request, 3 (health, watch) findings at or "
        "above\n"
        "--fail-on.");
}

} // namespace

void addCommonOptions(CLI::App& command, CommonOptions& options) {
    command.add_flag("--json", options.json, "Print the documented JSON: SI units, null where unknown");
    command.add_option("--catalog", options.catalog, "Your own catalog, over the shipped one")
        ->type_name("FILE|DIR");
    command.add_flag("--shipped-catalog", options.shippedCatalog,
                     "Leave out the custom catalog values of a workspace");
    command
        .add_option("--calibration", options.calibration,
                    "Constants of the model: default, or a profile's file")
        ->type_name("NAME|FILE");
}

std::optional<int> runCommandLine(int argc, char** argv, std::string& file) {
    CLI::App program(
        "Plans GPU clusters that train and serve foundation models: what to rent, how to lay a model\n"
        "out on it, where time and memory go, and what it costs.",
        "alidade");
    Call call;
    call.terminal = Terminal::ofStandardOutput();
    describe(program);
    addEstimateCommand(program, call);
    addCompareCommand(program, call);
    addReportCommand(program, call);
    addCatalogCommand(program, call);
    addImportCommand(program, call);
    addExportCommand(program, call);
    addValidateCommand(program, call);
    addMetricsCommand(program, call);
    addCalibrateCommand(program, call);
    addHealthCommand(program, call);
    addWatchCommand(program, call);
    addSearchCommand(program, call);
    addSweepCommand(program, call);
    addSensitivityCommand(program, call);
    addSolveCommand(program, call);
    addDistributionCommand(program, call);
    addScalingCommand(program, call);
    addTestTimeCommand(program, call);
    addFleetCommand(program, call);
    addTrafficCommand(program, call);

    const std::vector<std::string> words = wordsOf(argc, argv);
    const auto names = subcommandNames(program);
    const bool subcommand =
        !words.empty() && std::find(names.begin(), names.end(), words.front()) != names.end();
    if (subcommand || (!words.empty() && words.front().starts_with('-')))
        return runSubcommand(program, call, argc, argv);
    file = words.empty() ? std::string() : words.front();
    if (!file.empty() && !canBeOpened(file)) {
        if (QFileInfo::exists(QString::fromStdString(file))) {
            say(file + ": " + data::whyNoFile(file));
            return wrongRequest;
        }
        say("'" + file + "' is not a subcommand, a file, or a shipped scenario or fleet" +
            didYouMean(file, names));
        return wrongRequest;
    }
    if (words.size() > 1) {
        say("'" + words[1] + "' is an unexpected argument; the window opens a single file");
        return wrongRequest;
    }
    if (!displayIsNamed(argc, argv)) {
        if (const std::string refusal = refusalOf(file); !refusal.empty()) {
            say(refusal);
            return wrongRequest;
        }
        say("there is no display for the window; 'alidade --help' lists the subcommands that need none");
        return Failure::environment;
    }
    return std::nullopt;
}

} // namespace alidade::cli
