// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/document/view.h"

class QPushButton;

namespace alidade::views {

struct Answer;
class BandLabel;
class ExplainDialog;
class StepBar;
class TextLabel;
class VerdictLabel;

/// The answer on top of the plan: the verdict in words, six figures with their bands (four where there is no
/// room for six), and where the time of a step goes.
class SummaryView : public View {
    Q_OBJECT

public:
    explicit SummaryView(Document* document, QWidget* parent = nullptr);

    QString title() const override { return tr("Answer"); }
    QString iconName() const override { return QStringLiteral("summary"); }
    QSize sizeHint() const override;

    QString sentence() const;

    /// Shows how one of the six figures comes about.
    void explain(int figure);

protected:
    void updateEstimate() override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void showAnswer(const Answer& answer);
    void showNothing();
    void showFix(const Answer& answer);
    void fit();

    VerdictLabel* verdict_;
    QWidget* wayOut_; ///< the fix, on a line of its own
    QPushButton* fix_;
    QList<BandLabel*> figures_;
    TextLabel* stepTitle_;
    StepBar* bar_;
    ExplainDialog* explanation_ = nullptr; ///< made when first asked for
};

} // namespace alidade::views
