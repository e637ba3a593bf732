// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/status_line.h"

#include "model/catalog/catalog.h"
#include "model/estimate/estimate.h"
#include "views/document/document.h"
#include "views/document/text.h"
#include "views/icons/icon.h"
#include "views/kit/keep_font.h"
#include "views/kit/text_label.h"
#include "views/theme/theme_controller.h"

#include <QCoreApplication>
#include <QLabel>
#include <QTimer>
#include <QToolButton>

#include <algorithm>

namespace alidade::app {

using views::Document;
using views::FontRole;
using views::Role;
using views::text;
using views::TextLabel;
using views::theme;

namespace {

constexpr int patienceMilliseconds = 150; ///< a shorter estimate does not announce itself

} // namespace

StatusLine::StatusLine(Document* document, QWidget* parent)
    : QStatusBar(parent)
    , document_(document)
    , mark_(new QLabel(this))
    , saved_(new TextLabel(FontRole::small, Role::text2, {}, this))
    , catalog_(new TextLabel(FontRole::small, Role::text2, {}, this))
    , prices_(new TextLabel(FontRole::small, Role::text2, {}, this))
    , time_(new TextLabel(FontRole::small, Role::text2, {}, this))
    , live_(new TextLabel(FontRole::small, Role::text2, {}, this))
    , answer_(new TextLabel(FontRole::small, Role::text2, {}, this))
    , liveNote_(new TextLabel(FontRole::small, Role::text2, {}, this))
    , problems_(new QToolButton(this))
    , patience_(new QTimer(this)) {
    setSizeGripEnabled(false);
    setContentsMargins(theme().px(8), 0, theme().px(8), 0);
    problems_->setObjectName(QStringLiteral("problemCount"));
    problems_->setAutoRaise(true);
    views::KeepFont::on(problems_, FontRole::small);
    problems_->setFocusPolicy(Qt::TabFocus);
    problems_->setToolTip(tr("Show the problems (F8)"));
    addWidget(mark_);
    addWidget(saved_);
    addWidget(problems_);
    live_->setObjectName(QStringLiteral("liveState"));
    liveNote_->setObjectName(QStringLiteral("liveNote"));
    addWidget(live_);
    for (TextLabel* label : {answer_, liveNote_, catalog_, prices_, time_})
        addPermanentWidget(label);
    connect(problems_, &QToolButton::clicked, this, &StatusLine::problemsClicked);
    connect(document, &Document::modifiedChanged, this, &StatusLine::renew);
    connect(document, &Document::fileNameChanged, this, &StatusLine::renew);
    connect(document, &Document::estimateChanged, this, &StatusLine::renew);
    patience_->setSingleShot(true);
    patience_->setInterval(patienceMilliseconds);
    connect(patience_, &QTimer::timeout, this, &StatusLine::renew);
    connect(document, &Document::busyChanged, this, [this] {
        if (document_->busy())
            patience_->start();
        else
            patience_->stop();
        renew();
    });
    connect(&views::ThemeController::instance(), &views::ThemeController::changed, this, [this] {
        marked_.reset();
        renew();
    });
    renew();
}

void StatusLine::renew() {
    const bool modified = document_->isModified();
    const bool untitled = document_->fileName().isEmpty();
    const int side = theme().px(14);
    mark_->setVisible(open_);
    problems_->setVisible(open_ && !liveShown_);
    for (TextLabel* label : {live_, answer_, liveNote_})
        label->setVisible(liveShown_);
    const bool isKept = !keeping_.isEmpty();
    const bool bad = isKept && keepingKind_ == views::BadgeKind::err;
    const bool done = isKept ? keepingKind_ == views::BadgeKind::ok : !modified && !untitled;
    const auto [icon, ink] = bad    ? std::pair{QLatin1StringView("error"), Role::err}
                             : done ? std::pair{QLatin1StringView("check"), Role::ok}
                                    : std::pair{QLatin1StringView("save"), Role::text2};
    if (marked_ != ink) { // a label with a new pixmap lays out the whole window anew
        marked_ = ink;
        mark_->setPixmap(views::icon(icon, ink).pixmap(side, side));
    }
    saved_->setText(!open_     ? tr("Alidade %1").arg(QCoreApplication::applicationVersion())
                    : isKept   ? keeping_
                    : modified ? tr("Not saved")
                    : untitled ? tr("Not in a file yet")
                               : tr("Saved"));
    catalog_->setText(tr("Catalog %1").arg(text(document_->catalog()->version)));
    const auto estimate = document_->estimate();
    prices_->setVisible(open_ && !liveShown_ && estimate && estimate->cost &&
                        !estimate->cost->priceDate.empty());
    if (estimate && estimate->cost)
        prices_->setText(tr("Prices %1").arg(text(estimate->cost->priceDate)));
    time_->setVisible(open_ && !liveShown_ && estimate != nullptr);
    catalog_->setVisible(!liveShown_);
    if (document_->busy() && !patience_->isActive())
        time_->setText(tr("Estimating"));
    else if (estimate)
        time_->setText(
            tr("Estimated in %1")
                .arg(views::quantity(document_->estimateSeconds(), Dimension::seconds, {.significant = 2})));
    renewProblems();
}

void StatusLine::setLive(views::BadgeKind kind, const QString& words, const QString& answer) {
    live_->setInk(kind == views::BadgeKind::ok     ? Role::ok
                  : kind == views::BadgeKind::warn ? Role::warn
                  : kind == views::BadgeKind::err  ? Role::err
                                                   : Role::text2);
    live_->setText(words);
    answer_->setText(answer);
}

void StatusLine::setLiveNote(const QString& words) {
    liveNote_->setText(words);
    renew();
}

void StatusLine::setLiveShown(bool shown) {
    liveShown_ = shown;
    renew();
}

void StatusLine::setScenarioOpen(bool open) {
    open_ = open;
    renew();
}

void StatusLine::setKeeping(views::BadgeKind kind, const QString& words) {
    keepingKind_ = kind;
    keeping_ = words;
    renew();
}

void StatusLine::renewProblems() {
    const auto estimate = document_->estimate();
    const auto count = [&](Severity severity) {
        return estimate
                   ? static_cast<int>(std::ranges::count(estimate->problems, severity, &Problem::severity))
                   : 0;
    };
    const int errors = document_->error().isEmpty() ? count(Severity::error) : 1;
    const int warnings = count(Severity::warning);
    QStringList parts;
    if (errors > 0)
        parts.append(views::counted(errors, tr("error"), tr("errors")));
    if (warnings > 0)
        parts.append(views::counted(warnings, tr("warning"), tr("warnings")));
    problems_->setText(parts.isEmpty() ? tr("No problems") : parts.join(QStringLiteral(", ")));
    problems_->setAccessibleName(problems_->text());
}

} // namespace alidade::app
