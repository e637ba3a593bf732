// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/kit/degree_field.h"

#include "views/kit/degree_track.h"
#include "views/kit/number_text.h"
#include "views/theme/kit_style.h"
#include "views/theme/theme_controller.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>

namespace alidade::views {

namespace {

QString shown(int value) { return grouped(QString::number(value)); }

/// What was typed, with separators or without.
int numberIn(const QString& typed, bool* good) { return QString(typed).remove(QLatin1Char(',')).toInt(good); }

} // namespace

LegalSpinBox::LegalSpinBox(QWidget* parent)
    : QAbstractSpinBox(parent) {
    setFocusPolicy(Qt::StrongFocus);
    setButtonSymbols(QAbstractSpinBox::NoButtons);
    setAlignment(Qt::AlignCenter);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    connect(this, &QAbstractSpinBox::editingFinished, this, &LegalSpinBox::commit);
    connect(lineEdit(), &QLineEdit::inputRejected, this,
            [this] { QToolTip::showText(mapToGlobal(QPoint(0, height())), reason_, this); });
    renew();
}

void LegalSpinBox::setLegalValues(QList<int> ascending) {
    if (legal_ == ascending)
        return;
    const QSize before = sizeHint();
    legal_ = std::move(ascending);
    renew();
    if (sizeHint() != before) // it has room for the largest of them
        updateGeometry();
}

void LegalSpinBox::setValue(int value) {
    const QSize before = sizeHint();
    value_ = value;
    renew();
    if (sizeHint() != before) // an illegal value may be wider than the legal ones
        updateGeometry();
}

void LegalSpinBox::setReason(const QString& reason) { reason_ = reason; }

void LegalSpinBox::renew() {
    // What is being typed stays, and so does a selection: an estimate may come at any time.
    const bool typing = lineEdit()->hasFocus() && lineEdit()->isModified();
    if (const QString wanted = shown(value_); !typing && lineEdit()->text() != wanted)
        lineEdit()->setText(wanted);
    const bool illegal = !legal_.isEmpty() && !legal_.contains(value_);
    if (property(refusedProperty).toBool() == illegal)
        return; // along a drag nearly every estimate changes nothing here
    setProperty(refusedProperty, illegal);
    update();
}

void LegalSpinBox::stepBy(int steps) {
    if (legal_.isEmpty())
        return;
    // From an illegal value the first step leads to its legal neighbor.
    const auto above = std::ranges::upper_bound(legal_, value_);
    const auto below = std::ranges::lower_bound(legal_, value_);
    qsizetype index = steps > 0 ? (above - legal_.begin()) - 1 : below - legal_.begin();
    index = std::clamp<qsizetype>(index + steps, 0, legal_.size() - 1);
    if (legal_[index] == value_)
        return;
    lineEdit()->setModified(false);
    setValue(legal_[index]);
    selectAll();
    emit valueEdited(value_);
}

QValidator::State LegalSpinBox::validate(QString& input, int&) const {
    bool number = false;
    const int value = numberIn(input, &number);
    if (number && (legal_.contains(value) || value == value_))
        return QValidator::Acceptable;
    const bool begins =
        std::ranges::any_of(legal_, [digits = QString(input).remove(QLatin1Char(','))](int legal) {
            return QString::number(legal).startsWith(digits);
        });
    return begins || input.isEmpty() ? QValidator::Intermediate : QValidator::Invalid;
}

void LegalSpinBox::commit() {
    bool number = false;
    const int value = numberIn(lineEdit()->text(), &number);
    lineEdit()->setModified(false);
    if (!number || value == value_ || !legal_.contains(value))
        return renew();
    setValue(value);
    emit valueEdited(value_);
}

QAbstractSpinBox::StepEnabled LegalSpinBox::stepEnabled() const {
    StepEnabled enabled = StepNone;
    if (!legal_.isEmpty() && !isReadOnly()) {
        enabled.setFlag(StepUpEnabled, value_ < legal_.constLast());
        enabled.setFlag(StepDownEnabled, value_ > legal_.constFirst());
    }
    return enabled;
}

QSize LegalSpinBox::sizeHint() const {
    const int widest = legal_.isEmpty() ? value_ : std::max(value_, legal_.constLast());
    const int text = fontMetrics().horizontalAdvance(shown(widest));
    return {std::max(theme().px(52), text + theme().px(24)),
            std::max(theme().fieldHeight(), fontMetrics().height() + 8)};
}

void LegalSpinBox::wheelEvent(QWheelEvent* event) {
    if (const int alt = altNotches(*event); alt != 0) {
        stepBy(alt);
        return event->accept();
    }
    if (!hasFocus())
        return event->ignore(); // the panel scrolls
    QAbstractSpinBox::wheelEvent(event);
}

void LegalSpinBox::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Escape && lineEdit()->text() != shown(value_))
        return renew();
    QAbstractSpinBox::keyPressEvent(event);
}

DegreeField::DegreeField(QWidget* parent)
    : QWidget(parent)
    , spin_(new LegalSpinBox(this))
    , track_(new DegreeTrack(this)) {
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(8);
    row->addWidget(spin_);
    row->addWidget(track_, 1);
    setFocusProxy(spin_);
    track_->setFocusProxy(spin_);
    const auto edit = [this](int value) {
        track_->setValue(value);
        emit valueEdited(value);
    };
    connect(spin_, &LegalSpinBox::valueEdited, this, edit);
    connect(track_, &DegreeTrack::chosen, this, [this, edit](int value) {
        spin_->setFocus(Qt::MouseFocusReason);
        spin_->setValue(value);
        edit(value);
    });
    connect(track_, &DegreeTrack::wheeled, spin_, &LegalSpinBox::stepBy);
}

void DegreeField::setLegalValues(const QList<int>& ascending) {
    if (ascending == spin_->legalValues())
        return;
    spin_->setLegalValues(ascending);
    track_->setLegalValues(ascending);
    describe();
}

void DegreeField::setValue(int value) {
    spin_->setValue(value);
    track_->setValue(value);
}

void DegreeField::setReason(const QString& reason) {
    if (reason == reason_)
        return;
    reason_ = reason;
    spin_->setReason(reason);
    describe();
}

void DegreeField::describe() {
    QStringList words;
    for (const int value : spin_->legalValues())
        words.append(shown(value));
    QString text = tr("Legal: %1").arg(words.join(QStringLiteral(", ")));
    if (!reason_.isEmpty())
        text += QStringLiteral(" (") + reason_ + QLatin1Char(')');
    setToolTip(text);
    spin_->setAccessibleDescription(text);
}

void DegreeField::changeEvent(QEvent* event) {
    if (event->type() == QEvent::EnabledChange)
        track_->update();
    QWidget::changeEvent(event);
}

bool DegreeField::canScrub() const { return isEnabled() && spin_->legalValues().size() > 1; }

void DegreeField::scrubTo(int steps) {
    if (!canScrub())
        return;
    const QList<int>& legal = spin_->legalValues();
    if (!scrubStart_) {
        if (steps == 0)
            return;
        const auto at = std::ranges::lower_bound(legal, value());
        scrubStart_ = std::min<qsizetype>(at - legal.begin(), legal.size() - 1);
        emit scrubStarted();
    }
    const int next = legal[std::clamp<qsizetype>(*scrubStart_ + steps, 0, legal.size() - 1)];
    if (next == value())
        return;
    setValue(next);
    emit valueEdited(next);
}

void DegreeField::endScrub() {
    if (!scrubStart_)
        return;
    scrubStart_.reset();
    emit scrubEnded();
}

} // namespace alidade::views
