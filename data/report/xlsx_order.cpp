// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/report/xlsx_order.h"

#include <array>
#include <vector>
#include <xlsxwriter.h>

namespace alidade::data {
namespace {

constexpr lxw_col_t itemColumn = 1, quantityColumn = 2, unitColumn = 3, priceColumn = 4, discountColumn = 5,
                    amountColumn = 6, fromColumn = 7, toColumn = 8;
constexpr lxw_row_t firstLine = 1;

bool isPercent(const OrderLine& line) {
    return line.kind == OrderLineKind::support || line.kind == OrderLineKind::contingency ||
           line.kind == OrderLineKind::tax;
}

std::string cell(lxw_row_t row, char column) { return std::string(1, column) + std::to_string(row + 1); }

class OrderSheets {
public:
    OrderSheets(lxw_workbook* book, const Order& order)
        : book_(book)
        , order_(order) {
        head_ = format();
        format_set_bold(head_);
        format_set_bottom(head_, LXW_BORDER_THIN);
        format_set_text_wrap(head_);
        money_ = format("#,##0.00");
        total_ = format("#,##0.00");
        format_set_bold(total_);
        format_set_top(total_, LXW_BORDER_THIN);
        quantity_ = format("#,##0.###");
        input_ = format("0.###\\ %");
        format_set_bg_color(input_, 0xFBF0DA);
        inputPrice_ = format("#,##0.00####");
        format_set_bg_color(inputPrice_, 0xFBF0DA);
    }

    void addOrder(const std::string& name) {
        lxw_worksheet* at = workbook_add_worksheet(book_, name.c_str());
        worksheet_freeze_panes(at, 1, 0);
        worksheet_set_column(at, itemColumn, itemColumn, 52, nullptr);
        worksheet_set_column(at, quantityColumn, toColumn, 16, nullptr);
        const std::array heads{"No.",      "Item",        "Quantity", "Unit", "Unit price, USD",
                               "Discount", "Amount, USD", "From",     "To"};
        for (std::size_t c = 0; c < heads.size(); ++c)
            worksheet_write_string(at, 0, static_cast<lxw_col_t>(c), heads[c], head_);
        lxw_row_t row = firstLine;
        int number = 0;
        for (const OrderLine& line : order_.lines) {
            if (line.kind == OrderLineKind::tax)
                row = addTotal(at, row, "Total before tax", order_.beforeTax);
            rows_.push_back(row);
            worksheet_write_number(at, row, 0, ++number, nullptr);
            worksheet_write_string(at, row, itemColumn, line.text.c_str(), nullptr);
            isPercent(line) ? addPercent(at, row, line) : addLine(at, row, line);
            ++row;
        }
        const bool taxed = !order_.lines.empty() && order_.lines.back().kind == OrderLineKind::tax;
        row = addTotal(at, row, taxed ? "Total" : "Total before tax", order_.total);
        ++row;
        worksheet_write_string(at, row++, itemColumn,
                               "Shaded cells may be changed; amounts and totals follow.", nullptr);
        for (const std::string& remark : order_.remarks)
            worksheet_write_string(at, row++, itemColumn, remark.c_str(), nullptr);
    }

    void addCash(const std::string& name, const std::string& orderName) {
        lxw_worksheet* at = workbook_add_worksheet(book_, name.c_str());
        worksheet_set_column(at, 0, 0, 52, nullptr);
        worksheet_set_column(at, 1, static_cast<lxw_col_t>(order_.months.size() + 1), 16, nullptr);
        worksheet_write_string(at, 0, 0, "Paid, USD", head_);
        lxw_col_t column = 1;
        for (const OrderMonth& month : order_.months) {
            const bool dated = month.name.size() == 7;
            worksheet_write_string(at, 0, column++, (dated ? month.name : "Month " + month.name).c_str(),
                                   head_);
        }
        worksheet_write_string(at, 0, column, "Total", head_);
        lxw_row_t row = 1;
        for (std::size_t i = 0; i < order_.lines.size(); ++i, ++row)
            addCashLine(at, row, i, orderName);
        worksheet_write_string(at, row, 0, "Total", total_);
        for (std::size_t m = 0; m <= order_.months.size(); ++m) {
            const auto of = static_cast<lxw_col_t>(m + 1);
            char first[LXW_MAX_CELL_NAME_LENGTH], last[LXW_MAX_CELL_NAME_LENGTH];
            lxw_rowcol_to_cell(first, 1, of);
            lxw_rowcol_to_cell(last, row - 1, of);
            const std::string sum = std::string("=SUM(") + first + ":" + last + ")";
            worksheet_write_formula_num(
                at, row, of, sum.c_str(), total_,
                dollarsOf(m < order_.months.size() ? order_.months[m].paid : order_.total));
        }
    }

private:
    lxw_format* format(const char* number = nullptr) {
        lxw_format* out = workbook_add_format(book_);
        if (number)
            format_set_num_format(out, number);
        return out;
    }

