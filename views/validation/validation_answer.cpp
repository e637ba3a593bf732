// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/validation/validation_answer.h"

#include "model/validation/error_figures.h"
#include "views/document/text.h"
#include "views/validation/run_text.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>

namespace alidade::views {

namespace {

struct ValidationAnswerTexts {
    Q_DECLARE_TR_FUNCTIONS(ValidationAnswer)
};

Figure shareFigure(const QString& label, double share, bool isSigned, const QString& note) {
    Figure f;
    f.label = label;
    if (!std::isfinite(share)) {
        f.note = ValidationAnswerTexts::tr("no row has it");
        return f;
    }
    f.value = percentNumber(share, isSigned);
    f.unit = QStringLiteral("%");
    f.note = note;
    return f;
}

/// The figures of a report on all rows of the quantity with their source or family left out of the fit.
const LeaveOneOut* leftOut(const ValidationReport& report, const RunFilter& filter) {
    if (filter.isChanged() || filter.quantity == QLatin1String("step_time_s"))
        return nullptr; // the figures of step times are those of all speeds, as step times
    const std::string wanted = filter.quantity == allSpeeds ? "step_time_s" : filter.quantity.toStdString();
    const auto found = std::ranges::find_if(report.summary, [&](const ValidationSummary& s) {
        return s.group == "all" && s.quantity == wanted && s.leaveOneOut;
    });
    return found == report.summary.end() ? nullptr : &*found->leaveOneOut;
}

/// What a median error of this sign means.
QString biasNote(const std::vector<const ValidationRow*>& rows, bool asTimes, double bias) {
    if (rows.empty() || !std::isfinite(bias) || std::abs(bias) < 0.005)
        return ValidationAnswerTexts::tr("negligible");
    const Dimension dimension = dimensionOf(*rows[0]);
    if (dimension == Dimension::bytes)
        return bias > 0 ? ValidationAnswerTexts::tr("predicted too large")
                        : ValidationAnswerTexts::tr("predicted too small");
    const bool slow = (bias > 0) == (asTimes || dimension == Dimension::seconds);
    return slow ? ValidationAnswerTexts::tr("predicted too slow")
                : ValidationAnswerTexts::tr("predicted too fast");
}

QString numberOf(int count) { return quantity(count, Dimension::number); }

} // namespace

ValidationAnswer validationAnswer(const ValidationReport& report, const RunFilter& filter,
                                  const std::vector<const ValidationRow*>& rows) {
    using T = ValidationAnswerTexts;
    const ValidationSummary figures = errorFigures(rows);
    ValidationAnswer answer;
    if (rows.empty())
        answer.sentence = T::tr("No published row passes the filters.");
    else if (rows.size() == 1)
        answer.sentence = T::tr("The one published row is predicted %1 off.").arg(errorText(figures.bias));
    else
        answer.sentence = T::tr("Half of the %1 published rows are predicted within %2.")
                              .arg(numberOf(figures.n), shareText(figures.medianAbsError));
    if (rows.size() > 1)
        answer.detail = figures.groups == figures.n
                            ? QString()
                            : T::tr("from %1, each counted once")
                                  .arg(counted(figures.groups, T::tr("sweep"), T::tr("sweeps")));
    const LeaveOneOut* apart = leftOut(report, filter);
    const QString median =
        apart == nullptr ? T::tr("half have smaller errors")
                         : T::tr("%1 left out: %2").arg(text(apart->by), shareText(apart->medianAbsError));
    const QString mean = apart == nullptr
                             ? T::tr("of %1 rows").arg(numberOf(figures.n))
                             : T::tr("%1 left out: %2").arg(text(apart->by), shareText(apart->meanAbsError));
    answer.figures = {
        shareFigure(T::tr("Median error"), figures.medianAbsError, false, median),
        shareFigure(T::tr("Mean error"), figures.meanAbsError, false, mean),
        shareFigure(T::tr("Nine of ten within"), figures.p90AbsError, false, T::tr("1 in 10 is larger")),
        shareFigure(T::tr("Bias"), figures.bias, true,
                    biasNote(rows, filter.quantity == allSpeeds, figures.bias)),
        shareFigure(T::tr("Within 20 %"), figures.within20, false,
                    T::tr("within 10 %: %1").arg(shareText(figures.within10))),
        shareFigure(T::tr("Inside the band"), figures.bandCoverage, false,
                    T::tr("80 % wanted, ±%1").arg(shareText(figures.bandHalfWidth)))};
    if (rows.empty())
        for (Figure& figure : answer.figures)
            figure.note = T::tr("no row");
    return answer;
}

} // namespace alidade::views
