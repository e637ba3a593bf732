// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/document/view.h"

#include <QUrl>

#include <array>
#include <functional>
#include <memory>

class QHBoxLayout;
class QPushButton;

namespace alidade {
template <class N>
struct EstimateT;
using Estimate = EstimateT<double>;
} // namespace alidade

namespace alidade::views {

struct Answer;
class BandLabel;
class ExplainDialog;
class FigureCards;
struct Figure;
class NearestNote;
class StepBar;
class StepSwitch;
class TextLabel;
class ValidationSource;
class VerdictLabel;

/// The answer on top of the plan: the verdict in words, six figures with their bands (four where there is no
/// room for six), and where the time of a step goes. Next to the verdict: the error on the nearest
/// published runs.
class SummaryView : public View {
    Q_OBJECT

public:
    explicit SummaryView(Document* document, QWidget* parent = nullptr);

    QString title() const override { return tr("Answer"); }
    QString iconName() const override { return QStringLiteral("summary"); }
    QSize sizeHint() const override;

    QString sentence() const;

    /// From here on the error on the nearest published runs is next to the verdict. `source` must outlive
    /// this.
    void setValidation(ValidationSource* source);
    /// What is shown next to the cost of an estimate where its price is the user's own; empty where it is
    /// not.
    void setOwnRate(std::function<QString(const Estimate&)> text);
    NearestNote* nearest() const { return nearest_; }

    /// In a low window: less space around and between, and the least classes of the legend left out.
    void setCompact(bool compact);

    /// Shows how one of the six figures comes about.
    void explain(int figure);
    /// Shows how any figure of the estimate comes about. \param label "QKV projection, forward"
    void explain(const QString& label, const QString& path);

signals:
    /// A person wants to see the published runs that are nearest.
    void nearestRequested(const QStringList& ids);
    /// A person wants to see where an input of a figure comes from: see placeOfTerm().
    void placeRequested(const QUrl& place);

protected:
    bool event(QEvent* event) override;
    void updateEstimate() override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void showAnswer(const Answer& answer);
    void showNothing();
    void showFigure(int index, const Figure& figure);
    void showCard(int index, bool inside);
    void showFix(const Answer& answer);
    void showNearest();
    void fit();
    void space();

    VerdictLabel* verdict_;
    NearestNote* nearest_;
    ValidationSource* validation_ = nullptr;
    std::function<QString(const Estimate&)> ownRate_;
    QWidget* wayOut_; ///< the fix, on a separate line
    QPushButton* fix_;
    QList<BandLabel*> figures_;
    TextLabel* stepTitle_;
    QHBoxLayout* headRow_; ///< verdict, and the nearest runs where there is room
    QHBoxLayout* stepRow_; ///< title of the bar, and the nearest runs where there was none
    StepBar* bar_;
    StepSwitch* steps_;                ///< of serving
    std::array<int, 2> dispensable_{}; ///< of the figures
    bool compact_ = false;
    bool fitting_ = false;
    FigureCards* cards_;
    ExplainDialog* explanation_ = nullptr;    ///< made when first asked for
    std::shared_ptr<const Estimate> shown_;   ///< the last whose figures were shown
    std::shared_ptr<const Estimate> adopted_; ///< the newest that is not a trial
};

} // namespace alidade::views
