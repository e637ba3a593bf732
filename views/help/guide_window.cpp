// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/help/guide_window.h"

#include "views/catalog/kind_list.h"
#include "views/icons/icon.h"
#include "views/theme/theme_controller.h"

#include <QDesktopServices>
#include <QEvent>
#include <QFile>
#include <QListWidget>
#include <QRegularExpression>
#include <QShortcut>
#include <QSplitter>
#include <QTextBrowser>
#include <QUrl>

namespace alidade::views {

namespace {

QString guideHtml() {
    QFile file(QStringLiteral(":/alidade/guide.html"));
    const bool open = file.open(QIODevice::ReadOnly);
    Q_ASSERT(open); // compiled in
    return open ? QString::fromUtf8(file.readAll()) : QString();
}

/// The colors of the theme for the words that the guide's style uses.
QString guideStyle() {
    const Theme& look = theme();
    return QStringLiteral("h1{font-size:%1pt;font-weight:500} h2{font-size:%2pt;font-weight:500}"
                          "p,li,td,th{line-height:140%} a{color:%3;text-decoration:none} code{color:%4}"
                          "th{text-align:left;color:%5;font-weight:400} .note{color:%5}")
        .arg(18 * look.fontScale())
        .arg(13 * look.fontScale())
        .arg(look.color(Role::accent).name(), look.color(Role::text).name(), look.color(Role::text2).name());
}

} // namespace

GuideWindow::GuideWindow(QWidget* parent)
    : QMainWindow(parent)
    , chapters_(new QListWidget)
    , text_(new QTextBrowser) {
    setObjectName(QStringLiteral("guide"));
    setWindowTitle(tr("Alidade user guide"));
    setWindowIcon(applicationIcon());
    resize(theme().px(920), theme().px(720));
    auto* splitter = new QSplitter;
    splitter->addWidget(chapters_);
    splitter->addWidget(text_);
    splitter->setSizes({theme().px(220), theme().px(700)});
    splitter->setStretchFactor(1, 1);
    setCentralWidget(splitter);
    chapters_->setFrameShape(QFrame::NoFrame);
    chapters_->setItemDelegate(new KindDelegate(chapters_));
    chapters_->setAccessibleName(tr("Chapters"));
    text_->setFrameShape(QFrame::NoFrame);
    text_->setAccessibleName(tr("Text of the guide"));
    text_->setOpenLinks(false);
    connect(text_, &QTextBrowser::anchorClicked, this, [this](const QUrl& link) {
        if (link.isRelative())
            go(link.fragment());
        else
            QDesktopServices::openUrl(link);
    });
    connect(chapters_, &QListWidget::currentItemChanged, this, [this](QListWidgetItem* item) {
        if (item != nullptr)
            go(item->data(kindSheetRole).toString());
    });
    auto* close = new QShortcut(QKeySequence(Qt::Key_Escape), this);
    connect(close, &QShortcut::activated, this, &QWidget::close);
    load();
}

void GuideWindow::load() {
    text_->document()->setDefaultStyleSheet(guideStyle());
    text_->document()->setDocumentMargin(theme().px(28));
    const QString html = guideHtml();
    text_->setHtml(html);
    if (chapters_->count() > 0)
        return;
    static const QRegularExpression heading(QStringLiteral("<h2><a name=\"([a-z]+)\"></a>([^<]+)</h2>"));
    for (auto match = heading.globalMatch(html); match.hasNext();) {
        const auto found = match.next();
        auto* item = new QListWidgetItem(found.captured(2), chapters_);
        item->setData(kindSheetRole, found.captured(1));
    }
}

void GuideWindow::showChapter(const QString& topic) {
    show();
    raise();
    activateWindow();
    // Topics of views are as anchors in the chapter that they belong to.
    const bool known = guideHtml().contains(QStringLiteral("name=\"%1\"").arg(topic));
    go(known ? topic : chapters_->item(0)->data(kindSheetRole).toString());
}

QString GuideWindow::chapter() const { return anchor_; }

void GuideWindow::go(const QString& anchor) {
    anchor_ = anchor;
    if (anchor == chapters_->item(0)->data(kindSheetRole).toString())
        text_->moveCursor(QTextCursor::Start);
    else
        text_->scrollToAnchor(anchor);
    for (int i = 0; i < chapters_->count(); ++i)
        if (chapters_->item(i)->data(kindSheetRole).toString() == anchor) {
            const QSignalBlocker quiet(chapters_);
            chapters_->setCurrentRow(i);
        }
}

void GuideWindow::changeEvent(QEvent* event) {
    QMainWindow::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) {
        load();
        text_->scrollToAnchor(anchor_);
    }
}

} // namespace alidade::views
