// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/catalog/refusal_list.h"

#include "data/catalog/catalog_keys.h"
#include "views/document/text.h"
#include "views/icons/icon.h"
#include "views/kit/text_label.h"
#include "views/theme/theme_controller.h"

#include <QHBoxLayout>
#include <QPainter>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace alidade::views {

namespace {

constexpr int mostLines = 3;
const QString goLink = QStringLiteral("go");
const QString fixLink = QStringLiteral("fix");

QString placeOf(const CatalogCell& cell) {
    const data::CatalogKey* key = data::catalogKey(cell.kind, cell.key.toStdString());
    return key == nullptr ? cell.entry : cell.entry + QStringLiteral(", ") + text(key->label);
}

/// A rounded ground in the color of a state.
class TintedRow : public QWidget {
public:
    TintedRow(Role ground, QWidget* parent)
        : QWidget(parent)
        , ground_(ground) {}

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(Qt::NoPen);
        painter.setBrush(theme().color(ground_));
        painter.drawRoundedRect(rect(), 3, 3);
    }

private:
    Role ground_;
};

QLabel* iconLabel(const char* name, Role ink, QWidget* parent) {
    auto* label = new QLabel(parent);
    const int side = theme().px(15);
    label->setPixmap(
        icon(QLatin1StringView(name), ink).pixmap(QSize(side, side), parent->devicePixelRatioF()));
    return label;
}

} // namespace

RefusalList::RefusalList(CatalogEditor* editor, QWidget* parent)
    : QWidget(parent)
    , editor_(editor)
    , column_(new QVBoxLayout(this)) {
    setObjectName(QStringLiteral("refusals"));
    const int side = theme().px(10);
    column_->setContentsMargins(side, theme().px(4), side, theme().px(6));
    column_->setSpacing(theme().px(4));
    connect(editor, &CatalogEditor::changed, this, &RefusalList::renew);
    renew();
}

void RefusalList::setKind(data::CatalogKind kind) {
    kind_ = kind;
    renew();
}

void RefusalList::say(const QString& sentence) {
    said_ = sentence;
    renew();
}

QList<RefusalList::Line> RefusalList::lines() const {
    QList<Line> lines;
    for (const RefusedText& each : editor_->refusals())
        lines.append({.cell = each.cell,
                      .words = each.reason.contains(each.text) ? each.reason
                                                               : tr("“%1”: %2").arg(each.text, each.reason),
                      .proposal = each.proposal,
                      .error = true});
    for (const data::SetAside& each : editor_->applied().setAside) {
        const data::CatalogChange& change = editor_->user().changes[each.change];
        lines.append({.cell = {change.kind, text(change.entry), text(change.key)},
                      .words = tr("a change of yours has no effect: %1").arg(text(each.message)),
                      .proposal = {},
                      .error = false});
    }
    std::ranges::stable_partition(lines, [this](const Line& line) { return line.cell.kind == kind_; });
    return lines;
}

QWidget* RefusalList::makeLine(const Line& line) {
    auto* row = new TintedRow(line.error ? Role::errBg : Role::warnBg, this);
    auto* layout = new QHBoxLayout(row);
    layout->setContentsMargins(theme().px(10), theme().px(4), theme().px(10), theme().px(4));
    layout->setSpacing(theme().px(8));
    layout->addWidget(iconLabel(line.error ? "error" : "warning", line.error ? Role::err : Role::warn, row),
                      0, Qt::AlignTop);
    auto* words = new TextLabel(FontRole::body, Role::text, {}, row);
    words->setTextFormat(Qt::RichText);
    const QString color = theme().color(Role::text).name();
    words->setText(QStringLiteral("<a href=\"%1\" style=\"color:%2;text-decoration:none\"><b>%3:</b></a> %4")
                       .arg(goLink, color, placeOf(line.cell).toHtmlEscaped(), line.words.toHtmlEscaped()));
    words->setWordWrap(true);
    words->setAccessibleName(placeOf(line.cell) + QStringLiteral(": ") + line.words);
    connect(words, &QLabel::linkActivated, this, [this, cell = line.cell] { emit cellClicked(cell); });
    layout->addWidget(words, 1);
    if (!line.proposal.isEmpty()) {
        auto* fix = new TextLabel(FontRole::body, Role::accent, {}, row);
        fix->setObjectName(QStringLiteral("refusalFix"));
        fix->setTextFormat(Qt::RichText);
        fix->setText(QStringLiteral("<a href=\"%1\" style=\"text-decoration:none\">%2</a>")
                         .arg(fixLink, tr("Use %1").arg(line.proposal).toHtmlEscaped()));
        connect(fix, &QLabel::linkActivated, this,
                [this, line] { editor_->setText(line.cell, line.proposal); });
        layout->addWidget(fix, 0, Qt::AlignTop);
    }
    return row;
}

QWidget* RefusalList::makeSaid() {
    auto* row = new TintedRow(Role::alt, this);
    auto* layout = new QHBoxLayout(row);
    layout->setContentsMargins(theme().px(10), theme().px(2), theme().px(4), theme().px(2));
    auto* words = new TextLabel(FontRole::body, Role::text, said_, row);
    words->setObjectName(QStringLiteral("catalogSaid"));
    words->setWordWrap(true);
    layout->addWidget(words, 1);
    auto* close = new QToolButton(row);
    close->setAutoRaise(true);
    close->setIcon(icon(QLatin1StringView("close")));
    close->setAccessibleName(tr("Dismiss"));
    connect(close, &QToolButton::clicked, this, [this] { say({}); });
    layout->addWidget(close, 0, Qt::AlignTop);
    return row;
}

void RefusalList::renew() {
    while (QLayoutItem* item = column_->takeAt(0)) {
        if (item->widget() != nullptr) {
            item->widget()->hide();
            item->widget()->deleteLater();
        }
        delete item;
    }
    column_->addWidget(new MarkLegend(this));
    if (!said_.isEmpty())
        column_->addWidget(makeSaid());
    const QList<Line> all = lines();
    for (const Line& line : all.mid(0, mostLines))
        column_->addWidget(makeLine(line));
    if (all.size() > mostLines)
        column_->addWidget(
            new TextLabel(FontRole::small, Role::text2, tr("and %1 more").arg(all.size() - mostLines), this));
}

MarkLegend::MarkLegend(QWidget* parent)
    : QWidget(parent) {
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    setAccessibleName(tr("Left corner: your value. Right corner: sources disagree. Dash: not published."));
}

QSize MarkLegend::sizeHint() const { return {theme().px(200), theme().rowHeight()}; }

void MarkLegend::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(theme().font(FontRole::small));
    const QFontMetricsF metrics(painter.font());
    const double side = theme().px(7);
    const double top = (height() - side) / 2.0;
    double x = 2;
    const auto words = [&](const QString& said) {
        painter.setPen(theme().color(Role::text2));
        painter.drawText(QPointF(x, (height() + metrics.ascent() - metrics.descent()) / 2), said);
        x += metrics.horizontalAdvance(said) + theme().px(18);
    };
    const auto corner = [&](Role role, bool left) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(theme().color(role));
        const QPointF at(x, top);
        painter.drawPolygon(QPolygonF{at, at + QPointF(side, 0), at + QPointF(left ? 0 : side, side)});
        x += side + theme().px(6);
    };
    corner(Role::accent, true);
    words(tr("yours, over the shipped value"));
    corner(Role::warn, false);
    words(tr("sources disagree"));
    words(tr("– not published; never guessed"));
}

} // namespace alidade::views
