// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/report/html.h"

#include "views/report/logo.h"
#include "views/report/plot_drawing.h"
#include "views/report/plot_parts.h"

#include <QFile>
#include <QStringBuilder>

namespace alidade::views {
namespace {

constexpr double pageWidth = 720; // of the text, CSS px

QString htmlText(const std::string& text) { return escaped(fromUtf8(text)); }

QString element(const char* name, const QString& content, const char* cssClass = nullptr) {
    const QLatin1StringView tag(name);
    return u'<' % tag % (cssClass ? QString(u" class=\"" % QLatin1StringView(cssClass) % u'"') : QString()) %
           u'>' % content % u"</" % tag % u">\n";
}

/// The one style sheet; colors come from the theme.
QString styleSheet(const Theme& theme, Paper paper) {
    QString css = QStringLiteral(R"(
body { font: 13px/1.46 Roboto, "DejaVu Sans", sans-serif; color: @text; background: @base; margin: 0 auto;
       max-width: @widthpx; padding: 32px 24px; }
h1 { font-size: 25px; line-height: 31px; font-weight: 500; margin: 12px 0 6px; }
h2 { font-size: 14px; font-weight: 500; margin: 26px 0 8px; padding-bottom: 4px; border-bottom: 1px solid @text; }
h3 { font-size: 13px; font-weight: 500; margin: 18px 0 4px; }
b { font-weight: 500; }
.small, .note, .head, .foot { font-size: 12px; color: @text2; }
.lead { font-size: 15px; line-height: 22px; margin: 8px 0 14px; }
.head img, .head svg { vertical-align: middle; margin-right: 8px; }
.head .mark { float: right; }
.foot { border-top: 1px solid @line2; margin-top: 32px; padding-top: 7px; }
.warn { color: @err; }
.figures { display: flex; border-top: 2px solid @text; border-bottom: 1px solid @line2; }
.figures div { flex: 1; padding: 10px 14px; border-left: 1px solid @line; }
.figures div:first-child { padding-left: 0; border-left: 0; }
.figures .n { display: block; font-size: 24px; line-height: 30px; font-weight: 500; }
.figures .n small { font-size: 13px; font-weight: 400; color: @text2; margin-left: 5px; }
.figures .dim .n { color: @text2; }
.figures .bad .n { color: @err; }
.pair { display: flex; gap: 28px; }
.pair > div { flex: 1; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: left; vertical-align: top; padding: 3px 0 3px 16px; border-bottom: 1px solid @grid; }
th { font-size: 12px; font-weight: 400; color: @text2; border-bottom-color: @line2; vertical-align: bottom; }
th:first-child, td:first-child { padding-left: 0; }
.num { text-align: right; white-space: nowrap; }
th.num { white-space: normal; }
.quiet { color: @text2; }
.strong { font-weight: 500; }
tr.total td { border-top: 1.5px solid @text; border-bottom: 0; }
.tag { display: inline-block; width: 16px; height: 16px; line-height: 16px; border-radius: 3px; font-size: 11px;
       font-weight: 500; text-align: center; margin-right: 5px; }
svg { display: block; max-width: 100%; height: auto; }
.head svg { display: inline-block; }
pre { font-size: 12px; overflow-x: auto; }
.part { border-top: 2px solid @text; margin-top: 48px; }
.tagged { white-space: nowrap; }
@page { size: @paper; margin: 14mm 14mm; }
@media print {
  body { max-width: none; padding: 0; font-size: 12px; print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  h1, h2, h3, p { break-after: avoid; }
  .note, .lead { break-after: auto; }
  h2 { margin-top: 18px; }
  p { margin: 6px 0; }
  th, td { padding-top: 2px; padding-bottom: 2px; padding-left: 12px; }
  tr, svg, .figures, .pair { break-inside: avoid; }
  thead { display: table-header-group; }
  .part { break-before: page; border-top: 0; margin-top: 0; }
  .scroll { overflow: visible; }
}
)");
    const std::pair<QLatin1StringView, QString> values[] = {
        {QLatin1StringView("@text2"), theme.color(Role::text2).name()},
        {QLatin1StringView("@text"), theme.color(Role::text).name()},
        {QLatin1StringView("@base"), theme.color(Role::base).name()},
        {QLatin1StringView("@line2"), theme.color(Role::line2).name()},
        {QLatin1StringView("@line"), theme.color(Role::line).name()},
        {QLatin1StringView("@grid"), theme.color(Role::grid).name()},
        {QLatin1StringView("@err"), theme.color(Role::err).name()},
        {QLatin1StringView("@width"), QString::number(pageWidth)},
        {QLatin1StringView("@paper"), paper == Paper::a4 ? QStringLiteral("A4") : QStringLiteral("letter")},
    };
    for (const auto& [name, value] : values)
        css.replace(name, value);
    return css;
}

/// The application's icon as an element of the page.
QString iconElement() {
    QFile file(QStringLiteral(":/alidade/icons/alidade.svg"));
    if (!file.open(QIODevice::ReadOnly))
        return {};
    QString svg = QString::fromUtf8(file.readAll());
    svg.replace(QStringLiteral("width=\"128\" height=\"128\""),
                QStringLiteral("width=\"22\" height=\"22\" aria-hidden=\"true\""));
    return svg.mid(svg.indexOf(QStringLiteral("<svg")));
}

class HtmlWriter {
public:
    explicit HtmlWriter(const Theme& theme)
        : theme_(theme) {}

    /// \param whole false: a scenario of a comparison, of which the first page is enough
    QString reportBody(const data::Report& report, bool whole = true) {
        QString out = element("h1", htmlText(report.title));
        if (!report.subtitle.empty())
            out += element("p", htmlText(report.subtitle), "small");
        out += element("p", answer(report), "lead");
        if (!report.keyFigures.empty())
            out += keyFigures(report);
        for (std::size_t i = 0; i < report.sections.size(); ++i) {
            const data::ReportSection& section = report.sections[i];
            if (!whole && !section.firstPage)
                continue;
            if (section.narrow && i + 1 < report.sections.size() && report.sections[i + 1].narrow) {
                out += element("div",
                               element("div", sectionBody(section)) +
                                   element("div", sectionBody(report.sections[i + 1])),
                               "pair");
                ++i;
                continue;
            }
            out += element("div", sectionBody(section));
        }
        if (!report.scenarioJson.empty() && !whole)
            out += element("details", element("summary", QStringLiteral("The scenario as a file")) +
                                          element("pre", htmlText(report.scenarioJson)));
        else if (!report.scenarioJson.empty())
            out += element("h2", QStringLiteral("The scenario as a file")) +
                   element("pre", htmlText(report.scenarioJson));
        for (const data::Report& part : report.parts)
            out += element("div", reportBody(part, false), "part");
        return out;
    }
    /// The plots of what was written, in its order.
    std::vector<Drawing> takeDrawings() { return std::move(drawings_); }

private:
    static QString answer(const data::Report& report) {
        QString out;
        for (const data::Sentence& sentence : report.answer) {
            if (!out.isEmpty())
                out += u' ';
            for (const data::TextRun& run : sentence)
                out += run.strong ? QString(u"<b>" % htmlText(run.text) % u"</b>") : htmlText(run.text);
        }
        return out;
    }

    static QString keyFigures(const data::Report& report) {
        QString out;
        for (const data::KeyFigure& k : report.keyFigures) {
            const char* state = k.emphasis == data::Emphasis::warning ? "bad"
                                : k.emphasis == data::Emphasis::quiet ? "dim"
                                                                      : nullptr;
            out += element("div",
                           u"<span class=\"small\">" % htmlText(k.question) % u"</span> <span class=\"n\">" %
                               htmlText(k.value) % u" <small>" % htmlText(k.unit) %
                               u"</small></span> <span class=\"small\">" % htmlText(k.detail) % u"</span>",
                           state);
        }
        return element("div", out, "figures");
    }

    QString sectionBody(const data::ReportSection& section) {
        QString out = element("h2", htmlText(section.title));
        for (const std::string& text : section.text)
            out += element("p", htmlText(text));
        for (const data::Plot& plot : section.plots) {
            drawings_.push_back(drawPlot(plot, theme_, pageWidth));
            const QString prefix = QStringLiteral("p%1").arg(drawings_.size());
            out += svgOf(drawings_.back(), theme_, prefix, fromUtf8(plot.description));
        }
        for (const data::Table& table : section.tables)
            out += tableBody(table);
        return out;
    }

    QString tableBody(const data::Table& table) const {
        if (table.rows.empty())
            return {};
        QString head, rows;
        for (const data::Column& column : table.columns)
            head += element("th", htmlText(column.title),
                            column.kind == data::ColumnKind::text ? nullptr : "num");
        for (std::size_t r = 0; r < table.rows.size(); ++r) {
            QString cells;
            for (std::size_t c = 0; c < table.rows[r].size() && c < table.columns.size(); ++c)
                cells += cell(table.columns[c], table.rows[r][c]);
            rows += element("tr", cells, table.totalRow && r + 1 == table.rows.size() ? "total" : nullptr);
        }
        QString out;
        if (!table.title.empty())
            out += element("h3", htmlText(table.title));
        out +=
            element("div", element("table", element("thead", element("tr", head)) + element("tbody", rows)),
                    "scroll");
        if (!table.note.empty())
            out += element("p", htmlText(table.note),
                           table.noteEmphasis == data::Emphasis::warning ? "note warn" : "note");
        return out;
    }

    QString cell(const data::Column& column, const data::Cell& cell) const {
        QString css = column.kind == data::ColumnKind::text ? QString() : QStringLiteral("num");
        switch (cell.emphasis) {
        case data::Emphasis::none:
            break;
        case data::Emphasis::strong:
            css += QStringLiteral(" strong");
            break;
        case data::Emphasis::quiet:
            css += QStringLiteral(" quiet");
            break;
        case data::Emphasis::warning:
            css += QStringLiteral(" warn");
            break;
        }
        QString content = htmlText(cell.text);
        if (cell.bound) {
            const ClassStyle style = theme_.classStyle(*cell.bound);
            css += QStringLiteral(" tagged");
            content = u"<span class=\"tag\" style=\"background:" % style.color.name() % u";color:" %
                      style.letterColor.name() % u"\">" % escaped(style.letter) % u"</span>" % content;
        }
        css = css.trimmed();
        return u"<td" % (css.isEmpty() ? QString() : QString(u" class=\"" % css % u'"')) % u'>' % content %
               u"</td>\n";
    }

    const Theme& theme_;
    std::vector<Drawing> drawings_;
};

/// Whose document it is, and how confidential.
QString headElement(const data::Branding& branding) {
    QString out;
    if (!branding.confidentiality.empty())
        out += u"<span class=\"mark\">" % htmlText(branding.confidentiality) % u"</span>";
    if (branding.logo.kind != data::LogoKind::none) {
        const QSizeF size = logoSize(branding.logo, {150, 26});
        out += u"<img alt=\"\" width=\"" % QString::number(qRound(size.width())) % u"\" height=\"" %
               QString::number(qRound(size.height())) % u"\" src=\"" % logoAddress(branding.logo) % u"\"/>";
    } else {
        out += iconElement();
    }
    out += branding.organization.empty() ? QStringLiteral("Alidade: plan of a GPU cluster")
                                         : htmlText(branding.organization);
    return element("div", out, "head");
}

QString footerText(const data::ReportFooter& footer) {
    QString text = htmlText(footer.program);
    if (!footer.catalogVersion.empty())
        text += u", catalog " % htmlText(footer.catalogVersion);
    if (!footer.calibration.empty())
        text += u", calibration " % htmlText(footer.calibration);
    return text % u". " % htmlText(footer.date);
}

} // namespace

QByteArray reportHtml(const data::Report& given, Paper paper, std::vector<Drawing>* plots) {
    const data::Report report = data::localized(given);
    const Theme theme = Theme::paper();
    HtmlWriter writer(theme);
    const QString page =
        u"<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n<head>\n<meta "
        u"charset=\"utf-8\"/>\n"
        u"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n" %
        (report.branding.author.empty()
             ? QString()
             : QString(u"<meta name=\"author\" content=\"" % htmlText(report.branding.author) % u"\"/>\n")) %
        element("title", htmlText(report.title)) % element("style", styleSheet(theme, paper)) %
        u"</head>\n<body>\n" % headElement(report.branding) % writer.reportBody(report) %
        element("div", footerText(report.footer), "foot") % u"</body>\n</html>\n";
    if (plots != nullptr)
        *plots = writer.takeDrawings();
    return page.toUtf8();
}

} // namespace alidade::views
