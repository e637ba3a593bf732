// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/report/writers.h"
#include "data/report/xlsx_order.h"
#include "model/base/calendar.h"
#include "model/units/constants.h"
#include "model/units/dimension.h"

#include <QFile>
#include <QTemporaryDir>

#include <algorithm>
#include <cmath>
#include <set>
#include <xlsxwriter.h>

namespace alidade::data {
namespace {

/// Excel's limits, which LibreOffice shares.
constexpr std::size_t longestSheetName = 31, longestCellText = 32'767;

/// Names of sheets: unique whatever their case, without the signs that Excel forbids.
class SheetNames {
public:
    std::string unique(const std::string& wanted) {
        std::string base;
        for (const char c : wanted)
            base += std::string_view("[]:*?/\\'").find(c) == std::string_view::npos ? c : ' ';
        base = base.empty() ? "Sheet" : shortened(base, longestSheetName);
        std::string name = base;
        for (int n = 2; !used_.insert(lowered(name)).second; ++n) {
            const std::string suffix = " " + std::to_string(n);
            name = shortened(base, longestSheetName - suffix.size()) + suffix;
        }
        return name;
    }

private:
    /// At most so many bytes, which are at least as many characters; never half of one.
    static std::string shortened(std::string text, std::size_t most) {
        if (text.size() <= most)
            return text;
        while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0U) == 0x80U)
            --most;
        text.resize(most);
        return text;
    }
    static std::string lowered(std::string text) {
        std::ranges::transform(text, text.begin(), [](unsigned char c) {
            return c < 0x80 ? static_cast<char>(std::tolower(c)) : static_cast<char>(c);
        });
        return text;
    }

    std::set<std::string> used_;
};

class Book {
public:
    explicit Book(const QByteArray& path)
        : book_(workbook_new(path.constData())) {
        title_ = workbook_add_format(book_);
        format_set_bold(title_);
        format_set_font_size(title_, 14);
        head_ = workbook_add_format(book_);
        format_set_bold(head_);
        format_set_bottom(head_, LXW_BORDER_THIN);
        strong_ = workbook_add_format(book_);
        format_set_bold(strong_);
    }

    lxw_workbook* raw() { return book_; }
    void close() { error_ = workbook_close(book_); }
    lxw_error error() const { return error_; }

    void setProperties(const Report& report) {
        lxw_doc_properties properties{};
        std::string title = report.title, author = report.branding.author,
                    company = report.branding.organization.empty() ? report.footer.program
                                                                   : report.branding.organization;
        properties.title = title.data();
        properties.company = company.data();
        properties.author = author.data();
        // The day of the report, so that the same report is the same file.
        properties.created = static_cast<time_t>(dayOfDate(report.footer.date).value_or(0) * secondsPerDay);
        workbook_set_properties(book_, &properties);
    }

    void addReport(const Report& report, const std::string& prefix) {
        addAnswer(report, prefix);
        if (report.order)
            addOrderSheets(book_, *report.order, sheetName(prefix + "Order"),
                           sheetName(prefix + "Cash flow"));
        for (const ReportSection& section : report.sections)
            if (section.id != "order" && !section.tables.empty())
                addSection(section, prefix);
        for (std::size_t i = 0; i < report.parts.size(); ++i)
            addReport(report.parts[i], std::to_string(i + 1) + " ");
    }

private:
    std::string sheetName(const std::string& wanted) { return names_.unique(wanted); }

    lxw_worksheet* sheet(const std::string& wanted) {
        return workbook_add_worksheet(book_, sheetName(wanted).c_str());
    }

    static void write(lxw_worksheet* sheet, lxw_row_t row, lxw_col_t column, const std::string& text,
                      lxw_format* format = nullptr) {
        worksheet_write_string(sheet, row, column, text.substr(0, longestCellText).c_str(), format);
    }

