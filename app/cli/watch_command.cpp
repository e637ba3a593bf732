// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/health_reader.h"
#include "app/cli/messages.h"
#include "app/cli/time_text.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <memory>
#include <thread>

namespace alidade::cli {

namespace {

struct WatchArguments {
    HealthOptions health;
    std::string interval = "30s"; ///< --interval
    std::string duration;         ///< --for; empty: until interrupted
};

bool isSame(const Finding& a, const Finding& b) {
    return a.kind == b.kind && a.code == b.code && a.where == b.where;
}

const Finding* findIn(const std::vector<Finding>& findings, const Finding& one) {
    const auto found = std::ranges::find_if(findings, [&one](const Finding& f) { return isSame(f, one); });
    return found == findings.end() ? nullptr : &*found;
}

/// Prints what changed from one reading to the next, a line each, at once.
class ChangePrinter {
public:
    ChangePrinter(bool json, const Terminal& terminal)
        : json_(json)
        , terminal_(terminal) {}

    void print(const std::vector<Finding>& before, const std::vector<Finding>& after, double time) const {
        for (const Finding& f : after) {
            const Finding* const old = findIn(before, f);
            const bool recurred = old != nullptr && (f.times > old->times || (old->end && !f.end));
            if (old == nullptr || recurred)
                line(f, "new", time);
            else if (old->action != f.action)
                line(f, "changed", time);
            else if (!old->end && f.end)
                line(f, "over", time);
        }
        for (const Finding& f : before) // left the range that is read
            if (!f.end && findIn(after, f) == nullptr)
                line(f, "over", time);
    }

    void print(const DataGaps& before, const DataGaps& after, double time) const {
        const auto sameIn = [](const DataGaps& gaps, const DataGap& one) -> const DataGap* {
            const auto found = std::ranges::find_if(
                gaps.gaps, [&](const DataGap& each) { return each.start < one.end && one.start < each.end; });
            return found == gaps.gaps.end() ? nullptr : &*found;
        };
        for (const DataGap& gap : after.gaps) {
            const DataGap* const old = sameIn(before, gap);
            if (old == nullptr)
                line(gap, "new", time);
            else if (old->lasts && !gap.lasts)
                line(gap, "over", time);
        }
    }

private:
    void line(const DataGap& gap, std::string_view change, double time) const {
        show(json_ ? printableJson(gapLine(gap, change, time))
                   : printableOutput(timeText(std::floor(time)) + "  " +
                                         styled(terminal_, change, Style::warning) + "  " + gapTitle(gap),
                                     terminal_));
    }
    void line(const Finding& f, std::string_view change, double time) const {
        const FindingLevel level = levelOf(f.action);
        const Style style = change == "over"              ? Style::good
                            : level == FindingLevel::now  ? Style::bad
                            : level == FindingLevel::soon ? Style::warning
                                                          : Style::plain;
        const std::string text =
            json_ ? printableJson(findingLine(f, change, time))
                  : printableOutput(timeText(std::floor(time)) + "  " +
                                        styled(terminal_,
                                               std::string(change) + ", " + std::string(levelName(level)),
                                               style) +
                                        "  " + f.title + (change == "over" ? "" : "; " + f.advice),
                                    terminal_);
        show(text);
    }
    static void show(const std::string& text) {
        std::fputs((text + "\n").c_str(), stdout);
        std::fflush(stdout);
    }

    bool json_;
    Terminal terminal_;
};

double secondsOf(const char* option, const std::string& text) {
    const Result<double> seconds = durationOf(text);
    if (!seconds)
        throw Failure(Failure::request, std::string(option) + ": " + seconds.error());
    return *seconds;
}

void watch(Call& call, const WatchArguments& options) {
    const double interval = secondsOf("--interval", options.interval);
    if (interval < 1) {
        throw Failure(Failure::request,
                      "--interval: " + options.interval + " is below a second; use at least 1s");
    }
    const double end = options.duration.empty() ? 0 : now() + secondsOf("--for", options.duration);
    HealthReader reader(options.health, call.common);
    const ChangePrinter printer(call.common.json, call.terminal);
    HealthAnswer last;
    bool isFirst = true, isSilent = false;
    for (;;) {
        const double begin = now();
        try {
            HealthAnswer answer = reader.follow();
            // What is missing in an answer in part, or without any sample, is not over.
            if (answer.noData.everywhere)
                throw Failure(Failure::environment, noDataSentence(answer.noData, answer.grid));
            if (answer.unanswered > 0 && !isFirst) {
                throw Failure(Failure::environment,
                              std::to_string(answer.unanswered) + " queries were not answered");
            }
            if (isSilent) {
                warn("the server answers again");
                isSilent = false;
            }
            printer.print(last.noData.gaps, answer.noData.gaps, begin);
            printer.print(last.findings, answer.findings, begin);
            last = std::move(answer);
            isFirst = false;
        } catch (const Failure& failure) {
            // A server that never answered, or a wrong request, will not get better by waiting.
            if (isFirst || failure.status() != Failure::environment)
                throw;
            if (!isSilent) {
                warn("no answer at " + timeText(std::floor(begin)) + ": " + failure.lines().front());
                isSilent = true;
            }
        }
        const double next = begin + interval;
        if (end > 0 && next >= end)
            break;
        std::this_thread::sleep_for(std::chrono::duration<double>(std::max(0.0, next - now())));
    }
    call.status = isSilent ? Failure::environment : last.status();
}

} // namespace

void addWatchCommand(CLI::App& program, Call& call) {
    const auto options = std::make_shared<WatchArguments>();
    CLI::App* command =
        program.add_subcommand("watch", "Changes in the health of a running cluster, as they happen");
    addHealthOptions(*command, options->health);
    command->add_option("--interval", options->interval, "Between two readings (default 30s)")
        ->type_name("S");
    command->add_option("--for", options->duration, "Stop after this time (default: when interrupted)")
        ->type_name("DURATION");
    addCommonOptions(*command, call.common);
    command->footer("Prints a line for each finding that is new, changed or over, and for times without "
                    "data; with --json\n"
                    "an object per line.\n"
                    "Exit status with --for: as `alidade health` at the end.\n"
                    "Example:\n"
                    "  alidade watch --prometheus http://prometheus:9090 --job llama --interval 1m");
    command->callback([&call, options] { call.action = [&call, options] { watch(call, *options); }; });
}

} // namespace alidade::cli
