// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/report/report_preview.h"

#include "data/report/writers.h"
#include "views/document/text.h"
#include "views/report/html.h"
#include "views/report/html_document.h"
#include "views/report/sheet_tabs.h"
#include "views/theme/theme_controller.h"

#include <QFontDatabase>
#include <QHBoxLayout>
#include <QImage>
#include <QKeyEvent>
#include <QLabel>
#include <QPainter>
#include <QPlainTextEdit>
#include <QScrollArea>
#include <QScrollBar>
#include <QSpinBox>
#include <QStackedWidget>
#include <QTextBrowser>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace alidade::views {

/// A page of HTML with what its pictures are painted from.
struct HtmlContent {
    QByteArray page;
    std::vector<Drawing> plots;
};

ReportPreview::ReportPreview(QWidget* parent)
    : QWidget(parent)
    , forms_(new QStackedWidget(this))
    , area_(new QScrollArea)
    , picture_(new QLabel)
    , browser_(new QTextBrowser)
    , sheets_(new SheetTabs)
    , text_(new QPlainTextEdit)
    , pageRow_(new QWidget(this))
    , number_(new QSpinBox)
    , count_(new QLabel)
    , state_(new QLabel(this))
    , layoutWorker_(this, Work::computing)
    , paintWorker_(this, Work::computing) {
    setObjectName(QStringLiteral("reportPreview"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(theme().px(8));
    text_->setObjectName(QStringLiteral("previewText"));
    text_->setAccessibleName(tr("Text of the file"));
    text_->setReadOnly(true);
    text_->setLineWrapMode(QPlainTextEdit::NoWrap);
    text_->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    for (QWidget* form :
         {makePages(), makeBrowser(), static_cast<QWidget*>(sheets_), static_cast<QWidget*>(text_)})
        forms_->addWidget(form);
    forms_->setMinimumSize(theme().px(320), theme().px(240));
    column->addWidget(forms_, 1);
    auto* numbers = new QHBoxLayout(pageRow_);
    numbers->setContentsMargins(0, 0, 0, 0);
    auto* label = new QLabel(tr("Pa&ge"));
    label->setBuddy(number_);
    number_->setObjectName(QStringLiteral("previewPage"));
    number_->setAccessibleName(tr("Page"));
    number_->setRange(1, 1);
    number_->installEventFilter(this);
    for (QWidget* each :
         {static_cast<QWidget*>(label), static_cast<QWidget*>(number_), static_cast<QWidget*>(count_)})
        numbers->addWidget(each);
    auto* row = new QHBoxLayout;
    row->addWidget(pageRow_);
    row->addStretch();
    row->addWidget(state_);
    column->addLayout(row);
    connect(number_, &QSpinBox::valueChanged, this, [this] {
        paintPage();
        area_->verticalScrollBar()->setValue(0);
    });
}

QWidget* ReportPreview::makePages() {
    picture_->setAlignment(Qt::AlignHCenter | Qt::AlignTop);
    picture_->setAccessibleName(tr("Page"));
    area_->setWidget(picture_);
    area_->setWidgetResizable(true);
    area_->setBackgroundRole(QPalette::Window);
    area_->setAccessibleName(tr("Preview of the page"));
    area_->installEventFilter(this);
    return area_;
}

/// Black on white whatever the theme, as a browser shows the file. Its links are for a browser.
QWidget* ReportPreview::makeBrowser() {
    browser_->setObjectName(QStringLiteral("previewHtml"));
    browser_->setAccessibleName(tr("Preview of the page"));
    browser_->setOpenLinks(false);
    const Theme paper = Theme::paper();
    QPalette colors = browser_->palette();
    colors.setColor(QPalette::Base, paper.color(Role::base));
    colors.setColor(QPalette::Text, paper.color(Role::text));
    browser_->setPalette(colors);
    return browser_;
}

int ReportPreview::pageCount() const {
    return content_.pages ? static_cast<int>(content_.pages->count()) : 0;
}
int ReportPreview::page() const { return number_->value(); }
void ReportPreview::setPage(int page) { number_->setValue(page); }

void ReportPreview::wait() {
    working_ = true;
    ++layout_; // what is being laid out is of before
    layoutWorker_.cancel();
    state_->setText(tr("Estimating…"));
}

void ReportPreview::show(std::function<data::Report()> make, Paper paper, const QString& suffix) {
    working_ = true;
    state_->setText(tr("Laying out…"));
    layoutWorker_.start([this, generation = ++layout_, make = std::move(make), paper,
                         suffix](const LatestWorker::Turn& turn) {
        data::Report report = make();
        if (turn.isSuperseded())
            return;
        auto made = std::make_shared<Content>(contentOf(std::move(report), paper, suffix, turn.superseded()));
        turn.post([this, generation, made = std::move(made)] { take(generation, std::move(*made)); });
    });
}

ReportPreview::Content ReportPreview::contentOf(data::Report report, Paper paper, const QString& suffix,
                                                const std::stop_token& stop) {
    Content out;
    if (suffix == u"html") {
        auto page = std::make_shared<HtmlContent>();
        page->page = reportHtml(report, paper, &page->plots);
        out.page = std::move(page);
    } else if (suffix == u"xlsx") {
        const Result<std::string> book = data::reportXlsx(report);
        Result<std::vector<data::Sheet>> sheets =
            book ? data::readWorkbook(*book) : Result<std::vector<data::Sheet>>(Error{book.error()});
        if (sheets)
            out.sheets = *std::move(sheets);
        else
            out.fault = text(sheets.error());
    } else if (suffix == u"csv") {
        out.text = text(data::reportCsv(report));
    } else if (suffix == u"json") {
        out.text = text(data::reportJson(report));
    } else {
        out.pages = std::make_shared<const ReportPages>(std::move(report), paper, stop);
    }
    return out;
}

void ReportPreview::take(int generation, Content content) {
    if (generation != layout_)
        return;
    content_ = std::move(content);
    working_ = false;
    state_->setText(content_.fault);
    pageRow_->setVisible(content_.pages != nullptr);
    if (content_.pages) {
        number_->setRange(1, std::max(1, pageCount()));
        count_->setText(tr("of %1").arg(pageCount()));
        forms_->setCurrentWidget(area_);
    } else if (content_.page) {
        forms_->setCurrentWidget(browser_);
    } else if (!content_.sheets.empty()) {
        sheets_->setSheets(std::exchange(content_.sheets, {}));
        forms_->setCurrentWidget(sheets_);
    } else {
        text_->setPlainText(std::exchange(content_.text, {}));
        forms_->setCurrentWidget(text_);
    }
    paint();
    emit settled(pageCount());
}

void ReportPreview::paint() {
    if (content_.page)
        layOutHtml();
    else
        paintPage();
}

void ReportPreview::layOutHtml() {
    const double ratio = devicePixelRatioF();
    // A bar that comes makes no page narrower than what is laid out.
    const int bar = browser_->verticalScrollBar()->sizeHint().width();
    const double width = std::max(240, forms_->width() - 2 * browser_->frameWidth() - bar - 48);
    paintWorker_.start(
        [this, generation = ++painting_, page = content_.page, width, ratio](const LatestWorker::Turn& turn) {
            auto document = htmlDocument(page->page, page->plots, width, ratio);
            turn.post([this, generation, document = std::move(document)] {
                if (generation != painting_)
                    return;
                painted_ = generation;
                const int place = document_ ? browser_->verticalScrollBar()->value() : 0;
                browser_->setDocument(document.get());
                document_ = document;
                browser_->verticalScrollBar()->setValue(place);
            });
        });
}

void ReportPreview::paintPage() {
    if (!content_.pages || content_.pages->count() == 0)
        return;
    const double ratio = devicePixelRatioF();
    const int room = area_->viewport()->width() - 2 * theme().px(8);
    const double scale = std::clamp(room / content_.pages->size().width(), 0.3, 2.0) * ratio;
    paintWorker_.start([this, generation = ++painting_, pages = content_.pages, scale, ratio,
                        page = static_cast<std::size_t>(page() - 1)](const LatestWorker::Turn& turn) {
        QImage image((pages->size() * scale).toSize(), QImage::Format_RGB32);
        image.fill(Theme::paper().color(Role::base)); // whatever the theme
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
    paint();
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