    void addLine(lxw_worksheet* at, lxw_row_t row, const OrderLine& line) {
        worksheet_write_number(at, row, quantityColumn, static_cast<double>(line.quantity) / 1e3, quantity_);
        worksheet_write_string(at, row, unitColumn, line.unit.c_str(), nullptr);
        worksheet_write_number(at, row, priceColumn, static_cast<double>(line.price) / 1e9, inputPrice_);
        worksheet_write_number(at, row, discountColumn, 0, input_);
        const std::string amount =
            "=ROUND(" + cell(row, 'C') + "*" + cell(row, 'E') + "*(1-" + cell(row, 'F') + "),2)";
        worksheet_write_formula_num(at, row, amountColumn, amount.c_str(), money_, dollarsOf(line.amount));
        worksheet_write_string(at, row, fromColumn, line.from.c_str(), nullptr);
        worksheet_write_string(at, row, toColumn, line.to.c_str(), nullptr);
    }

    /// A percentage of what stands above it.
    void addPercent(lxw_worksheet* at, lxw_row_t row, const OrderLine& line) {
        worksheet_write_number(at, row, quantityColumn, static_cast<double>(line.quantity) / 1e5, input_);
        const std::string of = line.kind == OrderLineKind::tax
                                   ? cell(row - 1, 'G')
                                   : "SUM(" + cell(firstLine, 'G') + ":" + cell(row - 1, 'G') + ")";
        const std::string amount = "=ROUND(" + of + "*" + cell(row, 'C') + ",2)";
        worksheet_write_formula_num(at, row, amountColumn, amount.c_str(), money_, dollarsOf(line.amount));
    }

    /// \returns the next free row
    lxw_row_t addTotal(lxw_worksheet* at, lxw_row_t row, const char* text, Cents cents) {
        worksheet_write_string(at, row, itemColumn, text, total_);
        const bool afterTax = beforeTaxRow_ > 0;
        const std::string sum = afterTax ? "=" + cell(beforeTaxRow_, 'G') + "+" + cell(row - 1, 'G')
                                         : "=SUM(" + cell(firstLine, 'G') + ":" + cell(row - 1, 'G') + ")";
        worksheet_write_formula_num(at, row, amountColumn, sum.c_str(), total_, dollarsOf(cents));
        beforeTaxRow_ = afterTax ? beforeTaxRow_ : row;
        return row + 1;
    }

    /// The months of a line as printed, and their share of what its amount changes by.
    void addCashLine(lxw_worksheet* at, lxw_row_t row, std::size_t i, const std::string& orderName) {
        const OrderLine& line = order_.lines[i];
        worksheet_write_string(at, row, 0, line.text.c_str(), nullptr);
        const std::string amount = "'" + orderName + "'!" + cell(rows_[i], 'G');
        for (std::size_t m = 0; m < line.months.size(); ++m) {
            const std::string paid = centsText(line.months[m]);
            const std::string formula = line.amount == 0 ? "=" + paid
                                                         : "=ROUND(" + paid + "+(" + amount + "-" +
                                                               centsText(line.amount) + ")*" + paid + "/" +
                                                               centsText(line.amount) + ",2)";
            worksheet_write_formula_num(at, row, static_cast<lxw_col_t>(m + 1), formula.c_str(), money_,
                                        dollarsOf(line.months[m]));
        }
        worksheet_write_formula_num(at, row, static_cast<lxw_col_t>(line.months.size() + 1),
                                    ("=" + amount).c_str(), money_, dollarsOf(line.amount));
    }

    lxw_workbook* book_;
    const Order& order_;
    lxw_format *head_, *money_, *total_, *quantity_, *input_, *inputPrice_;
    std::vector<lxw_row_t> rows_; ///< of the lines
    lxw_row_t beforeTaxRow_ = 0;
};

} // namespace

void addOrderSheets(lxw_workbook* book, const Order& order, const std::string& orderName,
                    const std::string& cashName) {
    OrderSheets sheets(book, order);
    sheets.addOrder(orderName);
    sheets.addCash(cashName, orderName);
}

} // namespace alidade::data
