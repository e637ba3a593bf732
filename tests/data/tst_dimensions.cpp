// SPDX-License-Identifier: GPL-3.0-or-later
// ctest: numbers
// Every step of every derivation has the dimension that its label says: seconds = bytes / (bytes/s), and
// nothing but like is added to like.
#include "data/catalog/catalog_reader.h"
#include "data/catalog/shipped.h"
#include "data/scenario/scenario_json.h"
#include "model/estimate/traced_estimate.h"
#include "model/units/dimension.h"

#include <QTest>

#include <array>
#include <cmath>
#include <map>
#include <set>

namespace tst_dimensions {

using namespace alidade;

namespace {

/// Exponents of seconds, bytes, FLOP, dollars and watts. Tokens, ratios and other counts have none.
using Powers = std::array<double, 5>;

Powers operator+(Powers a, const Powers& b) {
    for (std::size_t i = 0; i < a.size(); ++i)
        a[i] += b[i];
    return a;
}
Powers operator*(double factor, Powers a) {
    for (double& each : a)
        each *= factor;
    return a;
}

constexpr Powers none{};
constexpr Powers s{1}, bytes{0, 1}, flop{0, 0, 1}, dollars{0, 0, 0, 1}, watts{0, 0, 0, 0, 1};

Powers powersOf(Dimension dimension) {
    switch (dimension) {
    case Dimension::seconds:
        return s;
    case Dimension::bytes:
        return bytes;
    case Dimension::bytesPerSecond:
        return bytes + -1 * s;
    case Dimension::flop:
        return flop;
    case Dimension::flopPerSecond:
        return flop + -1 * s;
    case Dimension::flopPerByte:
        return flop + -1 * bytes;
    case Dimension::dollars:
        return dollars;
    case Dimension::dollarsPerHour:
        return dollars + -1 * s;
    case Dimension::watts:
        return watts;
    case Dimension::wattHours:
        return watts + s;
    case Dimension::tokensPerSecond:
        return -1 * s;
    case Dimension::tokens:
    case Dimension::number:
    case Dimension::ratio:
        break;
    }
    return none;
}

QString text(const Powers& powers) {
    constexpr std::array names{"s", "B", "FLOP", "$", "W"};
    QStringList parts;
    for (std::size_t i = 0; i < powers.size(); ++i)
        if (powers[i] != 0)
            parts.append(QStringLiteral("%1^%2").arg(QLatin1String(names[i])).arg(powers[i]));
    return parts.isEmpty() ? QStringLiteral("1") : parts.join(QLatin1Char(' '));
}

/// Where Dimension has no word for the unit: what is shown as a number then has it in its name.
const std::map<std::string, Powers, std::less<>> otherUnits{
    {"all_gather_fill", s + -0.5 * bytes}, // the time to fill a pipeline grows with the root of the message
    {"all_reduce_fill", s + -0.5 * bytes},
    {"reduce_scatter_fill", s + -0.5 * bytes},
    {"all_to_all_fill", s + -0.5 * bytes},
    {"serving_all_reduce_fill", s + -0.5 * bytes},
    {"serving_exchange_fill", s + -0.5 * bytes},
    {"run_hours", s},
    {"hours_in_use", s},
    {"idle_hours", s},
    {"gpu_hours_per_failure", s},
    {"energy_kwh", watts + s},
    {"kwh_per_step", watts + s},
    {"joules_per_token", watts + s},
    {"kwh_per_month", watts + s},
    {"month_hours", s},
    {"kwh_per_million_tokens", watts + s},
    {"block_hours", s},
    {"days", s},
    {"days_low", s},
    {"days_high", s},
    {"days_mean", s},
    {"grid_carbon", -1 * (watts + s)}, // kg, which has no unit here, per kWh
    {"storage_rate_per_byte", -1 * s},
    {"gpu_hours_per_1000_steps", s},
    {"requests_per_second", -1 * s},
    {"requests_per_second_and_worker", -1 * s},
    {"largest_rate", -1 * s},
    {"max_questions_per_second", -1 * s},
    {"questions_per_second", -1 * s},
};

/// What is known of a number. A literal may be bytes per element or FLOP per multiply-add: products with one
/// may be of one more, or one less, byte and FLOP.
struct Found {
    Powers powers{};
    bool literal = false; ///< nothing but literals: takes the unit of what it meets
    bool counted = false; ///< has a literal factor
};

/// Whether what was found may be called `said`.
bool agree(const Found& found, const Powers& said) {
    for (std::size_t i = 0; i < said.size(); ++i) {
        const bool countable = bytes[i] != 0 || flop[i] != 0;
        const double off = std::abs(said[i] - found.powers[i]);
        if (off > (found.counted && countable ? 1 : 0))
            return false;
    }
    return true;
}

/// Goes through a trace in the order in which it was written, so that operands come first.
class DimensionCheck {
public:
    explicit DimensionCheck(const Trace& trace)
        : trace_(trace)
        , found_(trace.size()) {
        for (std::uint32_t i = 1; i < trace.size(); ++i)
            found_[i] = afterName(trace[i], computed(trace[i]));
    }
    const std::set<QString>& faults() const { return faults_; }

private:
    static Powers declared(const TraceNode& node) {
        const auto other = otherUnits.find(node.name);
        return other == otherUnits.end() ? powersOf(node.dimension) : other->second;
    }

