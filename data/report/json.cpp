// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/json/json.h"

#include "data/report/writers.h"
#include "model/units/dimension.h"

#include <array>
#include <cmath>
#include <variant>

namespace alidade::data {
namespace {

using Json = nlohmann::ordered_json;

/// A non-finite number is null.
Json jsonNumber(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json numbers(const std::vector<double>& values) {
    Json json = Json::array();
    for (const double value : values)
        json.push_back(jsonNumber(value));
    return json;
}

Json quantity(double value, Dimension dimension) {
    return {{"value", jsonNumber(value)}, {"unit", baseUnitName(dimension)}};
}

Json cellJson(const Column& column, const Cell& cell) {
    if (cell.value) {
        Json json = quantity(*cell.value, cell.dimension);
        json["text"] = cell.text;
        return json;
    }
    if (cell.bound)
        return {{"text", cell.text}, {"bound", boundName(*cell.bound)}};
    if (column.kind != ColumnKind::text)
        return nullptr;
    return cell.text;
}

Json tableJson(const Table& table) {
    constexpr std::array<const char*, 3> kinds{"text", "quantity", "mixed"};
    Json json{{"id", table.id}, {"title", table.title}, {"columns", Json::array()}, {"rows", Json::array()}};
    for (const Column& column : table.columns) {
        Json c{{"name", column.name},
               {"title", column.title},
               {"kind", kinds.at(static_cast<std::size_t>(column.kind))}};
        if (column.kind == ColumnKind::quantity)
            c["unit"] = baseUnitName(column.dimension);
        json["columns"].push_back(std::move(c));
    }
    for (const auto& row : table.rows) {
        Json cells = Json::array();
        for (std::size_t c = 0; c < row.size() && c < table.columns.size(); ++c)
            cells.push_back(cellJson(table.columns[c], row[c]));
        json["rows"].push_back(std::move(cells));
    }
    json["total_row"] = table.totalRow;
    if (!table.note.empty())
        json["note"] = table.note;
    return json;
}

Json barJson(const PlotBar& bar) {
    Json json{{"label", bar.label}, {"total", bar.total}, {"segments", Json::array()}};
    for (const PlotSegment& s : bar.segments) {
        Json segment{{"name", s.name}, {"value", jsonNumber(s.value)}, {"text", s.text}};
        if (s.bound)
            segment["bound"] = boundName(*s.bound);
        json["segments"].push_back(std::move(segment));
    }
    return json;
}

Json barsJson(const std::vector<PlotBar>& bars) {
    Json json = Json::array();
    for (const PlotBar& bar : bars)
        json.push_back(barJson(bar));
    return json;
}

struct PlotContent {
    Json& json;

    void operator()(const StepBar& p) const {
        json["kind"] = "step_bar";
        json["unit"] = "s";
        json["bar"] = barJson(p.bar);
    }
    void operator()(const StackedBars& p) const {
        json["kind"] = "stacked_bars";
        json["unit"] = baseUnitName(p.dimension);
        json["bars"] = barsJson(p.bars);
    }
    void operator()(const MemoryStages& p) const {
        json["kind"] = "memory_stages";
        json["unit"] = "bytes";
        json["bars"] = barsJson(p.stages);
        json["limits"] = Json::array();
        for (const PlotLimit& limit : p.limits)
            json["limits"].push_back({{"value", jsonNumber(limit.value)}, {"text", limit.text}});
    }
    void operator()(const Roofline& p) const {
        json["kind"] = "roofline";
        json["x_unit"] = "FLOP/byte";
        json["y_unit"] = "FLOP/s";
        json["roofs"] = Json::array();
        for (const RooflineRoof& roof : p.roofs)
            json["roofs"].push_back({{"text", roof.text}, {"flops_per_s", jsonNumber(roof.flopPerSecond)}});
        json["bytes_per_s"] = p.bytesPerSecond > 0 ? jsonNumber(p.bytesPerSecond) : Json(nullptr);
        json["points"] = Json::array();
        for (const RooflinePoint& point : p.points)
            json["points"].push_back({{"label", point.label},
                                      {"phase", point.phase},
                                      {"bound", boundName(point.bound)},
                                      {"intensity", jsonNumber(point.intensity)},
                                      {"flops_per_s", jsonNumber(point.flopPerSecond)},
                                      {"seconds", jsonNumber(point.seconds)}});
    }
    void operator()(const RangeBars& p) const {
        json["kind"] = "range_bars";
        json["unit"] = baseUnitName(p.dimension);
        json["bars"] = Json::array();
        for (const RangeBar& bar : p.bars)
            json["bars"].push_back({{"label", bar.label},
                                    {"value", jsonNumber(bar.value)},
                                    {"low", bar.low ? jsonNumber(*bar.low) : Json(nullptr)},
                                    {"high", bar.high ? jsonNumber(*bar.high) : Json(nullptr)},
                                    {"text", bar.text}});
    }
    void operator()(const FabricTree& p) const {
        json["kind"] = "fabric_tree";
        json["hosts"] = jsonNumber(p.hosts);
        json["rows"] = Json::array();
        for (const FabricRow& row : p.rows) {
            Json each{{"name", row.name}, {"boxes", Json::array()}};
            for (const FabricBox& box : row.boxes)
                each["boxes"].push_back({{"label", box.label},
                                         {"begin", jsonNumber(box.begin)},
                                         {"end", jsonNumber(box.end)},
                                         {"used", jsonNumber(box.used)},
                                         {"load", box.share ? jsonNumber(*box.share) : Json(nullptr)}});
            json["rows"].push_back(std::move(each));
        }
    }
    void operator()(const LoadCurves& p) const {
        json["kind"] = "load_curves";
        json["x_unit"] = "requests/s";
        json["y_unit"] = "s";
        json["loads"] = numbers(p.loads);
        json["present"] = jsonNumber(p.present);
        if (p.breaks)
            json["targets_missed_from"] = jsonNumber(*p.breaks);
        json["panels"] = Json::array();
        for (const LoadPanel& panel : p.panels) {
            Json each{{"title", panel.title}, {"lines", Json::array()}};
            for (const LoadLine& line : panel.lines)
                each["lines"].push_back({{"name", line.name}, {"seconds", numbers(line.seconds)}});
            if (panel.target)
                each["target"] = jsonNumber(panel.target->value);
            if (panel.present)
                each["present"] = jsonNumber(*panel.present);
            json["panels"].push_back(std::move(each));
        }
    }
};

Json sectionJson(const ReportSection& section) {
    Json json{{"id", section.id}, {"title", section.title}, {"text", section.text}};
    json["plots"] = Json::array();
    for (const Plot& plot : section.plots) {
        Json p{{"id", plot.id}, {"title", plot.title}, {"description", plot.description}};
        std::visit(PlotContent{p}, plot.content);
        json["plots"].push_back(std::move(p));
    }
    json["tables"] = Json::array();
    for (const Table& table : section.tables)
        json["tables"].push_back(tableJson(table));
    return json;
}

Json keyFigureJson(const KeyFigure& k) {
    Json json{{"question", k.question}, {"value", k.value}, {"unit", k.unit}, {"detail", k.detail}};
    if (k.si)
        json["quantity"] = quantity(*k.si, k.dimension);
    return json;
}

/// The amounts of an order in its other currency, in the order of its lines and months.
Json convertedJson(const Order& order) {
    const Conversion& to = *order.conversion;
    const auto text = [&to](std::int64_t amount) { return amountText(amount, to.digits); };
    Json json{{"currency", to.currency},
              {"rate", priceText(to.rate)},
              {"rate_date", to.date},
              {"lines", Json::array()},
              {"months", Json::array()},
              {"before_tax", text(order.convertedBeforeTax)},
              {"total", text(order.convertedTotal)}};
    for (const OrderLine& line : order.lines)
        json["lines"].push_back(text(line.converted));
    for (const OrderMonth& month : order.months)
        json["months"].push_back(text(month.converted));
    return json;
}

/// The order with its money as decimal texts, which no reader rounds.
Json orderJson(const Order& order) {
    Json json{{"currency", "USD"}, {"lines", Json::array()}, {"months", Json::array()}};
    for (const OrderLine& line : order.lines)
        json["lines"].push_back({{"item", line.text},
                                 {"quantity", thousandthsText(line.quantity)},
                                 {"unit", line.unit},
                                 {"unit_price", line.price > 0 ? Json(priceText(line.price)) : Json(nullptr)},
                                 {"amount", centsText(line.amount)},
                                 {"from", line.from},
                                 {"to", line.to}});
    for (const OrderMonth& month : order.months)
        json["months"].push_back({{"month", month.name}, {"paid", centsText(month.paid)}});
    json["before_tax"] = centsText(order.beforeTax);
    json["total"] = centsText(order.total);
    json["remarks"] = order.remarks;
    if (order.conversion)
        json["converted"] = convertedJson(order);
    return json;
}

Json brandingJson(const Branding& branding) {
    return {{"organisation", branding.organization},
            {"author", branding.author},
            {"confidentiality", branding.confidentiality}};
}

Json reportValue(const Report& report) {
    Json json{{"title", report.title}, {"subtitle", report.subtitle}, {"answer", Json::array()}};
    for (const Sentence& sentence : report.answer)
        json["answer"].push_back(plainText(sentence));
    json["key_figures"] = Json::array();
    for (const KeyFigure& k : report.keyFigures)
        json["key_figures"].push_back(keyFigureJson(k));
    json["sections"] = Json::array();
    for (const ReportSection& section : report.sections)
        json["sections"].push_back(sectionJson(section));
    json["footer"] = {{"program", report.footer.program},
                      {"catalog_version", report.footer.catalogVersion},
                      {"calibration", report.footer.calibration},
                      {"date", report.footer.date}};
    const Branding& b = report.branding;
    if (!b.organization.empty() || !b.author.empty() || !b.confidentiality.empty())
        json["branding"] = brandingJson(b);
    if (report.order)
        json["order"] = orderJson(*report.order);
    if (!report.priceValidUntil.empty())
        json["price_valid_until"] = report.priceValidUntil;
    if (!report.scenarioJson.empty()) {
        Json scenario = Json::parse(report.scenarioJson, nullptr, /*allow_exceptions=*/false);
        json["scenario"] = scenario.is_discarded() ? Json(nullptr) : std::move(scenario);
    }
    if (!report.parts.empty()) {
        json["parts"] = Json::array();
        for (const Report& part : report.parts)
            json["parts"].push_back(reportValue(part));
    }
    return json;
}

} // namespace

std::string reportJson(const Report& report) {
    Json json{{"alidade", 1}};
    json.update(reportValue(report));
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

} // namespace alidade::data
