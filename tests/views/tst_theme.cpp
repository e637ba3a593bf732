// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/views/contrast.h"
#include "views/icons/icon.h"
#include "views/kit/band_label.h"
#include "views/theme/desktop_appearance.h"
#include "views/theme/theme.h"
#include "views/theme/theme_controller.h"

#include <QApplication>
#include <QDirIterator>
#include <QFontInfo>
#include <QFontMetricsF>
#include <QImage>
#include <QPainter>
#include <QRegularExpression>
#include <QSet>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>

#include <array>
#include <cmath>

namespace tst_theme {

using namespace alidade;
using namespace alidade::views;
using test::contrast;

namespace {

using Triple = std::array<double, 3>;
using Matrix = std::array<Triple, 3>;

double linear(double channel) {
    return channel <= 0.04045 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4);
}

Triple linearRgb(const QColor& c) { return {linear(c.redF()), linear(c.greenF()), linear(c.blueF())}; }

Triple times(const Matrix& m, const Triple& v) {
    Triple r{};
    for (std::size_t i = 0; i < 3; ++i)
        r[i] = m[i][0] * v[0] + m[i][1] * v[1] + m[i][2] * v[2];
    return r;
}

/// OKLab of linear sRGB, https://bottosson.github.io/posts/oklab/
Triple okLab(const Triple& rgb) {
    constexpr Matrix toLms{{{0.4122214708, 0.5363325363, 0.0514459929},
                            {0.2119034982, 0.6806995451, 0.1073969566},
                            {0.0883024619, 0.2817188376, 0.6299787005}}};
    constexpr Matrix toLab{{{0.2104542553, 0.7936177850, -0.0040720468},
                            {1.9779984951, -2.4285922050, 0.4505937099},
                            {0.0259040371, 0.7827717662, -0.8086757660}}};
    Triple lms = times(toLms, rgb);
    for (double& v : lms)
        v = std::cbrt(v);
    return times(toLab, lms);
}

/// Machado, Oliveira, Fernandes 2009, severity 1.0: normal, protan, deutan, tritan sight.
constexpr std::array<Matrix, 4> sights{{
    {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
    {{{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}},
    {{{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}},
    {{{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}}},
}};

/// OKLab distance x 100 as the sight of `matrix` has it.
double distance(const QColor& a, const QColor& b, const Matrix& matrix) {
    const auto seen = [&matrix](const QColor& c) {
        Triple rgb = times(matrix, linearRgb(c));
        for (double& v : rgb)
            v = std::clamp(v, 0.0, 1.0);
        return okLab(rgb);
    };
    const Triple x = seen(a);
    const Triple y = seen(b);
    return 100 * std::hypot(x[0] - y[0], x[1] - y[1], x[2] - y[2]);
}

QImage filled(const QBrush& brush, double ratio) {
    QImage image(QSize(48, 48) * ratio, QImage::Format_RGB32);
    image.setDevicePixelRatio(ratio);
    image.fill(Qt::transparent);
    QPainter painter(&image);
    painter.fillRect(QRect(0, 0, 48, 48), brush);
    return image;
}

int colorsIn(const QImage& image) {
    QSet<QRgb> colors;
    for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x)
            colors.insert(image.pixel(x, y));
    return static_cast<int>(colors.size());
}

QString dataName(const Theme& look) {
    return look.isDark()    ? QStringLiteral("dark")
           : look.isPaper() ? QStringLiteral("paper")
                            : QStringLiteral("light");
}

const std::array looks{Theme::light(), Theme::dark(), Theme::paper()};

} // namespace

class TestTheme : public QObject {
    Q_OBJECT
private slots:
    void fontsAreInstalledAndFiguresHaveOneWidth();
    void textIsReadable();
    void bordersOfControlsCanBeSeen();
    void figuresThatNoLongerHoldCanBeRead();
    void classesStandOutFromTheView();
    void classesOfOneTextureDifferForColorBlindEyes();
    void lettersAreUniqueAndReadable();
    void everyBoundHasAStyleAndAPlace();
    void texturesTellFamiliesApart();
    void textureTilesWithoutSeam_data();
    void textureTilesWithoutSeam();
    void divergingIsQuietNearZero();
    void rampsAreMonotonous();
    void everyIconRendersSharpAndInTheThemeColor();
    void iconStates();
    void squeezedButtonsDrawNoIcon();
    void sizesFollowTheFont();
    void controllerSwitches();
    void desktopSaysWhetherItIsDark();
    void noColorOutsideTheTheme();
};

void TestTheme::fontsAreInstalledAndFiguresHaveOneWidth() {
    for (const QString& family : fontFamilies())
        QVERIFY2(QFontInfo(QFont(family)).exactMatch(), qPrintable(family));
    for (const FontRole role : {FontRole::figure, FontRole::body, FontRole::strong, FontRole::small}) {
        const QFontMetricsF metrics(Theme::light().font(role));
        QCOMPARE(metrics.horizontalAdvance(QStringLiteral("1111")),
                 metrics.horizontalAdvance(QStringLiteral("8888")));
    }
    QCOMPARE(QFontInfo(Theme::light().font(FontRole::strong)).weight(), int(QFont::Medium));
}

void TestTheme::textIsReadable() {
    for (const Theme& look : looks) {
        for (const Role ink :
             {Role::text, Role::text2, Role::text3, Role::accent, Role::ok, Role::warn, Role::err})
            for (const Role ground : {Role::base, Role::window})
                QVERIFY2(contrast(look.color(ink), look.color(ground)) >= 4.5, qPrintable(dataName(look)));
        for (const Role ink : {Role::text, Role::text2})
            QCOMPARE_GE(contrast(look.color(ink), look.color(Role::sel)), 4.5);
        QCOMPARE_GE(contrast(look.color(Role::accentText), look.color(Role::accent)), 4.5);
        for (const auto& [ink, ground] :
             {std::pair{Role::ok, Role::okBg}, {Role::warn, Role::warnBg}, {Role::err, Role::errBg}})
            QCOMPARE_GE(contrast(look.color(ink), look.color(ground)), 4.5);
    }
}

/// Borders of fields, buttons and check boxes, wherever these stand.
void TestTheme::bordersOfControlsCanBeSeen() {
    for (const Theme& look : {Theme::light(), Theme::dark()})
        for (const Role edge : {Role::line2, Role::accent, Role::err})
            for (const Role ground : {Role::base, Role::window, Role::header, Role::alt, Role::raised})
                QVERIFY2(contrast(look.color(edge), look.color(ground)) >= 3, qPrintable(dataName(look)));
}

/// A headline figure of a plan that does not fit, from the pixels: inked parts are as dark as letters get.
void TestTheme::figuresThatNoLongerHoldCanBeRead() {
    for (const ThemeChoice choice : {ThemeChoice::light, ThemeChoice::dark}) {
        ThemeController::instance().setChoice(choice);
        BandLabel label;
        label.setFigure({.label = QStringLiteral("Step time"),
                         .value = QStringLiteral("6.13"),
                         .unit = QStringLiteral("s"),
                         .band = BandRange{5.6, 6.13, 6.9},
                         .note = QStringLiteral("5.6 – 6.9"),
                         .dimmed = true});
        label.resize(label.sizeHint());
        QImage image(label.size() * 4, QImage::Format_RGB32); // thin strokes have a core at this size
        image.setDevicePixelRatio(4);
        image.fill(theme().color(Role::base));
        label.render(&image, {}, {}, QWidget::DrawChildren);
        const auto best = [&image](const QRect& place) {
            double most = 1;
            for (int y = place.top(); y <= place.bottom(); ++y)
                for (int x = place.left(); x <= place.right(); ++x)
                    most = std::max(most, contrast(image.pixelColor(x, y), theme().color(Role::base)));
            return most;
        };
        const int width = image.width();
        const int small = QFontMetrics(theme().font(FontRole::small)).height() * 4;
        const int foot = image.height() - small - 12;
        QVERIFY(best({0, 0, width, small}) >= 4.5);            // its name
        QVERIFY(best({0, small, width, foot - small}) >= 4.5); // the value and its unit
        const int band = theme().px(70) * 4;
        QVERIFY(best({band + 8, foot, width - band - 8, small}) >= 4.5); // the text next to the band
        // Of the band the bar itself, left of the tick.
        QVERIFY(best({band / 5, foot, band / 10, small}) >= 3);
    }
    ThemeController::instance().setChoice(ThemeChoice::light);
}

void TestTheme::classesStandOutFromTheView() {
    for (const Theme& look : looks)
        for (const Bound bound : classOrder)
            QVERIFY2(contrast(look.classStyle(bound).color, look.color(Role::base)) >= 3,
                     qPrintable(dataName(look) + look.classStyle(bound).name));
}

void TestTheme::classesOfOneTextureDifferForColorBlindEyes() {
    for (const Theme& look : {Theme::light(), Theme::dark()}) {
        for (std::size_t i = 0; i < classOrder.size(); ++i) {
            for (std::size_t k = i + 1; k < classOrder.size(); ++k) {
                const ClassStyle a = look.classStyle(classOrder[i]);
                const ClassStyle b = look.classStyle(classOrder[k]);
                const double least = a.texture != b.texture ? 4.3 : look.isDark() ? 13.9 : 8.6;
                for (const Matrix& sight : sights) {
                    const double d = distance(a.color, b.color, sight);
                    QVERIFY2(d >= least, qPrintable(QStringLiteral("%1 %2 %3: %4 %5")
                                                        .arg(dataName(look), a.name, b.name)
                                                        .arg(d)
                                                        .arg(&sight - sights.data())));
                }
            }
        }
    }
}

void TestTheme::lettersAreUniqueAndReadable() {
    for (const Theme& look : looks) {
        QSet<QString> letters;
        for (const Bound bound : classOrder) {
            const ClassStyle style = look.classStyle(bound);
            letters.insert(style.letter);
            QVERIFY2(contrast(style.letterColor, style.color) >= 4.5,
                     qPrintable(dataName(look) + style.name));
        }
        QCOMPARE(letters.size(), qsizetype(classOrder.size()));
    }
}

void TestTheme::everyBoundHasAStyleAndAPlace() {
    QSet<QString> names;
    QSet<int> places;
    for (const Bound bound : allBounds) {
        names.insert(Theme::light().classStyle(bound).name);
        places.insert(stackPosition(bound));
    }
    QCOMPARE(names.size(), qsizetype(allBounds.size()));
    QCOMPARE(places.size(), qsizetype(allBounds.size()));
    for (std::size_t i = 1; i < classOrder.size(); ++i)
        QVERIFY(stackPosition(classOrder[i - 1]) < stackPosition(classOrder[i]));
    QCOMPARE(Theme::light().classStyle(Bound::network).color, Theme::light().classStyle(Bound::efa).color);
    QCOMPARE(Theme::light().classStyle(Bound::c2c).color, Theme::light().classStyle(Bound::nvlink).color);
}

void TestTheme::texturesTellFamiliesApart() {
    for (const Theme& look : looks) {
        for (const Bound bound : classOrder) {
            const ClassStyle style = look.classStyle(bound);
            const bool solid = style.texture == Texture::solid;
            QCOMPARE(colorsIn(filled(style.brush(1), 1)) == 1, solid);
            QCOMPARE(style.vectorPattern().style() == Qt::NoBrush, solid);
            QVERIFY2(style.vectorPattern().texture().isNull(), "a vector pattern must not be a picture");
        }
    }
    // Fabric runs like "/", exposed like "\\": along its own direction the picture does not change, across it
    // does.
    const QImage forward = filled(Theme::light().classStyle(Bound::nvlink).brush(2), 2);
    const QImage back = filled(Theme::light().classStyle(Bound::exposed).brush(2), 2);
    QSet<QRgb> along;
    QSet<QRgb> across;
    for (int i = 0; i < 16; ++i) {
        along << forward.pixel(i, 15 - i);
        across << forward.pixel(i, i);
        QCOMPARE(back.pixel(i, i), back.pixel(0, 0));
    }
    QCOMPARE(along.size(), 1);
    QCOMPARE_GT(across.size(), 1);
}

void TestTheme::textureTilesWithoutSeam_data() {
    QTest::addColumn<double>("ratio");
    QTest::newRow("1x") << 1.0;
    QTest::newRow("1.5x") << 1.5;
    QTest::newRow("2x") << 2.0;
}

void TestTheme::textureTilesWithoutSeam() {
    QFETCH(double, ratio);
    for (const Bound bound : classOrder) {
        const QImage image = filled(Theme::dark().classStyle(bound).brush(ratio), ratio);
        const int period = qRound(
            (bound == Bound::nvlink || bound == Bound::efa || bound == Bound::exposed ? 8 : 6) * ratio);
        for (int y = 0; y + period < image.height(); ++y)
            for (int x = 0; x + period < image.width(); ++x)
                QVERIFY2(image.pixel(x, y) == image.pixel(x + period, y + period),
                         qPrintable(Theme::dark().classStyle(bound).name));
    }
}

void TestTheme::divergingIsQuietNearZero() {
    for (const Theme& look : {Theme::light(), Theme::dark()}) {
        const QColor center = look.divergingStops().at(3);
        QCOMPARE(look.diverging(0.014, 0.2), center);
        QCOMPARE(look.diverging(-0.014, 0.2), center);
        QCOMPARE(look.diverging(std::nan(""), 0.2), center);
        QCOMPARE(look.diverging(0.2, 0.2), look.divergingStops().last());
        QCOMPARE(look.diverging(-3, 0.2), look.divergingStops().first());
        QVERIFY(look.diverging(0.05, 0.2) != center);
    }
}

void TestTheme::rampsAreMonotonous() {
    for (const Theme& look : {Theme::light(), Theme::dark()}) {
        double last = contrast(look.sequential(0), look.color(Role::base));
        QVERIFY2(last < 1.2, "zero looks like nothing");
        for (int i = 1; i <= 12; ++i) {
            const double next = contrast(look.sequential(i / 12.0), look.color(Role::base));
            QCOMPARE_GT(next, last);
            last = next;
        }
        QCOMPARE(look.sequential(-1), look.sequential(0));
        QCOMPARE(look.sequential(7), look.sequential(1));
    }
}

void TestTheme::everyIconRendersSharpAndInTheThemeColor() {
    QDirIterator files(QStringLiteral(":/alidade/icons"));
    int count = 0;
    while (files.hasNext()) {
        const QString name = QFileInfo(files.next()).completeBaseName();
        if (name.startsWith(QLatin1String("alidade")))
            continue;
        ++count;
        const QByteArray latin = name.toLatin1();
        const QIcon mark = icon(QLatin1StringView(latin));
        for (const double ratio : {1.0, 2.0}) {
            const QImage image = mark.pixmap(QSize(24, 24), ratio).toImage();
            QCOMPARE(image.size(), QSize(24, 24) * ratio);
            int painted = 0;
            int opaque = 0;
            for (int y = 0; y < image.height(); ++y) {
                for (int x = 0; x < image.width(); ++x) {
                    const QColor pixel = image.pixelColor(x, y);
                    painted += pixel.alpha() > 0;
                    opaque += pixel.alpha() > 200 && pixel.rgb() == theme().color(Role::text).rgb();
                }
            }
            QVERIFY2(painted > 8, latin.constData());
            QVERIFY2(opaque > painted / 8 || ratio < 2, latin.constData());
        }
    }
    QCOMPARE_GE(count, 30);
    QVERIFY(!icon(QLatin1StringView("plan")).pixmap(16).isNull());
    QVERIFY(applicationIcon().pixmap(16).toImage() != applicationIcon().pixmap(64).scaled(16, 16).toImage());
}

/// A narrow layout may leave a button no room for its icon at all.
void TestTheme::squeezedButtonsDrawNoIcon() {
    QTest::failOnWarning(QRegularExpression(QStringLiteral("^(?!This plugin does not support).*$")));
    QVERIFY(icon(QLatin1StringView("add")).pixmap(QSize(0, 16), 1.0).isNull());
    QVERIFY(applicationIcon().pixmap(QSize(16, 0), 1.0).isNull());
    QVERIFY(!icon(QLatin1StringView("add")).pixmap(QSize(1, 1), 1.0).isNull());
    QToolButton button;
    button.setIcon(icon(QLatin1StringView("add")));
    button.setText(QStringLiteral("Add"));
    for (const auto style : {Qt::ToolButtonIconOnly, Qt::ToolButtonTextBesideIcon})
        for (int side = 0; side <= 24; ++side) {
            button.setToolButtonStyle(style);
            button.setIconSize(QSize(side, 16 - std::min(side, 16)));
            button.resize(side, 24 - side);
            button.grab();
        }
}

void TestTheme::iconStates() {
    const QIcon mark = icon(QLatin1StringView("pause"));
    const auto darkest = [](const QPixmap& pixmap) {
        QColor best(Qt::transparent);
        const QImage image = pixmap.toImage();
        for (int y = 0; y < image.height(); ++y)
            for (int x = 0; x < image.width(); ++x)
                if (image.pixelColor(x, y).alpha() > best.alpha())
                    best = image.pixelColor(x, y);
        return best;
    };
    const QSize size(48, 48);
    QCOMPARE(darkest(mark.pixmap(size, QIcon::Normal)).rgb(), theme().color(Role::text).rgb());
    QCOMPARE(darkest(mark.pixmap(size, QIcon::Normal, QIcon::On)).rgb(), theme().color(Role::accent).rgb());
    QVERIFY(std::abs(darkest(mark.pixmap(size, QIcon::Disabled)).alphaF() - 0.4F) < 0.02F);
    QCOMPARE(darkest(icon(QLatin1StringView("pause"), Role::err).pixmap(size)).rgb(),
             theme().color(Role::err).rgb());
}

void TestTheme::sizesFollowTheFont() {
    QCOMPARE(Theme::light().rowHeight(), 24);
    QCOMPARE(Theme::light().fieldHeight(), 26);
    QCOMPARE(Theme::light().dockTitleHeight(), 32);
    const Theme large = Theme::light(1.2);
    QCOMPARE(large.font(FontRole::body).pointSizeF(), 12.0);
    QVERIFY(large.rowHeight() >= QFontMetrics(large.font(FontRole::body)).height() + 6);
    QVERIFY(large.fieldHeight() > Theme::light().fieldHeight());
}

void TestTheme::controllerSwitches() {
    ThemeController& controller = ThemeController::instance();
    controller.setChoice(ThemeChoice::light);
    controller.install();
    QSignalSpy spy(&controller, &ThemeController::changed);
    controller.setChoice(ThemeChoice::dark);
    QCOMPARE(spy.count(), 1);
    QCOMPARE(QApplication::palette().color(QPalette::Base), Theme::dark().color(Role::base));
    QVERIFY(qApp->styleSheet().isEmpty()); // with one, each widget costs several times as much to make
    controller.setChoice(ThemeChoice::dark);
    QCOMPARE(spy.count(), 1);
    controller.setBodyPointSize(12);
    QCOMPARE(spy.count(), 2);
    QCOMPARE(QApplication::font().pointSizeF(), 12.0);
    QVERIFY(theme().isDark());
    controller.setBodyPointSize(1000);
    QCOMPARE(controller.bodyPointSize(), 24.0);
    controller.setBodyPointSize(10);
    controller.setChoice(ThemeChoice::light);
}

void TestTheme::desktopSaysWhetherItIsDark() {
    DesktopAppearance desktop(nullptr);
    QSignalSpy preferred(&desktop, &DesktopAppearance::darkPreferred);
    const QString appearance = QStringLiteral("org.freedesktop.appearance");
    const QString scheme = QStringLiteral("color-scheme");
    const auto tell = [&desktop](const QString& group, const QString& key, const QVariant& value) {
        QVERIFY(QMetaObject::invokeMethod(&desktop, "onSetting", Q_ARG(QString, group), Q_ARG(QString, key),
                                          Q_ARG(QDBusVariant, QDBusVariant(value))));
    };
    tell(appearance, QStringLiteral("contrast"), 1U);
    tell(QStringLiteral("org.gnome.desktop.interface"), scheme, 1U);
    QCOMPARE(preferred.count(), 0);
    tell(appearance, scheme, 1U);
    tell(appearance, scheme, 2U);
    tell(appearance, scheme, QVariant::fromValue(QDBusVariant(1U))); // as the portal answers a question
    QCOMPARE(preferred.count(), 3);
    QCOMPARE(preferred.at(0).at(0).toBool(), true);
    QCOMPARE(preferred.at(1).at(0).toBool(), false);
    QCOMPARE(preferred.at(2).at(0).toBool(), true);
}

void TestTheme::noColorOutsideTheTheme() {
    const QRegularExpression literal(QStringLiteral(
        "#[0-9A-Fa-f]{6}\\b|#[0-9A-Fa-f]{8}\\b|\\bQColor\\(\\s*[0-9\"]|\\bQColor\\(\\s*Qt::(?!transparent)|"
        "\\bqRgba?\\(\\s*[0-9]|\\bsetNamedColor|QColor::fromR[gG][bB][a-zA-Z]*\\(\\s*[0-9]|"
        "\\bQt::(dark)?(red|green|blue|cyan|magenta|yellow|gray|white|black|lightGray)\\b"));
    QVERIFY(literal.match(QStringLiteral("setPen(Qt::red)")).hasMatch());
    const QString root = QStringLiteral(ALIDADE_TEST_DATA "/..");
    int files = 0;
    for (const QString& room : {QStringLiteral("/views"), QStringLiteral("/app")}) {
        QDirIterator sources(root + room, {QStringLiteral("*.cpp"), QStringLiteral("*.h")}, QDir::Files,
                             QDirIterator::Subdirectories);
        while (sources.hasNext()) {
            const QString path = sources.next();
            if (path.contains(QLatin1String("/views/theme/")))
                continue;
            QFile source(path);
            QVERIFY2(source.open(QIODevice::ReadOnly), qPrintable(path));
            ++files;
            const auto match = literal.match(QString::fromUtf8(source.readAll()));
            QVERIFY2(!match.hasMatch(), qPrintable(path + QStringLiteral(": ") + match.captured()));
        }
    }
    QCOMPARE_GT(files, 0);
}

QTEST_MAIN(TestTheme)

} // namespace tst_theme

#include "tst_theme.moc"
