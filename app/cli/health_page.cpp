// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/health_page.h"

#include "app/cli/json_parts.h"
#include "app/cli/page.h"
#include "app/cli/time_text.h"
#include "model/units/format.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace alidade::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr int detailIndent = 6; ///< columns

Json findingJson(const Finding& f) {
    Json out = {{"fault", faultName(f.kind)},
                {"code", f.code},
                {"level", levelName(levelOf(f.action))},
                {"action", actionName(f.action)},
                {"host", f.where.host.empty() ? Json(nullptr) : Json(f.where.host)},
                {"gpu", f.where.gpu < 0 ? Json(nullptr) : Json(f.where.gpu)},
                {"part", f.where.part.empty() ? Json(nullptr) : Json(f.where.part)},
                {"start_s", f.start},
                {"end_s", numberOrNull(f.end)},
                {"before", f.before},
                {"times", f.times},
                {"title", f.title},
                {"evidence", f.evidence},
                {"advice", f.advice},
                {"other_advice", f.otherAdvice}};
    out["cost"] = f.cost ? Json{{"seconds", f.cost->seconds},
                                {"steps", f.cost->steps},
                                {"share", f.cost->share},
                                {"usd", numberOrNull(f.cost->dollars)}}
                         : Json(nullptr);
    return out;
}

/// "2026-01-01T12:03:15Z to 2026-01-01T12:14:00Z", "since 2026-01-01T12:03:15Z".
std::string whenText(const Finding& f) {
    const std::string start = (f.before ? "before " : "") + timeText(std::floor(f.start));
    return f.end ? start + " to " + timeText(std::ceil(*f.end)) : "since " + start;
}

/// "; cost 8 min 52 s, $22"; empty without a cost.
std::string costText(const Finding& f) {
    if (!f.cost)
        return {};
    std::string out = "; cost " + durationText(std::round(f.cost->seconds));
    if (f.cost->dollars)
        out += ", " + formatQuantity(*f.cost->dollars, Dimension::dollars);
    return out;
}

std::string findingText(const Finding& f, const Terminal& terminal) {
    const FindingLevel level = levelOf(f.action);
    const Style style = level == FindingLevel::now    ? Style::bad
                        : level == FindingLevel::soon ? Style::warning
                                                      : Style::strong;
    std::string out = paragraphText(f.title, terminal, style);
    const auto add = [&](const std::string& text, Style textStyle) {
        for (const std::string& line : wrapped(text, terminal.width - detailIndent))
            out += std::string(detailIndent, ' ') + styled(terminal, line, textStyle) + '\n';
    };
    add(whenText(f) + costText(f), Style::quiet);
    add(f.evidence, Style::plain);
    add(f.advice, Style::plain);
    return out;
}

} // namespace

std::size_t HealthAnswer::count(FindingLevel level) const {
    return static_cast<std::size_t>(
        std::ranges::count_if(findings, [level](const Finding& f) { return levelOf(f.action) >= level; }));
}

std::string findingLine(const Finding& finding, std::string_view change, double time) {
    Json out = {{"change", change}, {"time_s", time}};
    out.update(findingJson(finding));
    return out.dump(-1, ' ', true, Json::error_handler_t::replace);
}

std::string gapTitle(const DataGap& gap) {
    return "No data " +
           (gap.lasts ? "since " + timeText(gap.start)
                      : "from " + timeText(gap.start) + " to " + timeText(gap.end)) +
           (gap.silent ? ": no exporter answered" : ": the server has no samples");
}

std::string gapLine(const DataGap& gap, std::string_view change, double time) {
    const Json out = {{"change", change},     {"time_s", time},
                      {"fault", "no_data"},   {"title", gapTitle(gap)},
                      {"start_s", gap.start}, {"end_s", gap.lasts ? Json(nullptr) : Json(gap.end)}};
    return out.dump(-1, ' ', true, Json::error_handler_t::replace);
}

std::string healthJson(const HealthAnswer& a) {
    Json out = {{"alidade", 1},
                {"server", a.server},
                {"job", a.job.empty() ? Json(nullptr) : Json(a.job)},
                {"start_s", a.grid.start},
                {"end_s", a.grid.end()},
                {"policy", a.policy},
                {"fail_on", levelName(a.failOn)},
                {"failed", a.status() != 0},
                {"no_data", a.noData.everywhere},
                {"newest_s", numberOrNull(a.noData.newest)},
                {"gaps", gapsJson(a.noData.gaps)}};
    out["findings"] = Json::array();
    for (const Finding& each : a.findings)
        out["findings"].push_back(findingJson(each));
    out["replace_first"] = Json::array();
    for (const NodeRank& node : replaceFirst(a.findings)) {
        out["replace_first"].push_back({{"host", node.host},
                                        {"action", actionName(node.action)},
                                        {"cost_s", node.seconds},
                                        {"findings", node.findings},
                                        {"why", node.why}});
    }
    return out.dump(2, ' ', true, Json::error_handler_t::replace) + "\n";
}

std::string healthText(const HealthAnswer& a, const Terminal& terminal) {
    const std::size_t now = a.count(FindingLevel::now), soon = a.count(FindingLevel::soon) - now,
                      watch = a.count(FindingLevel::watch) - now - soon;
    std::string out = styled(terminal,
                             a.noData.everywhere  ? "No data"
                             : a.findings.empty() ? "No findings"
                                                  : std::to_string(now) + " now, " + std::to_string(soon) +
                                                        " soon, " + std::to_string(watch) + " to watch",
                             now > 0                           ? Style::bad
                             : soon > 0 || a.noData.everywhere ? Style::warning
                                                               : Style::good) +
                      "\n";
    out +=
        paragraphText(a.server + (a.job.empty() ? ", everything" : ", job " + a.job) + ", " +
                          timeText(a.grid.start) + " to " + timeText(a.grid.end()) + ", policy " + a.policy,
                      terminal, Style::quiet);
    const std::string gaps =
        a.noData.everywhere ? noDataSentence(a.noData, a.grid) + "." : gapSentence(a.noData.gaps, a.grid);
    if (!gaps.empty())
        out += paragraphText(gaps, terminal, Style::warning);
    for (const FindingLevel level :
         {FindingLevel::now, FindingLevel::soon, FindingLevel::watch, FindingLevel::none}) {
        bool isFirst = true;
        for (const Finding& f : a.findings) {
            if (levelOf(f.action) != level)
                continue;
            if (isFirst) {
                constexpr std::array<const char*, 4> headings{"Ignored by the policy", "Watch", "Soon",
                                                              "Now"};
                out += headingText(headings.at(static_cast<std::size_t>(level)), terminal);
            }
            isFirst = false;
            out += findingText(f, terminal);
        }
    }
    return out;
}

} // namespace alidade::cli
