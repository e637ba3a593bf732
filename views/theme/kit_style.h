// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QProxyStyle>

class QStyleOptionSlider;

namespace alidade::views {

/// Dynamic property of a QPushButton that is the one to press: accent fill. Value: bool.
inline constexpr char primaryProperty[] = "alidadePrimary";
/// Dynamic property of a field whose content was refused: drawn in the colors of an error. Value: bool.
inline constexpr char refusedProperty[] = "alidadeRefused";

/// Object name of the bar of views.
inline constexpr char railName[] = "rail";

/// Fusion without its gradients: flat buttons, fields, boxes and bars in the colors of the theme.
class KitStyle : public QProxyStyle {
    Q_OBJECT
public:
    KitStyle();

    using QProxyStyle::polish;
    void polish(QWidget* widget) override;

    void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                       const QWidget* widget = nullptr) const override;
    void drawControl(ControlElement element, const QStyleOption* option, QPainter* painter,
                     const QWidget* widget = nullptr) const override;
    void drawComplexControl(ComplexControl control, const QStyleOptionComplex* option, QPainter* painter,
                            const QWidget* widget = nullptr) const override;
    QRect subControlRect(ComplexControl control, const QStyleOptionComplex* option, SubControl part,
                         const QWidget* widget = nullptr) const override;
    QRect subElementRect(SubElement element, const QStyleOption* option,
                         const QWidget* widget = nullptr) const override;
    QSize sizeFromContents(ContentsType type, const QStyleOption* option, const QSize& size,
                           const QWidget* widget = nullptr) const override;
    int pixelMetric(PixelMetric metric, const QStyleOption* option = nullptr,
                    const QWidget* widget = nullptr) const override;
    int styleHint(StyleHint hint, const QStyleOption* option = nullptr, const QWidget* widget = nullptr,
                  QStyleHintReturn* returnData = nullptr) const override;

private:
    bool drawBar(ControlElement element, const QStyleOption* option, QPainter* painter,
                 const QWidget* widget) const;
    static QRect scrollBarPart(const QStyleOptionSlider& bar, SubControl part);
};

} // namespace alidade::views
