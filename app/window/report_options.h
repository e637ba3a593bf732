// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDate>
#include <QString>
#include <QStringList>

namespace alidade::app {

/// How a report is made, as the export dialog asks for it; remembered but for the title.
struct ReportOptions {
    QString suffix = QStringLiteral("pdf");
    QString paper = QStringLiteral("a4");
    QString locale = QStringLiteral("en"); ///< of numbers and dates
    QString title;                         ///< empty: the scenario's name
    QString organization, author, confidentiality;
    QString validUntil;   ///< last day of the prices, ISO 8601; empty: by the price
    QString logo;         ///< file; empty: none
    QStringList sections; ///< names of groups; empty: all

    /// A day that was set for an earlier report and has passed says nothing of the next one.
    void forgetPassedDay() {
        const QDate day = QDate::fromString(validUntil, Qt::ISODate);
        if (day.isValid() && day < QDate::currentDate())
            validUntil.clear();
    }

    /// The same for `alidade report`.
    QStringList arguments() const {
        QStringList out{QStringLiteral("--paper"), paper, QStringLiteral("--locale"), locale};
        const auto add = [&out](const QString& name, const QString& value) {
            if (!value.isEmpty())
                out << name + QLatin1Char('=') + value; // a value that begins with a dash is not an option
        };
        add(QStringLiteral("--title"), title);
        add(QStringLiteral("--organization"), organization);
        add(QStringLiteral("--author"), author);
        add(QStringLiteral("--confidential"), confidentiality);
        add(QStringLiteral("--valid-until"), validUntil);
        add(QStringLiteral("--logo"), logo);
        add(QStringLiteral("--sections"), sections.join(QLatin1Char(',')));
        return out;
    }
};

} // namespace alidade::app
