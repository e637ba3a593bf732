// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/catalog/provenance_panel.h"

#include "views/document/text.h"
#include "views/icons/icon.h"
#include "views/kit/states.h"
#include "views/kit/text_label.h"
#include "views/theme/theme_controller.h"

#include <QFrame>
#include <QHBoxLayout>
#include <QScrollArea>
#include <QVBoxLayout>

#include <algorithm>

namespace alidade::views {

ProvenancePanel::ProvenancePanel(QWidget* parent)
    : QWidget(parent)
    , body_(new QWidget)
    , column_(new QVBoxLayout(body_)) {
    setObjectName(QStringLiteral("provenance"));
    setAccessibleName(tr("Where the value comes from"));
    auto* scroll = new QScrollArea(this);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setFocusPolicy(Qt::NoFocus);
    body_->setAutoFillBackground(true);
    body_->setBackgroundRole(QPalette::Base);
    const int side = theme().px(14);
    column_->setContentsMargins(side, side, side, side);
    column_->setSpacing(theme().px(5));
    scroll->setWidget(body_);
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->addWidget(scroll);
    showNothing();
}

QSize ProvenancePanel::sizeHint() const { return {theme().px(340), theme().px(500)}; }

void ProvenancePanel::clear() {
    while (QLayoutItem* item = column_->takeAt(0)) {
        if (item->widget() != nullptr) {
            item->widget()->hide();
            item->widget()->deleteLater();
        }
        delete item;
    }
}

void ProvenancePanel::showNothing() {
    clear();
    column_->addWidget(new EmptyState(QStringLiteral("explain"), tr("No value is chosen"),
                                      tr("A click on a cell shows where its value comes from."), {}, body_));
}

void ProvenancePanel::showValue(const QString& id, const QString& key, const QString& title,
                                const QString& value, const Provenance& provenance) {
    clear();
    auto* name = new TextLabel(FontRole::title, Role::text, id, body_);
    name->setWordWrap(true);
    column_->addWidget(name);
    if (key != QLatin1String("id")) {
        auto* figure =
            new TextLabel(value.size() < 18 ? FontRole::figure : FontRole::strong, Role::text, value, body_);
        figure->setTextInteractionFlags(Qt::TextSelectableByMouse);
        figure->setWordWrap(true);
        column_->addWidget(figure);
        column_->addWidget(new TextLabel(FontRole::small, Role::text2, title, body_));
    }
    if (provenance.user)
        column_->addWidget(new TextLabel(FontRole::small, Role::accent, tr("From your own catalog"), body_));
    addRule();

    std::vector<const Source*> sources;
    for (const Source& source : provenance.sources)
        sources.push_back(&source);
    const auto stands = [&](const Source* source) { return standsFor(*source, key.toStdString()); };
    std::ranges::stable_partition(sources, stands);
    addHeading(tr("Sources"), sources.empty() ? tr("none: an assumption") : QString());
    for (const Source* source : sources)
        addSource(*source, stands(source));
    if (!provenance.conflicts.empty()) {
        addRule();
        addHeading(tr("Where sources disagree"));
        for (const std::string& conflict : provenance.conflicts)
            addText(conflict);
    }
    if (!provenance.notes.empty()) {
        addRule();
        addHeading(tr("Notes"));
        for (const std::string& note : provenance.notes)
            addText(note);
    }
    column_->addStretch(1);
}

void ProvenancePanel::addHeading(const QString& words, const QString& note) {
    auto* row = new QWidget(body_);
    auto* line = new QHBoxLayout(row);
    line->setContentsMargins(0, 0, 0, theme().px(2));
    line->addWidget(new TextLabel(FontRole::strong, Role::text, words, row));
    line->addStretch(1);
    line->addWidget(new TextLabel(FontRole::small, Role::text2, note, row));
    column_->addWidget(row);
}

void ProvenancePanel::addSource(const Source& source, bool stands) {
    auto* row = new QWidget(body_);
    auto* line = new QHBoxLayout(row);
    line->setContentsMargins(0, 0, 0, theme().px(4));
    line->setSpacing(theme().px(8));
    auto* mark = new QLabel(row);
    const int side = theme().px(14);
    if (stands)
        mark->setPixmap(icon(QLatin1StringView("check"), Role::text2).pixmap(side, side));
    mark->setFixedWidth(side);
    mark->setToolTip(stands ? tr("Stands for this value") : QString());
    line->addWidget(mark, 0, Qt::AlignTop);
    auto* words = new TextLabel(FontRole::small, stands ? Role::text : Role::text2, {}, row);
    const QString title = text(source.title).toHtmlEscaped();
    QString html = source.url.empty()
                       ? title
                       : QStringLiteral("<a href=\"%1\">%2</a>").arg(text(source.url).toHtmlEscaped(), title);
    if (!source.path.empty())
        html += QStringLiteral("<br>") + text(source.path).toHtmlEscaped();
    if (!source.textChecked)
        html += QStringLiteral("<br>") + tr("as widely quoted; the text itself was not read").toHtmlEscaped();
    words->setTextFormat(Qt::RichText);
    words->setText(html);
    words->setToolTip(text(source.url));
    words->setWordWrap(true);
    words->setOpenExternalLinks(true);
    line->addWidget(words, 1);
    line->addWidget(new TextLabel(FontRole::small, Role::text2, text(source.date), row), 0, Qt::AlignTop);
    column_->addWidget(row);
}

void ProvenancePanel::addText(const std::string& words) {
    auto* label = new TextLabel(FontRole::small, Role::text2, text(words), body_);
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    column_->addWidget(label);
}

void ProvenancePanel::addRule() {
    auto* line = new QFrame(body_);
    line->setFrameShape(QFrame::HLine);
    line->setFrameShadow(QFrame::Plain);
    line->setForegroundRole(QPalette::Mid);
    column_->addSpacing(theme().px(4));
    column_->addWidget(line);
    column_->addSpacing(theme().px(4));
}

} // namespace alidade::views
