// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/handoff_highlighter.h"

#include "views/theme/theme_controller.h"

#include <QRegularExpression>

namespace alidade::app {

using views::Role;
using views::theme;

void HandoffHighlighter::highlightBlock(const QString& line) {
    const auto paint = [&](const QRegularExpression& pattern, Role role, bool bold) {
        QTextCharFormat format;
        format.setForeground(theme().color(role));
        if (bold)
            format.setFontWeight(QFont::DemiBold);
        for (auto match = pattern.globalMatch(line); match.hasNext();) {
            const QRegularExpressionMatch found = match.next();
            setFormat(static_cast<int>(found.capturedStart(1)), static_cast<int>(found.capturedLength(1)),
                      format);
        }
    };
    static const QRegularExpression texts(QStringLiteral("(\"[^\"]*\"|'[^']*')"));
    static const QRegularExpression names(QStringLiteral("(?:^|[\\s])(--?[A-Za-z][\\w.-]*)"));
    static const QRegularExpression keys(
        QStringLiteral("^\\s*(?:- )?(\"?[A-Za-z_][\\w./-]*\"?)(?=:(?:\\s|$)| = )"));
    static const QRegularExpression comments(QStringLiteral("(^\\s*#(?!SBATCH).*$)"));
    static const QRegularExpression directives(QStringLiteral("(^#SBATCH)"));
    static const QRegularExpression holes(QStringLiteral("(CHANGE_ME\\w*)"));
    paint(texts, Role::ok, false);
    paint(names, Role::accent, false);
    paint(keys, Role::accent, false);
    paint(directives, Role::accent, true);
    paint(comments, Role::text3, false);
    paint(holes, Role::warn, true);
}

} // namespace alidade::app
