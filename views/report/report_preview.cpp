// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/report/report_preview.h"

#include "views/theme/theme_controller.h"

#include <QHBoxLayout>
#include <QImage>
#include <QKeyEvent>
#include <QLabel>
#include <QPainter>
#include <QScrollArea>
#include <QScrollBar>
#include <QSpinBox>
#include <QVBoxLayout>

#include <algorithm>

namespace alidade::views {

ReportPreview::ReportPreview(QWidget* parent)
    : QWidget(parent)
    , area_(new QScrollArea(this))
    , picture_(new QLabel)
    , number_(new QSpinBox(this))
    , count_(new QLabel(this))
    , note_(new QLabel(this))
    , state_(new QLabel(this))
    , layoutWorker_(this, Work::computing)
    , paintWorker_(this, Work::computing) {
    setObjectName(QStringLiteral("reportPreview"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(theme().px(8));
    picture_->setAlignment(Qt::AlignHCenter | Qt::AlignTop);
    picture_->setAccessibleName(tr("Page"));
    area_->setWidget(picture_);
    area_->setWidgetResizable(true);
    area_->setBackgroundRole(QPalette::Window);
    area_->setAccessibleName(tr("Preview of the page"));
    area_->setMinimumSize(theme().px(320), theme().px(240));
    area_->installEventFilter(this);
    column->addWidget(area_, 1);
    auto* row = new QHBoxLayout;
    auto* label = new QLabel(tr("Pa&ge"), this);
    label->setBuddy(number_);
    number_->setObjectName(QStringLiteral("previewPage"));
    number_->setAccessibleName(tr("Page"));
    number_->setRange(1, 1);
    number_->installEventFilter(this);
    row->addWidget(label);
    row->addWidget(number_);
    row->addWidget(count_);
    row->addSpacing(theme().px(8));
    row->addWidget(note_);
    row->addStretch();
    row->addWidget(state_);
    column->addLayout(row);
    connect(number_, &QSpinBox::valueChanged, this, [this] {
        paintPage();
        area_->verticalScrollBar()->setValue(0);
    });
}

int ReportPreview::pageCount() const { return pages_ ? static_cast<int>(pages_->count()) : 0; }
int ReportPreview::page() const { return number_->value(); }
void ReportPreview::setPage(int page) { number_->setValue(page); }

void ReportPreview::setNote(const QString& note) { note_->setText(note); }

void ReportPreview::wait() {
    working_ = true;
    ++layout_; // what is being laid out is of before
    layoutWorker_.cancel();
    state_->setText(tr("Estimating…"));
}

void ReportPreview::show(std::function<data::Report()> make, Paper paper) {
    working_ = true;
    state_->setText(tr("Laying out…"));
    layoutWorker_.start(
        [this, generation = ++layout_, make = std::move(make), paper](const LatestWorker::Turn& turn) {
            data::Report report = make();
            if (turn.isSuperseded())
                return;
            auto pages = std::make_shared<const ReportPages>(std::move(report), paper, turn.superseded());
            turn.post([this, generation, pages = std::move(pages)] { take(generation, pages); });
        });
}

void ReportPreview::take(int generation, const std::shared_ptr<const ReportPages>& pages) {
    if (generation != layout_)
        return;
    pages_ = pages;
    working_ = false;
    state_->clear();
    number_->setRange(1, std::max(1, pageCount()));
    count_->setText(tr("of %1").arg(pageCount()));
    paintPage();
    emit settled(pageCount());
}

void ReportPreview::paintPage() {
    if (!pages_ || pages_->count() == 0)
        return;
    const double ratio = devicePixelRatioF();
    const int room = area_->viewport()->width() - 2 * theme().px(8);
    const double scale = std::clamp(room / pages_->size().width(), 0.3, 2.0) * ratio;
    paintWorker_.start([this, generation = ++painting_, pages = pages_, scale, ratio,
                        page = static_cast<std::size_t>(page() - 1)](const LatestWorker::Turn& turn) {
        QImage image((pages->size() * scale).toSize(), QImage::Format_RGB32);
        image.fill(Theme::paper().colour(Role::base)); // whatever the theme
        QPainter painter(&image);
        painter.scale(scale, scale);
        pages->paint(painter, page);
        painter.end();
        image.setDevicePixelRatio(ratio);
        turn.post([this, generation, image] {
            if (generation != painting_)
                return;
            painted_ = generation;
            picture_->setPixmap(QPixmap::fromImage(image));
        });
    });
}

void ReportPreview::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    paintPage();
}

/// Page Up and Page Down go on to the next page at the ends of one. Return in the number goes to that page,
/// and does not press the dialog's button.
bool ReportPreview::eventFilter(QObject* watched, QEvent* event) {
    if (watched == number_ && event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        if (key == Qt::Key_Return || key == Qt::Key_Enter) {
            number_->interpretText();
            number_->selectAll();
            return true;
        }
    }
    if (watched == area_ && event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        const QScrollBar* bar = area_->verticalScrollBar();
        if (key == Qt::Key_PageDown && bar->value() == bar->maximum() && page() < pageCount()) {
            setPage(page() + 1);
            return true;
        }
        if (key == Qt::Key_PageUp && bar->value() == bar->minimum() && page() > 1) {
            setPage(page() - 1);
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

} // namespace alidade::views
