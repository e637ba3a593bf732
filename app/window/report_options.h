// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>

namespace alidade::app {

/// How a report is made, as the export dialog asks for it; remembered but for the title.
struct ReportOptions {
    QString suffix = QStringLiteral("pdf");
    QString paper = QStringLiteral("a4");
    QString title; ///< empty: the scenario's name
    QString organisation, author, confidentiality;
    QString logo;         ///< file; empty: none
    QStringList sections; ///< names of groups; empty: all

    /// The same for `alidade report`.
    QStringList arguments() const {
        QStringList out{QStringLiteral("--paper"), paper};
        const auto add = [&out](const QString& name, const QString& value) {
            if (!value.isEmpty())
                out << name + QLatin1Char('=') + value; // a value that begins with a dash is no option
        };
        add(QStringLiteral("--title"), title);
        add(QStringLiteral("--organisation"), organisation);
        add(QStringLiteral("--author"), author);
        add(QStringLiteral("--confidential"), confidentiality);
        add(QStringLiteral("--logo"), logo);
        add(QStringLiteral("--sections"), sections.join(QLatin1Char(',')));
        return out;
    }
};

} // namespace alidade::app
