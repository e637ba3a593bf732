// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/theme/kit_style.h"

#include "views/theme/kit_bars.h"
#include "views/theme/theme_controller.h"

#include <QAbstractSpinBox>
#include <QPainter>
#include <QPainterPath>
#include <QStyleOption>
#include <QTabBar>
#include <QWidget>

namespace alidade::views {
namespace {

constexpr double radius = 4;

QPen inkPen(const QStyleOption* option, Role role, double width = 1.5) {
    QColor color = theme().color(role);
    if (!(option->state & QStyle::State_Enabled))
        color.setAlphaF(0.4F);
    return {color, width, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin};
}

void drawBox(QPainter* painter, const QRect& rect, const QColor& fill, const QColor& border, double width = 1,
             double corner = radius) {
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(border.isValid() ? QPen(border, width) : QPen(Qt::NoPen));
    painter->setBrush(fill.isValid() ? QBrush(fill) : QBrush(Qt::NoBrush));
    const double inset = width / 2;
    painter->drawRoundedRect(QRectF(rect).adjusted(inset, inset, -inset, -inset), corner, corner);
    painter->restore();
}

/// Box of a line edit, combo box or spin box with its states: rest, focus, refused, disabled.
void drawField(QPainter* painter, const QStyleOption* option, const QWidget* widget) {
    const Theme& look = theme();
    const bool refused = widget && widget->property(refusedProperty).toBool();
    const bool enabled = option->state & QStyle::State_Enabled;
    const bool focus = enabled && (option->state & QStyle::State_HasFocus);
    const Role fill = refused ? Role::errBg : enabled ? Role::base : Role::window;
    const Role border = refused ? Role::err : focus ? Role::accent : enabled ? Role::line2 : Role::line;
    drawBox(painter, option->rect, look.color(fill), look.color(border), focus ? 2 : 1);
}

void drawPushPanel(QPainter* painter, const QStyleOption* option, const QWidget* widget) {
    const Theme& look = theme();
    const auto* button = qstyleoption_cast<const QStyleOptionButton*>(option);
    const bool flat = button && (button->features & QStyleOptionButton::Flat);
    const bool primary = widget && widget->property(primaryProperty).toBool();
    const bool enabled = option->state & QStyle::State_Enabled;
    const bool down = option->state & QStyle::State_Sunken;
    const bool hover = enabled && (option->state & QStyle::State_MouseOver);
    QColor fill = flat ? QColor() : look.color(Role::raised);
    QColor border = flat ? QColor() : look.color(enabled ? Role::line2 : Role::line);
    if (primary && enabled)
        fill = border = look.color(Role::accent);
    else if (option->state & QStyle::State_On) {
        fill = look.color(Role::sel);
        border = QColor();
    } else if (down)
        fill = look.color(Role::sunken);
    else if (hover)
        fill = look.color(flat ? Role::sunken : Role::header);
    drawBox(painter, option->rect, fill, border);
    if (option->state & QStyle::State_HasFocus && option->state & QStyle::State_KeyboardFocusChange)
        drawBox(painter, primary ? option->rect.adjusted(2, 2, -2, -2) : option->rect, {},
                look.color(primary ? Role::accentText : Role::accent), primary ? 1 : 2, primary ? 2 : radius);
}

void drawChevron(QPainter* painter, const QStyleOption* option, QStyle::PrimitiveElement element) {
    const double half = std::min({4.0, option->rect.width() / 2.0 - 1, option->rect.height() * 0.75});
    QPolygonF shape{QPointF(-half, -half / 2), QPointF(0, half / 2), QPointF(half, -half / 2)};
    const int turn = element == QStyle::PE_IndicatorArrowUp      ? 180
                     : element == QStyle::PE_IndicatorArrowLeft  ? 90
                     : element == QStyle::PE_IndicatorArrowRight ? -90
                                                                 : 0;
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(inkPen(option, Role::text2));
    painter->translate(QRectF(option->rect).center());
    painter->rotate(turn);
    painter->drawPolyline(shape);
    painter->restore();
}

void drawCheck(QPainter* painter, const QStyleOption* option, bool round) {
    const Theme& look = theme();
    const bool enabled = option->state & QStyle::State_Enabled;
    const bool on = option->state & (QStyle::State_On | QStyle::State_NoChange);
    const bool focus = option->state & QStyle::State_HasFocus;
    const QColor fill = look.color(!enabled ? Role::sunken : on ? Role::accent : Role::base);
    const QColor border = look.color(on || focus ? Role::accent : Role::line2);
    const int side = std::min(option->rect.width(), option->rect.height());
    QRect box(0, 0, side, side);
    box.moveCenter(option->rect.center());
    drawBox(painter, box, fill, border, 1, round ? side / 2.0 : 3);
    if (!on)
        return;
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->translate(QRectF(box).center());
    painter->scale(side / 14.0, side / 14.0);
    const QColor mark = look.color(enabled ? Role::accentText : Role::text2);
    painter->setPen(QPen(mark, 1.75, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    if (round) {
        painter->setBrush(mark);
        painter->drawEllipse(QPointF(0, 0), 2, 2);
    } else if (option->state & QStyle::State_NoChange)
        painter->drawLine(QPointF(-3, 0), QPointF(3, 0));
    else
        painter->drawPolyline(QPolygonF{QPointF(-3, 0.2), QPointF(-0.8, 2.4), QPointF(3.2, -2.2)});
    painter->restore();
}

bool isRail(const QWidget* widget) { return widget && widget->objectName() == QLatin1String(railName); }

bool isOnRail(const QWidget* widget) { return widget && isRail(widget->parentWidget()); }

/// The same option with another ink.
template <class Option>
Option inked(const Option& option, const QColor& ink) {
    Option copy(option);
    for (const auto role : {QPalette::ButtonText, QPalette::WindowText, QPalette::Text})
        copy.palette.setColor(role, ink);
    return copy;
}

} // namespace

KitStyle::KitStyle()
    : QProxyStyle(QStringLiteral("Fusion")) {}

void KitStyle::polish(QWidget* widget) {
    QProxyStyle::polish(widget);
    if (qobject_cast<QTabBar*>(widget)) { // next to the tabs too
        widget->setBackgroundRole(QPalette::Midlight);
        widget->setAutoFillBackground(true);
        widget->setAttribute(Qt::WA_Hover);
    }
    if (isOnRail(widget))
        widget->setAttribute(Qt::WA_Hover);
}

void KitStyle::drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                             const QWidget* widget) const {
    switch (element) {
    case PE_PanelButtonCommand:
        return drawPushPanel(painter, option, widget);
    case PE_PanelLineEdit: {
        const auto* frame = qstyleoption_cast<const QStyleOptionFrame*>(option);
        if (frame && frame->lineWidth > 0)
            return drawField(painter, option, widget);
        return; // inside a spin or combo box, which has drawn it
    }
    case PE_FrameLineEdit:
        return;
    case PE_IndicatorArrowDown:
    case PE_IndicatorArrowUp:
    case PE_IndicatorArrowLeft:
    case PE_IndicatorArrowRight:
        return drawChevron(painter, option, element);
    case PE_IndicatorCheckBox:
    case PE_IndicatorItemViewItemCheck:
        return drawCheck(painter, option, false);
    case PE_IndicatorRadioButton:
        return drawCheck(painter, option, true);
    case PE_IndicatorDockWidgetResizeHandle:
        return painter->fillRect(option->rect, theme().color(Role::line));
    case PE_PanelStatusBar:
        return bars::drawStatusBar(*painter, option->rect);
    case PE_FrameStatusBarItem:
    case PE_FrameTabBarBase:
        return;
    case PE_PanelTipLabel:
        return bars::drawToolTip(*painter, option->rect);
    case PE_FrameFocusRect: {
        if (!(option->state & State_KeyboardFocusChange))
            return;
        return drawBox(painter, option->rect, {}, theme().color(Role::accent), 1.5, 3);
    }
    default:
        QProxyStyle::drawPrimitive(element, option, painter, widget);
    }
}

void KitStyle::drawControl(ControlElement element, const QStyleOption* option, QPainter* painter,
                           const QWidget* widget) const {
    if (element == CE_ToolBar) {
        const QRect all = option->rect;
        painter->fillRect(all, theme().color(Role::header));
        const QRect edge = isRail(widget) ? QRect(all.right(), all.top(), 1, all.height())
                                          : QRect(all.left(), all.bottom(), all.width(), 1);
        return painter->fillRect(edge, theme().color(Role::line));
    }
    if (drawBar(element, option, painter, widget))
        return;
    if (element == CE_ComboBoxLabel) {
        const auto* combo = qstyleoption_cast<const QStyleOptionComboBox*>(option);
        if (combo && !combo->editable) { // the base cuts a long text in the middle of a letter
            QStyleOptionComboBox copy(*combo);
            const QRect room = proxy()->subControlRect(CC_ComboBox, &copy, SC_ComboBoxEditField, widget);
            const int icon = copy.currentIcon.isNull() ? 0 : copy.iconSize.width() + 4;
            copy.currentText =
                painter->fontMetrics().elidedText(copy.currentText, Qt::ElideRight, room.width() - icon - 2);
            return QProxyStyle::drawControl(element, &copy, painter, widget);
        }
    }
    if (element == CE_PushButtonLabel) {
        const auto* button = qstyleoption_cast<const QStyleOptionButton*>(option);
        const bool primary = widget && widget->property(primaryProperty).toBool();
        const bool on = option->state & State_On;
        if (button && (primary || on) && option->state & State_Enabled) {
            QStyleOptionButton copy(*button);
            const QColor ink = theme().color(primary ? Role::accentText : Role::accent);
            copy.palette.setColor(QPalette::ButtonText, ink);
            painter->save();
            painter->setFont(theme().font(FontRole::strong));
            QProxyStyle::drawControl(element, &copy, painter, widget);
            painter->restore();
            return;
        }
    }
    QProxyStyle::drawControl(element, option, painter, widget);
}

/// The parts of tabs, titles of columns and progress bars.
bool KitStyle::drawBar(ControlElement element, const QStyleOption* option, QPainter* painter,
                       const QWidget* widget) const {
    switch (element) {
    case CE_TabBarTabShape:
        if (const auto* tab = qstyleoption_cast<const QStyleOptionTab*>(option))
            bars::drawTabShape(*painter, *tab);
        return true;
    case CE_TabBarTabLabel:
        if (const auto* tab = qstyleoption_cast<const QStyleOptionTab*>(option)) {
            QStyleOptionTab copy = inked(*tab, bars::tabInk(*tab));
            copy.state &= ~State_HasFocus; // its ground says it
            copy.rect.adjust(0, 0, 0, -bars::tabMark);
            QProxyStyle::drawControl(element, &copy, painter, widget);
        }
        return true;
    case CE_HeaderSection:
        bars::drawHeaderSection(*painter, option->rect);
        return true;
    case CE_HeaderEmptyArea:
        painter->fillRect(option->rect, theme().color(Role::header));
        return true;
    case CE_HeaderLabel:
        if (const auto* header = qstyleoption_cast<const QStyleOptionHeader*>(option)) {
            QStyleOptionHeader copy = inked(*header, theme().color(Role::text2));
            const int inset = bars::headerPadding - pixelMetric(PM_HeaderMargin, option, widget);
            copy.rect.adjust(inset, 0, -inset, -bars::headerEdge);
            QProxyStyle::drawControl(element, &copy, painter, widget);
        }
        return true;
    case CE_ProgressBarGroove:
        bars::drawProgressGround(*painter, option->rect);
        return true;
    case CE_ProgressBarContents:
        if (const auto* progress = qstyleoption_cast<const QStyleOptionProgressBar*>(option))
            bars::drawProgress(*painter, *progress);
        return true;
    default:
        return false;
    }
}

void KitStyle::drawComplexControl(ComplexControl control, const QStyleOptionComplex* option,
                                  QPainter* painter, const QWidget* widget) const {
    if (control == CC_ComboBox) {
        const auto* combo = qstyleoption_cast<const QStyleOptionComboBox*>(option);
        if (combo && combo->frame)
            drawField(painter, option, widget);
        QStyleOption arrow(*option);
        arrow.rect = proxy()->subControlRect(control, option, SC_ComboBoxArrow, widget);
        return proxy()->drawPrimitive(PE_IndicatorArrowDown, &arrow, painter, widget);
    }
    if (control == CC_SpinBox) {
        drawField(painter, option, widget);
        const auto* spin = qstyleoption_cast<const QStyleOptionSpinBox*>(option);
        if (!spin || spin->buttonSymbols == QAbstractSpinBox::NoButtons)
            return;
        for (const auto& [part, element, step] :
             {std::tuple{SC_SpinBoxUp, PE_IndicatorArrowUp, QAbstractSpinBox::StepUpEnabled},
              std::tuple{SC_SpinBoxDown, PE_IndicatorArrowDown, QAbstractSpinBox::StepDownEnabled}}) {
            QStyleOption arrow(*option);
            arrow.rect = proxy()->subControlRect(control, option, part, widget);
            arrow.state.setFlag(State_Enabled, (option->state & State_Enabled) && (spin->stepEnabled & step));
            proxy()->drawPrimitive(element, &arrow, painter, widget);
        }
        return;
    }
    if (const auto* bar = qstyleoption_cast<const QStyleOptionSlider*>(option);
        bar && control == CC_ScrollBar)
        return bars::drawScrollBar(*painter, *bar, bars::handleOf(*bar));
    if (const auto* button = qstyleoption_cast<const QStyleOptionToolButton*>(option);
        button && control == CC_ToolButton && isOnRail(widget)) {
        bars::drawRailButton(*painter, *button);
        QStyleOptionToolButton label = inked(*button, bars::railInk(*button));
        label.rect = bars::railLabel(button->rect);
        label.state &= ~(State_Sunken | State_HasFocus);
        return proxy()->drawControl(CE_ToolButtonLabel, &label, painter, widget);
    }
    QProxyStyle::drawComplexControl(control, option, painter, widget);
}

QRect KitStyle::subControlRect(ComplexControl control, const QStyleOptionComplex* option, SubControl part,
                               const QWidget* widget) const {
    const QRect all = option->rect;
    if (control == CC_ComboBox && (part == SC_ComboBoxArrow || part == SC_ComboBoxEditField)) {
        const int arrow = theme().px(22);
        const QRect rect = part == SC_ComboBoxArrow
                               ? QRect(all.right() - arrow, all.top(), arrow, all.height())
                               : all.adjusted(7, 1, -arrow - 1, -1);
        return visualRect(option->direction, all, rect);
    }
    if (const auto* bar = qstyleoption_cast<const QStyleOptionSlider*>(option);
        bar && control == CC_ScrollBar)
        return scrollBarPart(*bar, part);
    return QProxyStyle::subControlRect(control, option, part, widget);
}

/// No buttons: a click next to the handle turns a page.
QRect KitStyle::scrollBarPart(const QStyleOptionSlider& bar, SubControl part) {
    const QRect all = bar.rect;
    const QRect handle = bars::handleOf(bar);
    const bool flat = bar.orientation == Qt::Horizontal;
    switch (part) {
    case SC_ScrollBarSlider:
        return handle;
    case SC_ScrollBarSubPage:
        return flat ? QRect(all.left(), all.top(), handle.left() - all.left(), all.height())
                    : QRect(all.left(), all.top(), all.width(), handle.top() - all.top());
    case SC_ScrollBarAddPage:
        return flat ? QRect(handle.right() + 1, all.top(), all.right() - handle.right(), all.height())
                    : QRect(all.left(), handle.bottom() + 1, all.width(), all.bottom() - handle.bottom());
    case SC_ScrollBarGroove:
        return all;
    default:
        return {};
    }
}

QRect KitStyle::subElementRect(SubElement element, const QStyleOption* option, const QWidget* widget) const {
    const QRect rect = QProxyStyle::subElementRect(element, option, widget);
    const auto* frame = qstyleoption_cast<const QStyleOptionFrame*>(option);
    if (element == SE_LineEditContents && frame && frame->lineWidth > 0)
        return rect.adjusted(theme().px(4), 0, -theme().px(4), 0);
    return rect;
}

QSize KitStyle::sizeFromContents(ContentsType type, const QStyleOption* option, const QSize& size,
                                 const QWidget* widget) const {
    QSize result = QProxyStyle::sizeFromContents(type, option, size, widget);
    switch (type) {
    case CT_PushButton: {
        const auto* button = qstyleoption_cast<const QStyleOptionButton*>(option);
        const int side = theme().px(button && button->text.isEmpty() ? 5 : 11);
        const int height = std::max(size.height(), theme().fieldHeight() + theme().px(2));
        return {size.width() + 2 * side, height};
    }
    case CT_HeaderSection:
        return result.grownBy({bars::headerPadding, 0, bars::headerPadding, bars::headerEdge});
    case CT_ToolButton:
        return isOnRail(widget) ? bars::railButtonSize(size) : result;
    case CT_LineEdit:
        if (widget && qobject_cast<const QAbstractSpinBox*>(widget->parentWidget()))
            return size; // the spin box has the height of a field
        [[fallthrough]];
    case CT_ComboBox:
    case CT_SpinBox:
        if (type == CT_ComboBox) // as much next to the text as subControlRect() and CE_ComboBoxLabel take
            result.setWidth(std::max(result.width(), size.width() + theme().px(22) + 12));
        result.setHeight(std::max(theme().fieldHeight(), option->fontMetrics.height() + 10));
        return result;
    default:
        return result;
    }
}

int KitStyle::pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const {
    switch (metric) {
    case PM_SmallIconSize:
    case PM_ButtonIconSize:
    case PM_ToolBarIconSize:
    case PM_TabBarIconSize:
        return theme().px(18);
    case PM_IndicatorWidth:
    case PM_IndicatorHeight:
    case PM_ExclusiveIndicatorWidth:
    case PM_ExclusiveIndicatorHeight:
        return theme().px(15);
    case PM_ToolBarFrameWidth:
        return 0;
    case PM_ToolBarItemSpacing:
    case PM_ToolBarItemMargin: // the mark of the rail is at the very edge
        return isRail(widget) ? 0 : theme().px(6);
    case PM_ButtonShiftHorizontal:
    case PM_ButtonShiftVertical:
        return 0;
    case PM_DockWidgetSeparatorExtent:
    case PM_SplitterWidth:
        return 1;
    case PM_DockWidgetTitleMargin:
        return theme().px(4);
    case PM_ScrollBarExtent:
        return bars::scrollExtent;
    case PM_ScrollBarSliderMin:
        return bars::leastHandle;
    case PM_TabBarTabHSpace:
        return 24;
    case PM_TabBarTabVSpace:
        return 14;
    case PM_TabBarTabOverlap:
    case PM_TabBarBaseOverlap:
    case PM_TabBarTabShiftHorizontal:
    case PM_TabBarTabShiftVertical:
        return 0;
    case PM_ToolTipLabelFrameWidth:
        return 4;
    default:
        return QProxyStyle::pixelMetric(metric, option, widget);
    }
}

int KitStyle::styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                        QStyleHintReturn* returnData) const {
    switch (hint) {
    case SH_Widget_Animation_Duration:
        return 0;
    case SH_EtchDisabledText:
        return 0;
    case SH_DialogButtonBox_ButtonsHaveIcons: // those of the platform do not go with ours
    case SH_ItemView_ActivateItemOnSingleClick:
        return 0;
    default:
        return QProxyStyle::styleHint(hint, option, widget, returnData);
    }
}

} // namespace alidade::views
