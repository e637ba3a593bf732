// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/summary/old_and_new.h"

#include "model/explore/comparison_words.h"
#include "views/document/baselines.h"
#include "views/document/text.h"
#include "views/summary/answer_parts.h"

#include <algorithm>
#include <array>

namespace alidade::views {

namespace {

/// Beginnings of paths.
constexpr std::array moreIsBetter = {"training.tokens_per_s", "training.mfu", "serving.output_tokens_per_s",
                                     "serving.input_tokens_per_s", "serving.max_requests_per_s"};
constexpr std::array lessIsBetter = {"training.step_time_s",
                                     "training.run_time_s",
                                     "cost.dollars_per_run",
                                     "cost.order.before_tax_dollars",
                                     "cost.dollars_per_hour",
                                     "cost.dollars_per_million_output_tokens",
                                     "cost.dollars_per_million_tokens",
                                     "serving.tpot_s",
                                     "serving.ttft_",
                                     "serving.itl_"};

/// 1: more is better, -1: less is, 0: neither by itself, such as memory.
int senseOf(const QString& path) {
    const auto named = [&path](const char* each) { return path.startsWith(QLatin1String(each)); };
    return std::ranges::any_of(moreIsBetter, named) ? 1 : std::ranges::any_of(lessIsBetter, named) ? -1 : 0;
}

QString valueWords(const Figure& figure) {
    return figure.value.isEmpty() ? AnswerTexts::tr("unknown")
                                  : QString(figure.value + QLatin1Char(' ') + figure.unit).trimmed();
}

} // namespace

void markChanges(const Answer& before, Answer& now) {
    for (qsizetype i = 0; i < std::min(before.figures.size(), now.figures.size()); ++i) {
        const Figure& old = before.figures[i];
        Figure& figure = now.figures[i];
        if (valueWords(old) == valueWords(figure)) {
            figure.difference = AnswerTexts::tr("as before");
            continue;
        }
        figure.difference = AnswerTexts::tr("was %1").arg(valueWords(old));
        const int sense = i < now.paths.size() ? senseOf(now.paths[i]) : 0;
        const bool samePath =
            i < before.paths.size() && i < now.paths.size() && before.paths[i] == now.paths[i];
        if (sense == 0 || !samePath || !old.number || !figure.number)
            continue;
        figure.trend =
            sense * (*figure.number - *old.number) > 0 ? Figure::Trend::better : Figure::Trend::worse;
    }
}

void markBaseline(const BaselineDifference& difference, Answer& now) {
    for (qsizetype i = 0; i < std::min(now.figures.size(), now.paths.size()); ++i) {
        const std::string path = now.paths[i].toStdString();
        // The total is the rent and what is next to it, but plans are compared by the rent.
        const bool total = path == "cost.order.before_tax_dollars";
        const std::string judged = total ? "cost.dollars_per_run" : path;
        const FigureChange* change = difference.change(judged);
        const PlanFigure* known = findPlanFigure(judged);
        Figure& figure = now.figures[i];
        if (change == nullptr || known == nullptr || figure.value.isEmpty())
            continue;
        if (change->before == change->after) {
            figure.difference = AnswerTexts::tr("as the baseline");
            continue;
        }
        const QString percent = total ? AnswerTexts::tr("rent %1").arg(text(changeText(*known, *change)))
                                      : text(changeText(*known, *change));
        if (!change->certain) {
            figure.difference = AnswerTexts::tr("%1, within the error").arg(percent);
            figure.trend = Figure::Trend::uncertain;
            continue;
        }
        figure.difference =
            known->dimension == Dimension::ratio
                ? percent
                : AnswerTexts::tr("%1 (%2)").arg(
                      percent, alidade::views::difference(change->difference(), known->dimension));
        const int sense = senseOf(now.paths[i]);
        if (sense != 0)
            figure.trend = sense * change->difference() > 0 ? Figure::Trend::better : Figure::Trend::worse;
    }
}

} // namespace alidade::views
