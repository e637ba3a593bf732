// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/report/xlsx_order.h"

#include <array>
#include <cmath>
#include <vector>
#include <xlsxwriter.h>

namespace alidade::data {
namespace {

constexpr lxw_col_t itemColumn = 1, quantityColumn = 2, unitColumn = 3, priceColumn = 4, discountColumn = 5,
                    amountColumn = 6, fromColumn = 7, toColumn = 8, convertedColumn = 9, rateTextColumn = 11,
                    rateColumn = 12;
constexpr lxw_row_t firstLine = 1;

bool isPercent(const OrderLine& line) { return isShare(line.kind); }

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
        converted_ = format(digits() == 0 ? "#,##0" : digits() == 3 ? "#,##0.000" : "#,##0.00");
        convertedTotal_ = format(digits() == 0 ? "#,##0" : digits() == 3 ? "#,##0.000" : "#,##0.00");
        format_set_bold(convertedTotal_);
        format_set_top(convertedTotal_, LXW_BORDER_THIN);
        rate_ = format("0.00#######");
        format_set_bg_color(rate_, 0xFBF0DA);
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
        if (order_.conversion)
            addRate(at, *order_.conversion);
        lxw_row_t row = firstLine;
        int number = 0;
        for (const OrderLine& line : order_.lines) {
            if (line.kind == OrderLineKind::tax)
                row = addTotal(at, row, "Total before tax", order_.beforeTax, order_.convertedBeforeTax);
            rows_.push_back(row);
            worksheet_write_number(at, row, 0, ++number, nullptr);
            worksheet_write_string(at, row, itemColumn, line.text.c_str(), nullptr);
            isPercent(line) ? addPercent(at, row, line) : addLine(at, row, line);
            if (order_.conversion)
                addConverted(at, row, line);
            ++row;
        }
        const bool taxed = !order_.lines.empty() && order_.lines.back().kind == OrderLineKind::tax;
        row = addTotal(at, row, taxed ? "Total" : "Total before tax", order_.total, order_.convertedTotal);
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
        Money money{.currency = "USD", .column = 'G', .cell = money_, .total = total_, .sum = order_.total};
        for (const OrderLine& line : order_.lines)
            money.lines.push_back({line.amount, line.months});
        for (const OrderMonth& month : order_.months)
            money.months.push_back(month.paid);
        const lxw_row_t row = addCashBlock(at, 0, money, orderName);
        if (!order_.conversion)
            return;
        Money other{.currency = order_.conversion->currency,
                    .column = 'J',
                    .digits = digits(),
                    .cell = converted_,
                    .total = convertedTotal_,
                    .sum = order_.convertedTotal};
        for (const OrderLine& line : order_.lines)
            other.lines.push_back({line.converted, line.convertedMonths});
        for (const OrderMonth& month : order_.months)
            other.months.push_back(month.converted);
        addCashBlock(at, row + 1, other, orderName);
    }

private:
    /// The amounts of all lines in one currency, in its smallest coin.
    struct Money {
        struct Line {
            std::int64_t amount;
            std::vector<std::int64_t> months;
        };
        std::string currency;
        char column; ///< of the amounts in the sheet of the order
        int digits = 2;
        lxw_format *cell, *total;
        std::int64_t sum;
        std::vector<Line> lines{};
        std::vector<std::int64_t> months{};
        double value(std::int64_t amount) const { return static_cast<double>(amount) / std::pow(10, digits); }
    };

    int digits() const { return order_.conversion ? order_.conversion->digits : 2; }

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

    /// The rate, alongside the lines, and the head of their converted amounts.
    void addRate(lxw_worksheet* at, const Conversion& conversion) {
        worksheet_set_column(at, convertedColumn, convertedColumn, 16, nullptr);
        worksheet_set_column(at, rateTextColumn, rateTextColumn, 36, nullptr);
        worksheet_write_string(at, 0, convertedColumn, ("Amount, " + conversion.currency).c_str(), head_);
        worksheet_write_string(at, 0, rateTextColumn,
                               (conversion.currency + " for one USD, rate of " + conversion.date).c_str(),
                               nullptr);
        worksheet_write_number(at, 0, rateColumn, static_cast<double>(conversion.rate) / 1e9, rate_);
    }

    /// Each amount is converted by itself and rounded once.
    void addConverted(lxw_worksheet* at, lxw_row_t row, const OrderLine& line) {
        const std::string formula = "=ROUND(" + cell(row, 'G') + "*$M$1," + std::to_string(digits()) + ")";
        worksheet_write_formula_num(at, row, convertedColumn, formula.c_str(), converted_,
                                    static_cast<double>(line.converted) / std::pow(10, digits()));
    }

