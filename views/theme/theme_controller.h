// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/theme/theme.h"

#include <QObject>

namespace alidade::views {

enum class ThemeChoice { system, light, dark };

/// Holds the theme of the running application and puts it on: style, palette, font. GUI thread
/// only.
class ThemeController : public QObject {
    Q_OBJECT
public:
    static ThemeController& instance();

    const Theme& theme() const { return theme_; }
    ThemeChoice choice() const { return choice_; }
    void setChoice(ThemeChoice choice);
    /// Size of body text, 7..24 points; outside is clamped. The design's size is 10.
    void setBodyPointSize(double points);
    double bodyPointSize() const { return 10 * theme_.fontScale(); }

    /// Sets style, palette and font of the QApplication, which must exist, and follows the
    /// desktop's light or dark setting from here on.
    void install();

signals:
    /// After everything has been put on. Plots recolor here; plain widgets have had their PaletteChange.
    void changed(const alidade::views::Theme& theme);

private:
    ThemeController();
    Theme wanted(double fontScale) const;
    void renew(double fontScale);
    void apply();

    Theme theme_ = Theme::light();
    ThemeChoice choice_ = ThemeChoice::system;
    bool systemIsDark_ = false;
    bool installed_ = false;
};

/// The theme of the running application.
const Theme& theme();

} // namespace alidade::views
