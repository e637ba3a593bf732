// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/catalog/cell_field.h"

#include "views/kit/text_label.h"
#include "views/theme/kit_style.h"
#include "views/theme/theme_controller.h"

#include <QCompleter>
#include <QPainter>

#include <algorithm>

namespace alidade::views {

namespace {

/// The reason under a cell that is being edited.
class CellNote : public TextLabel {
public:
    explicit CellNote(QWidget* parent)
        : TextLabel(FontRole::small, Role::err, {}, parent) {
        setObjectName(QStringLiteral("cellNote"));
        setWordWrap(true);
        setMargin(theme().px(6));
        setAttribute(Qt::WA_TransparentForMouseEvents);
        hide();
    }

    void say(const QString& reason, const QRect& cell) {
        setText(reason);
        setVisible(!reason.isEmpty());
        if (reason.isEmpty())
            return;
        const int room = parentWidget()->width();
        const int width =
            std::min({room, theme().px(380), fontMetrics().horizontalAdvance(reason) + 4 * margin()});
        const int height = heightForWidth(width);
        const int below = cell.bottom() + 2;
        const bool fits = below + height <= parentWidget()->height();
        setGeometry(std::clamp(cell.right() - width, 0, std::max(0, room - width)),
                    fits ? below : std::max(0, cell.top() - height - 2), width, height);
        raise();
    }

protected:
    void paintEvent(QPaintEvent* event) override {
        QPainter painter(this);
        painter.setPen(theme().color(Role::err));
        painter.setBrush(theme().color(Role::errBg));
        painter.drawRect(rect().adjusted(0, 0, -1, -1));
        painter.end();
        TextLabel::paintEvent(event);
    }
};

void sayBelow(const QPointer<TextLabel>& note, const QString& reason, const QRect& cell) {
    if (note != nullptr) // gone with the table
        static_cast<CellNote*>(note.data())->say(reason, cell);
}

} // namespace

CellField::CellField(Check check, const QStringList& words, QWidget* parent)
    : QLineEdit(parent)
    , check_(std::move(check))
    , note_(new CellNote(parent)) {
    setObjectName(QStringLiteral("cellField"));
    setFrame(true);
    if (!words.isEmpty()) {
        auto* completer = new QCompleter(words, this);
        completer->setCaseSensitivity(Qt::CaseInsensitive);
        completer->setFilterMode(Qt::MatchContains);
        setCompleter(completer);
    }
    connect(this, &QLineEdit::textEdited, this, &CellField::check);
}

CellField::~CellField() { delete note_; }

void CellField::begin(const QString& text) {
    setText(text);
    selectAll();
}

QString CellField::reason() const {
    return note_ == nullptr || note_->isHidden() ? QString() : note_->text();
}

void CellField::check() {
    const QString reason = check_ ? check_(text()) : QString();
    setProperty(refusedProperty, !reason.isEmpty());
    setAccessibleDescription(reason);
    sayBelow(note_, reason, geometry());
    update();
}

void CellField::moveEvent(QMoveEvent* event) {
    QLineEdit::moveEvent(event);
    sayBelow(note_, reason(), geometry());
}

void CellField::resizeEvent(QResizeEvent* event) {
    QLineEdit::resizeEvent(event);
    sayBelow(note_, reason(), geometry());
}

} // namespace alidade::views