    /// A percentage of what is above it.
    void addPercent(lxw_worksheet* at, lxw_row_t row, const OrderLine& line) {
        worksheet_write_number(at, row, quantityColumn, static_cast<double>(line.quantity) / 1e5, input_);
        const std::string of = line.kind == OrderLineKind::tax
                                   ? cell(row - 1, 'G')
                                   : "SUM(" + cell(firstLine, 'G') + ":" + cell(row - 1, 'G') + ")";
        const std::string amount = "=ROUND(" + of + "*" + cell(row, 'C') + ",2)";
        worksheet_write_formula_num(at, row, amountColumn, amount.c_str(), money_, dollarsOf(line.amount));
    }

    /// \returns the next free row
    lxw_row_t addTotal(lxw_worksheet* at, lxw_row_t row, const char* text, Cents cents,
                       std::int64_t converted) {
        worksheet_write_string(at, row, itemColumn, text, total_);
        const auto sum = [&](char column) {
            return beforeTaxRow_ > 0 ? "=" + cell(beforeTaxRow_, column) + "+" + cell(row - 1, column)
                                     : "=SUM(" + cell(firstLine, column) + ":" + cell(row - 1, column) + ")";
        };
        worksheet_write_formula_num(at, row, amountColumn, sum('G').c_str(), total_, dollarsOf(cents));
        if (order_.conversion)
            worksheet_write_formula_num(at, row, convertedColumn, sum('J').c_str(), convertedTotal_,
                                        static_cast<double>(converted) / std::pow(10, digits()));
        beforeTaxRow_ = beforeTaxRow_ > 0 ? beforeTaxRow_ : row;
        return row + 1;
    }

    /// What is paid in each month, in one currency. \returns the next free row
    lxw_row_t addCashBlock(lxw_worksheet* at, lxw_row_t head, const Money& money,
                           const std::string& orderName) {
        worksheet_write_string(at, head, 0, ("Paid, " + money.currency).c_str(), head_);
        lxw_col_t column = 1;
        for (const OrderMonth& month : order_.months) {
            const bool dated = month.name.size() == 7;
            worksheet_write_string(at, head, column++, (dated ? month.name : "Month " + month.name).c_str(),
                                   head_);
        }
        worksheet_write_string(at, head, column, "Total", head_);
        lxw_row_t row = head + 1;
        for (std::size_t i = 0; i < order_.lines.size(); ++i, ++row)
            addCashLine(at, row, i, money, orderName);
        worksheet_write_string(at, row, 0,
                               money.column == 'G' ? "Total" : ("Total, " + money.currency).c_str(), total_);
        for (std::size_t m = 0; m <= money.months.size(); ++m) {
            const auto of = static_cast<lxw_col_t>(m + 1);
            char first[LXW_MAX_CELL_NAME_LENGTH], last[LXW_MAX_CELL_NAME_LENGTH];
            lxw_rowcol_to_cell(first, head + 1, of);
            lxw_rowcol_to_cell(last, row - 1, of);
            const std::string sum = std::string("=SUM(") + first + ":" + last + ")";
            worksheet_write_formula_num(at, row, of, sum.c_str(), money.total,
                                        money.value(m < money.months.size() ? money.months[m] : money.sum));
        }
        return row + 1;
    }

    /// The months of a line as printed, and their share of what its amount changes by.
    void addCashLine(lxw_worksheet* at, lxw_row_t row, std::size_t i, const Money& money,
                     const std::string& orderName) {
        const Money::Line& line = money.lines[i];
        worksheet_write_string(at, row, 0, order_.lines[i].text.c_str(), nullptr);
        const std::string amount = "'" + orderName + "'!" + cell(rows_[i], money.column);
        const std::string printed = amountText(line.amount, money.digits);
        for (std::size_t m = 0; m < line.months.size(); ++m) {
            const std::string paid = amountText(line.months[m], money.digits);
            const std::string formula = line.amount == 0
                                            ? "=" + paid
                                            : "=ROUND(" + paid + "+(" + amount + "-" + printed + ")*" + paid +
                                                  "/" + printed + "," + std::to_string(money.digits) + ")";
            worksheet_write_formula_num(at, row, static_cast<lxw_col_t>(m + 1), formula.c_str(), money.cell,
                                        money.value(line.months[m]));
        }
        worksheet_write_formula_num(at, row, static_cast<lxw_col_t>(line.months.size() + 1),
                                    ("=" + amount).c_str(), money.cell, money.value(line.amount));
    }

    lxw_workbook* book_;
    const Order& order_;
    lxw_format *head_, *money_, *total_, *quantity_, *input_, *inputPrice_;
    lxw_format *converted_, *convertedTotal_, *rate_;
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
