// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/document/estimate_view.h"

#include "model/estimate/estimate.h"
#include "views/document/baselines.h"
#include "views/document/document.h"
#include "views/document/text.h"
#include "views/kit/cell_table.h"
#include "views/kit/states.h"
#include "views/theme/theme_controller.h"

#include <QAction>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QPainter>
#include <QPushButton>
#include <QStackedWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace alidade::views {
namespace {

constexpr float veilOpacity = 0.55F; // over the old content, which stays at 45 %
constexpr int cardWidth = 380;       // logical pixels at 10 pt

} // namespace

const Problem* hindrance(const Estimate& estimate) {
    const auto found = std::ranges::find(estimate.problems, Severity::error, &Problem::severity);
    return found == estimate.problems.end() ? nullptr : &*found;
}

/// A failure over the old content.
class ErrorVeil : public QWidget {
public:
    explicit ErrorVeil(QWidget* target)
        : QWidget(target)
        , card_(new ErrorState({}, {}, this)) {
        card_->setAutoFillBackground(true);
        card_->setBackgroundRole(QPalette::Base);
        hide();
    }

    ErrorState* card() const { return card_; }

    void setError(const QString& what, const QString& stillHolds) {
        card_->setText(what, stillHolds);
        place();
        raise();
        show();
    }

    void place() {
        setGeometry(parentWidget()->rect());
        const int margin = theme().px(12);
        const int width = std::min(theme().px(cardWidth), rect().width() - 2 * margin);
        const int wanted = std::max(card_->heightForWidth(width), card_->sizeHint().height());
        QRect card(0, 0, width, std::min(wanted, rect().height() - 2 * margin));
        card.moveCenter(rect().center());
        card_->setGeometry(card);
    }

protected:
    void paintEvent(QPaintEvent*) override {
        QColor veil = theme().color(Role::base);
        veil.setAlphaF(veilOpacity);
        QPainter(this).fillRect(rect(), veil);
    }

private:
    ErrorState* card_;
};

EstimateView::EstimateView(Document* document, QWidget* parent)
    : View(document, parent)
    , pages_(new QStackedWidget(this))
    , table_(new CellTable)
    , tablePage_(table_)
    , error_(new ErrorVeil(this))
    , busy_(new BusyOverlay(this))
    , dataAction_(new QAction(tr("Show data"), this)) {
    auto* box = new QVBoxLayout(this);
    box->setContentsMargins(0, 0, 0, 0);
    box->addWidget(pages_);
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    dataAction_->setCheckable(true);
    dataAction_->setShortcut(Qt::CTRL | Qt::Key_D);
    dataAction_->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    dataAction_->setToolTip(tr("The plot's data as a table (Ctrl+D)"));
    addTitleAction(dataAction_);
    connect(dataAction_, &QAction::toggled, this, &EstimateView::setDataShown);
    connect(busy_, &BusyOverlay::cancelRequested, document, &Document::cancel);
    connect(error_->card(), &Notice::triggered, document, &Document::recompute);
    connect(table_, &CellTable::currentKeyChanged, this, &EstimateView::chooseRow);
}

void EstimateView::setContent(QWidget* content) {
    content_ = content;
    setAccessibleName(title());
    table_->setAccessibleName(tr("%1, data").arg(title()));
    empty_ = new EmptyState(iconName(), QString());
    connect(empty_, &Notice::triggered, this, &EstimateView::applyFix);
    for (QWidget* page : {content_, tablePage_, static_cast<QWidget*>(empty_)})
        pages_->addWidget(page);
    showNothing(nullptr);
}

void EstimateView::offerWayBack() {
    Q_ASSERT(content_ == nullptr);
    tablePage_ = new QWidget;
    auto* back = new QPushButton(tr("Back to the Picture"));
    back->setObjectName(QStringLiteral("backToPicture"));
    back->setToolTip(tr("Leave the table (Esc or Ctrl+D)"));
    connect(back, &QPushButton::clicked, this, [this] { setDataShown(false); });
    auto* bar = new QHBoxLayout;
    bar->setContentsMargins(theme().px(12), theme().px(6), theme().px(12), theme().px(6));
    bar->addWidget(back);
    bar->addStretch(1);
    auto* column = new QVBoxLayout(tablePage_);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(bar);
    column->addWidget(table_, 1);
    tablePage_->setFocusProxy(table_);
}

bool EstimateView::isDataShown() const { return dataAction_->isChecked(); }

void EstimateView::setDataShown(bool shown) {
    dataAction_->setChecked(shown);
    if (!shown_)
        return;
    const bool focused = isAncestorOf(focusWidget());
    pages_->setCurrentWidget(shown ? tablePage_ : content_);
    if (focused)
        pages_->currentWidget()->setFocus(Qt::OtherFocusReason);
}

void EstimateView::updateEstimate() {
    const auto estimate = document().estimate();
    if (estimate && canShow(*estimate)) {
        const auto& difference = document().baselines().difference();
        const bool renew = shown_ != estimate, differs = against_ != difference;
        shown_ = estimate;
        against_ = difference;
        dataAction_->setEnabled(true);
        if (renew)
            showEstimate();
        else if (differs)
            showDifference();
        setDataShown(isDataShown());
    } else {
        shown_.reset();
        showNothing(estimate.get());
    }
}

void EstimateView::updateBusy() {
    const auto estimate = document().estimate();
    if (!estimate)
        showNothing(nullptr); // says whether one is on its way
    if (document().busy())
        busy_->start(tr("Estimating"));
    else
        busy_->stop();
    const QString error = document().error();
    if (error.isEmpty() || document().busy())
        error_->hide();
    else
        error_->setError(error, estimate ? tr("Shown values predate this change.") : QString());
}

void EstimateView::showNothing(const Estimate* estimate) {
    dataAction_->setEnabled(false);
    pages_->setCurrentWidget(empty_);
    if (!estimate) {
        empty_->setText(nothingYet(), document().busy()
                                          ? tr("Computing the first estimate.")
                                          : tr("Choose a model and a cluster in the scenario."));
        empty_->setAction({});
        return;
    }
    if (const auto [sentence, detail] = nothingIn(*estimate); !sentence.isEmpty()) {
        empty_->setText(sentence, detail);
        empty_->setAction({});
        return;
    }
    const Problem* problem = hindrance(*estimate);
    empty_->setText(estimate->runs && !estimate->fits ? tr("This plan does not fit")
                                                      : tr("This plan does not run"),
                    problem ? text(problem->message) : QString());
    empty_->setAction(problem && problem->fix ? text(problem->fix->text) : QString());
}

void EstimateView::applyFix() {
    const auto estimate = document().estimate();
    const Problem* problem = estimate ? hindrance(*estimate) : nullptr;
    if (problem && problem->fix)
        document().setFields(problem->fix->set, text(problem->fix->text));
}

void EstimateView::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Escape && isDataShown() && table_->isAncestorOf(focusWidget()))
        return setDataShown(false);
    if (event->key() == Qt::Key_Escape && !document().selection().empty())
        return document().clearSelection();
    View::keyPressEvent(event);
}

void EstimateView::resizeEvent(QResizeEvent* event) {
    View::resizeEvent(event);
    if (error_->isVisible())
        error_->place();
}

} // namespace alidade::views
