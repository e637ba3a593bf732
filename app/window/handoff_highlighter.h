// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSyntaxHighlighter>

namespace alidade::app {

/// Colors comments, options and keys, quoted texts and what is to be replaced, in shell, YAML, TOML and
/// JSON.
class HandoffHighlighter : public QSyntaxHighlighter {
    Q_OBJECT

public:
    using QSyntaxHighlighter::QSyntaxHighlighter;

protected:
    void highlightBlock(const QString& line) override;
};

} // namespace alidade::app