    void addAnswer(const Report& report, const std::string& prefix) {
        lxw_worksheet* at = sheet(prefix + "Answer");
        worksheet_set_column(at, 0, 0, 34, nullptr);
        worksheet_set_column(at, 1, 3, 26, nullptr);
        lxw_row_t row = 0;
        write(at, row++, 0, report.title, title_);
        if (!report.subtitle.empty())
            write(at, row++, 0, report.subtitle);
        for (const Sentence& sentence : report.answer)
            write(at, row++, 0, plainText(sentence));
        ++row;
        for (const KeyFigure& figure : report.keyFigures) {
            write(at, row, 0, figure.question);
            write(at, row, 1, figure.value + (figure.unit.empty() ? "" : " " + figure.unit), strong_);
            write(at, row++, 2, figure.detail);
        }
        ++row;
        const Branding& b = report.branding;
        for (const auto& [name, value] :
             {std::pair("Organization", b.organization), std::pair("Author", b.author),
              std::pair("Confidentiality", b.confidentiality)}) {
            if (value.empty())
                continue;
            write(at, row, 0, name);
            write(at, row++, 1, value);
        }
        for (const auto& [name, value] :
             {std::pair("Prices valid until", report.priceValidUntil),
              std::pair("Program", report.footer.program), std::pair("Catalog", report.footer.catalogVersion),
              std::pair("Calibration", report.footer.calibration), std::pair("Date", report.footer.date)}) {
            if (value.empty() && name == std::string_view("Prices valid until"))
                continue;
            write(at, row, 0, name);
            write(at, row++, 1, value);
        }
    }

    void addSection(const ReportSection& section, const std::string& prefix) {
        lxw_worksheet* at = sheet(prefix + section.title);
        worksheet_set_column(at, 0, 0, 40, nullptr);
        worksheet_set_column(at, 1, 12, 18, nullptr);
        lxw_row_t row = 0;
        for (const std::string& text : section.text)
            write(at, row++, 0, text);
        for (const Table& table : section.tables) {
            if (!table.title.empty())
                write(at, row++, 0, table.title, strong_);
            row = addTable(at, table, row);
            if (!table.note.empty())
                write(at, row++, 0, table.note);
            ++row;
        }
    }

    lxw_row_t addTable(lxw_worksheet* at, const Table& table, lxw_row_t row) {
        lxw_col_t column = 0;
        for (const Column& each : table.columns) {
            const std::string unit(each.kind == ColumnKind::quantity ? baseUnitName(each.dimension) : "");
            write(at, row, column++, unit.empty() ? each.name : each.name + " (" + unit + ")", head_);
            if (each.kind == ColumnKind::mixed)
                write(at, row, column++, "Unit", head_);
        }
        for (const auto& cells : table.rows) {
            ++row;
            column = 0;
            for (std::size_t c = 0; c < table.columns.size() && c < cells.size(); ++c)
                addCell(at, row, column, table.columns[c], cells[c]);
        }
        return row + 1;
    }

    void addCell(lxw_worksheet* at, lxw_row_t row, lxw_col_t& column, const Column& kind, const Cell& cell) {
        lxw_format* format = cell.emphasis == Emphasis::strong ? strong_ : nullptr;
        const bool number = kind.kind != ColumnKind::text && cell.value && std::isfinite(*cell.value);
        if (number)
            worksheet_write_number(at, row, column, *cell.value, format);
        else
            write(at, row, column, cell.text, format);
        ++column;
        if (kind.kind == ColumnKind::mixed)
            write(at, row, column++, number ? std::string(baseUnitName(cell.dimension)) : "");
    }

    lxw_workbook* book_;
    lxw_error error_ = LXW_NO_ERROR;
    lxw_format *title_, *head_, *strong_;
    SheetNames names_;
};

} // namespace

Result<std::string> reportXlsx(const Report& report) {
    const QTemporaryDir folder; // the library writes to files only
    const QString path = folder.filePath(QStringLiteral("report.xlsx"));
    Book book(QFile::encodeName(path));
    book.setProperties(report);
    book.addReport(report, "");
    book.close();
    if (book.error() != LXW_NO_ERROR)
        return Error{std::string("the workbook could not be made: ") + lxw_strerror(book.error())};
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return Error{"the workbook could not be read back: " + file.errorString().toStdString()};
    return file.readAll().toStdString();
}

} // namespace alidade::data