    QString nameOf(std::uint32_t node) const {
        const TraceNode& n = trace_[node];
        if (!n.name.empty())
            return QString::fromStdString(n.name);
        if (n.op == NodeOp::leaf)
            return QString::number(n.value);
        constexpr std::array signs{"", " + ", " - ", " * ", " / ", " max ", " min ", "sqrt", "^", "exp", ""};
        return QLatin1Char('(') + (n.left ? nameOf(n.left) : QString()) +
               QLatin1String(signs[static_cast<std::size_t>(n.op)]) +
               (n.right ? nameOf(n.right) : QString()) + QLatin1Char(')');
    }

    Found computed(const TraceNode& node) {
        const Found left = found_[node.left], right = found_[node.right];
        const bool literal = left.literal && right.literal;
        const bool counted = left.counted || right.counted || left.literal || right.literal;
        switch (node.op) {
        case NodeOp::leaf:
            return node.name.empty() ? Found{none, true, false} : Found{declared(node), false, false};
        case NodeOp::alias:
            return left;
        case NodeOp::multiply:
            return {left.powers + right.powers, literal, counted};
        case NodeOp::divide:
            return {left.powers + -1 * right.powers, literal, counted};
        case NodeOp::squareRoot:
            return {0.5 * left.powers, left.literal, left.counted};
        case NodeOp::power:
            needNumber(node.right, "exponent ");
            return {trace_[node.right].value * left.powers, left.literal, left.counted};
        case NodeOp::exponential:
            needNumber(node.left, "exp of ");
            return {none, left.literal, false};
        case NodeOp::add:
        case NodeOp::subtract:
        case NodeOp::maximum:
        case NodeOp::minimum:
            break;
        }
        return same(node, left, right);
    }

    void needNumber(std::uint32_t node, const char* role) {
        if (!agree(found_[node], none))
            faults_.insert(QLatin1String(role) + nameOf(node) + QStringLiteral(" in ") +
                           text(found_[node].powers));
    }

    /// Of a sum, a difference, a maximum: both are of one unit. Nothing is of every unit.
    Found same(const TraceNode& node, const Found& left, const Found& right) {
        const auto takes = [this](const Found& other, std::uint32_t n, const Found& one) {
            const bool fits = other.counted || other.powers == none || other.powers == bytes;
            return trace_[n].value == 0 || (one.literal && fits);
        };
        if (takes(left, node.right, right))
            return left;
        if (takes(right, node.left, left))
            return right;
        if (left.powers == right.powers)
            return {left.powers, false, left.counted && right.counted};
        if (agree(left, right.powers))
            return right;
        if (agree(right, left.powers))
            return left;
        faults_.insert(
            QStringLiteral("%1 in %2 beside %3 in %4")
                .arg(nameOf(node.left), text(left.powers), nameOf(node.right), text(right.powers)));
        return left;
    }

    Found afterName(const TraceNode& node, const Found& found) {
        if (node.name.empty() || node.op == NodeOp::leaf)
            return found;
        const Powers said = declared(node);
        if (!found.literal && node.value != 0 && !agree(found, said))
            faults_.insert(QStringLiteral("%1 is said to be in %2, its formula gives %3: %4, %5")
                               .arg(QString::fromStdString(node.name), text(said), text(found.powers),
                                    node.left ? nameOf(node.left) : QString(),
                                    node.right ? nameOf(node.right) : QString()));
        return {said, false, false};
    }

    const Trace& trace_;
    std::vector<Found> found_;
    std::set<QString> faults_;
};

} // namespace

class TestDimensions : public QObject {
    Q_OBJECT

private slots:
    void everyStepOfEverySample_data() {
        QTest::addColumn<QString>("sample");
        for (const data::ShippedScenario& each : data::shippedScenarios())
            QTest::newRow(each.id.c_str()) << QString::fromStdString(each.id);
    }

    void everyStepOfEverySample() {
        QFETCH(QString, sample);
        const data::CatalogLoad load = data::loadShippedCatalog();
        const auto reading = data::readScenario(*data::shippedScenario(sample.toStdString()));
        const auto scenario = resolve(*reading.spec, *load.catalog, load.catalog->defaultProfile);
        QVERIFY(scenario);
        Trace trace;
        tracedEstimate(*scenario, trace);
        QVERIFY(trace.size() > 500);
        const DimensionCheck check(trace);
        for (const QString& fault : check.faults())
            qWarning().noquote() << fault;
        QCOMPARE(check.faults().size(), std::size_t(0));
    }
};

QTEST_APPLESS_MAIN(TestDimensions)

} // namespace tst_dimensions

#include "tst_dimensions.moc"
