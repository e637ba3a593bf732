// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/kit/plot_ticker.h"

#include <qcustomplot.h>

#include <cmath>

namespace alidade::views {
namespace {

using TickText = std::function<QString(double)>;

QString tickText(const TickText& text, double tick) {
    return text ? text(tick) : QLocale().toString(tick, 'g', 6);
}

class LinearTicker : public QCPAxisTicker {
public:
    explicit LinearTicker(TickText text)
        : text_(std::move(text)) {}

protected:
    QString getTickLabel(double tick, const QLocale&, QChar, int) override {
        // Steps such as 0.1 leave a rounding error where zero should be.
        return tickText(text_, std::abs(tick) < 1e-12 * step_ ? 0.0 : tick);
    }
    double getTickStep(const QCPRange& range) override { return step_ = QCPAxisTicker::getTickStep(range); }

private:
    TickText text_;
    double step_ = 1;
};

class LogTicker : public QCPAxisTickerLog {
public:
    explicit LogTicker(TickText text)
        : text_(std::move(text)) {}

protected:
    QString getTickLabel(double tick, const QLocale&, QChar, int) override { return tickText(text_, tick); }

    QVector<double> createTickVector(double tickStep, const QCPRange& range) override {
        // Under 1.6 decades the library's own ticks are linear.
        if (range.lower <= 0 || range.upper / range.lower >= 40)
            return QCPAxisTickerLog::createTickVector(tickStep, range);
        QVector<double> ticks;
        const int first = static_cast<int>(std::floor(std::log10(range.lower)));
        const int last = static_cast<int>(std::ceil(std::log10(range.upper)));
        for (int decade = first; decade <= last; ++decade)
            for (const double digit : {1.0, 2.0, 5.0})
                ticks.append(digit * std::pow(10.0, decade));
        return range.upper / range.lower >= 3 ? ticks
                                              : QCPAxisTicker::createTickVector(linearStep(range), range);
    }

private:
    static double linearStep(const QCPRange& range) {
        const double raw = range.size() / 4;
        const double decade = std::pow(10.0, std::floor(std::log10(raw)));
        const double digit = raw / decade;
        return decade * (digit < 1.5 ? 1 : digit < 3.5 ? 2 : digit < 7.5 ? 5 : 10);
    }
    TickText text_;
};

} // namespace

QSharedPointer<QCPAxisTicker> makeTicker(bool logarithmic, std::function<QString(double)> text) {
    if (logarithmic)
        return QSharedPointer<QCPAxisTicker>(new LogTicker(std::move(text)));
    return QSharedPointer<QCPAxisTicker>(new LinearTicker(std::move(text)));
}

} // namespace alidade::views
