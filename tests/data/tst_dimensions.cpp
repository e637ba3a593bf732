// SPDX-License-Identifier: GPL-3.0-or-later
// ctest: numbers
// Every step of every derivation has the dimension that its label says: seconds = bytes / (bytes/s), and
// nothing but like is added to like.
#include "data/catalog/catalog_reader.h"
#include "data/catalog/shipped.h"
#include "data/scenario/scenario_json.h"
#include "model/estimate/traced_estimate.h"
#include "model/scenario/fields.h"
#include "model/units/dimension.h"

#include <QTest>

#include <array>
#include <cmath>
#include <map>
#include <set>
#include <string_view>
#include <variant>

namespace tst_dimensions {

using namespace alidade;

namespace {

/// Exponents of seconds, bytes, FLOP, dollars and watts.
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

/// What a number counts. Formulas take what one token or request costs for granted, so that a product with
/// anything but a share or a time counts anything; sums and shares do not.
enum class Counts : std::uint8_t { share, tokens, requests, anything };

struct Unit {
    Powers powers{};
    Counts counts = Counts::anything;
};

/// The unit of a dimension, and of numbers for whose unit Dimension has no word: they are shown as a number
/// that has it in its name.
Unit unitOf(Dimension dimension, std::string_view name) {
    using Of = std::variant<Dimension, std::string_view>;
    static const std::map<Of, Unit> units{
        {Dimension::number, {none}},
        {Dimension::ratio, {none, Counts::share}},
        {Dimension::tokens, {none, Counts::tokens}},
        {Dimension::tokensPerSecond, {-1 * s, Counts::tokens}},
        {Dimension::seconds, {s}},
        {Dimension::bytes, {bytes}},
        {Dimension::bytesPerSecond, {bytes + -1 * s}},
        {Dimension::flop, {flop}},
        {Dimension::flopPerSecond, {flop + -1 * s}},
        {Dimension::flopPerByte, {flop + -1 * bytes}},
        {Dimension::dollars, {dollars}},
        {Dimension::dollarsPerHour, {dollars + -1 * s}},
        {Dimension::watts, {watts}},
        {Dimension::wattHours, {watts + s}},
        // The time to fill a pipeline grows with the root of the message.
        {"all_gather_fill", {s + -0.5 * bytes}},
        {"all_reduce_fill", {s + -0.5 * bytes}},
        {"reduce_scatter_fill", {s + -0.5 * bytes}},
        {"network_fill", {s + -0.5 * bytes}},
        {"all_to_all_fill", {s + -0.5 * bytes}},
        {"serving_all_reduce_fill", {s + -0.5 * bytes}},
        {"serving_exchange_fill", {s + -0.5 * bytes}},
        {"run_hours", {s}},
        {"hours_in_use", {s}},
        {"idle_hours", {s}},
        {"month_hours", {s}},
        {"block_hours", {s}},
        {"gpu_hours_per_failure", {s}},
        {"gpu_hours_per_1000_steps", {s}},
        {"days", {s}},
        {"days_low", {s}},
        {"days_high", {s}},
        {"days_mean", {s}},
        {"energy_kwh", {watts + s}},
        {"kwh_per_step", {watts + s}},
        {"kwh_per_month", {watts + s}},
        {"kwh_per_million_tokens", {watts + s}},
        {"joules_per_token", {watts + s}},
        {"grid_carbon", {-1 * (watts + s)}}, // kg, which has no unit here, per kWh
        {"storage_rate_per_byte", {-1 * s}},
        {"requests_per_second", {-1 * s, Counts::requests}},
        {"requests_per_second_and_worker", {-1 * s, Counts::requests}},
        {"largest_rate", {-1 * s, Counts::requests}},
        {"max_questions_per_second", {-1 * s, Counts::requests}},
        {"questions_per_second", {-1 * s, Counts::requests}},
        {"request_rate", {-1 * s, Counts::requests}},
        {"concurrency", {none, Counts::requests}},
        {"requests_in_flight", {none, Counts::requests}},
        {"requests_in_engine", {none, Counts::requests}},
    };
    const auto named = units.find(name);
    return named != units.end() ? named->second : units.at(dimension);
}

QString text(const Powers& powers) {
    constexpr std::array names{"s", "B", "FLOP", "$", "W"};
    QStringList parts;
    for (std::size_t i = 0; i < powers.size(); ++i)
        if (powers[i] != 0)
            parts.append(QStringLiteral("%1^%2").arg(QLatin1String(names[i])).arg(powers[i]));
    return parts.isEmpty() ? QStringLiteral("1") : parts.join(QLatin1Char(' '));
}

/// What is known of a number. A literal may be bytes per element or FLOP per operation: products with one may
/// be of one more byte and FLOP, quotients of one less.
struct Found {
    Unit unit{.counts = Counts::share};
    bool literal = false;            ///< nothing but literals: takes the unit of what it meets
    bool more = false, less = false; ///< has such a literal as a factor, or a divisor
};

/// Bytes per element and FLOP per operation are small; blocks of 32 elements share a byte of scale.
bool mayBeUnit(double literal) {
    return literal > 0 && literal <= 32 && 32 * literal == std::round(32 * literal);
}

/// Whether what was found may be called `said`.
bool agree(const Found& found, const Powers& said) {
    for (std::size_t i = 0; i < said.size(); ++i) {
        const bool countable = bytes[i] != 0 || flop[i] != 0;
        const double off = said[i] - found.unit.powers[i];
        if (off > (found.more && countable ? 1 : 0) || off < (found.less && countable ? -1 : 0))
            return false;
    }
    return true;
}

/// Whether one counts tokens where the other counts requests, or is a share.
bool differ(Counts a, Counts b) { return a != b && a != Counts::anything && b != Counts::anything; }

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
    static Unit declared(const TraceNode& node) { return unitOf(node.dimension, node.name); }

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

    /// A factor that leaves what a number counts as it is.
    static bool isPlain(const Found& factor) {
        return factor.literal || (factor.unit.counts == Counts::share && factor.unit.powers == none);
    }

    static Counts countsOfProduct(const Found& a, const Found& b) {
        const auto isTime = [](const Found& each) { return each.unit.powers == s; };
        return isPlain(b) || isTime(b)   ? a.unit.counts
               : isPlain(a) || isTime(a) ? b.unit.counts
                                         : Counts::anything;
    }

    static Counts countsOfQuotient(const Found& a, const Found& b) {
        return !a.literal && (isPlain(b) || b.unit.powers == s) ? a.unit.counts : Counts::anything;
    }

    Found computed(const TraceNode& node) {
        const Found left = found_[node.left], right = found_[node.right];
        const bool literal = left.literal && right.literal;
        const auto unit = [this](const Found& each, std::uint32_t n) {
            return each.literal && mayBeUnit(trace_[n].value);
        };
        const bool unitLeft = unit(left, node.left), unitRight = unit(right, node.right);
        switch (node.op) {
        case NodeOp::leaf:
            return node.name.empty() ? Found{.literal = true} : Found{.unit = declared(node)};
        case NodeOp::alias:
            return left;
        case NodeOp::multiply:
            return {{left.unit.powers + right.unit.powers, countsOfProduct(left, right)},
                    literal,
                    left.more || right.more || unitLeft || unitRight,
                    left.less || right.less};
        case NodeOp::divide:
            return {{left.unit.powers + -1 * right.unit.powers, countsOfQuotient(left, right)},
                    literal,
                    left.more || right.less || unitLeft,
                    left.less || right.more || unitRight};
        case NodeOp::squareRoot:
            return {{0.5 * left.unit.powers, Counts::anything}, left.literal, left.more, left.less};
        case NodeOp::power:
            needNumber(node.right, "exponent ");
            return {{trace_[node.right].value * left.unit.powers, Counts::anything},
                    left.literal,
                    left.more,
                    left.less};
        case NodeOp::exponential:
            needNumber(node.left, "exp of ");
            return {{none, Counts::anything}, left.literal};
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
                           text(found_[node].unit.powers));
    }

    /// Of a sum, a difference, a maximum: both are of one unit. Nothing is of every unit.
    Found same(const TraceNode& node, const Found& left, const Found& right) {
        const auto takes = [this](const Found& other, std::uint32_t n, const Found& one) {
            const bool fits =
                other.more || other.less || other.unit.powers == none || other.unit.powers == bytes;
            return trace_[n].value == 0 || (one.literal && fits);
        };
        if (takes(left, node.right, right))
            return left;
        if (takes(right, node.left, left))
            return right;
        if (differ(left.unit.counts, right.unit.counts)) {
            faults_.insert(QStringLiteral("%1 counts other things than %2: %3, %4")
                               .arg(nameOf(node.left), nameOf(node.right))
                               .arg(static_cast<int>(left.unit.counts))
                               .arg(static_cast<int>(right.unit.counts)));
        }
        const Counts counts = left.unit.counts == Counts::anything ? right.unit.counts : left.unit.counts;
        const auto counting = [counts](Found found) {
            found.unit.counts = counts;
            return found;
        };
        if (left.unit.powers == right.unit.powers)
            return {{left.unit.powers, counts}, false, left.more && right.more, left.less && right.less};
        if (agree(left, right.unit.powers))
            return counting(right);
        if (agree(right, left.unit.powers))
            return counting(left);
        faults_.insert(
            QStringLiteral("%1 in %2 beside %3 in %4")
                .arg(nameOf(node.left), text(left.unit.powers), nameOf(node.right), text(right.unit.powers)));
        return left;
    }

    Found afterName(const TraceNode& node, const Found& found) {
        if (node.name.empty() || node.op == NodeOp::leaf)
            return found;
        const Unit said = declared(node);
        const auto formula = [&] {
            return QStringLiteral("%1, %2").arg(node.left ? nameOf(node.left) : QString(),
                                                node.right ? nameOf(node.right) : QString());
        };
        if (!found.literal && node.value != 0 && !agree(found, said.powers))
            faults_.insert(QStringLiteral("%1 is said to be in %2, its formula gives %3: %4")
                               .arg(QString::fromStdString(node.name), text(said.powers),
                                    text(found.unit.powers), formula()));
        if (!found.literal && node.value != 0 && differ(found.unit.counts, said.counts))
            faults_.insert(QStringLiteral("%1 is said to count other things than its formula: %2, %3: %4")
                               .arg(QString::fromStdString(node.name))
                               .arg(static_cast<int>(said.counts))
                               .arg(static_cast<int>(found.unit.counts))
                               .arg(formula()));
        return {.unit = said};
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
        QTest::addColumn<QString>("set");
        for (const data::ShippedScenario& each : data::shippedScenarios())
            QTest::newRow(each.id.c_str()) << QString::fromStdString(each.id) << QString();
        // What no sample has: "FIELD=VALUE;..." as after --set.
        const auto changed = [](const char* name, const char* sample, const char* set) {
            QTest::newRow(name) << QString::fromLatin1(sample) << QString::fromLatin1(set);
        };
        constexpr auto dense = "llama-3.1-70b-64xp5.48xlarge", sparse = "deepseek-v3-256xp5en.48xlarge",
                       shards = "llama-3.1-8b-8xp5.48xlarge", tuned = "llama-3.1-70b-lora-1xp5.48xlarge",
                       serving = "serve-llama-3.1-70b-1xp5en.48xlarge";
        changed("gpipe", dense, "plan.virtual_pipeline=;plan.schedule=gpipe");
        changed("1f1b", dense, "plan.virtual_pipeline=;plan.schedule=1f1b");
        changed("zero bubble H1", dense, "plan.virtual_pipeline=;plan.schedule=zb-h1");
        changed("zero bubble V", dense, "plan.virtual_pipeline=;plan.schedule=zb-v");
        changed("DualPipe-V", sparse, "plan.schedule=dualpipe-v");
        for (const char* kind : {"ring", "all_gather", "ulysses"})
            changed(
                QByteArray("context ").append(kind).constData(), dense,
                QByteArray("plan.context_parallel=2;plan.context_parallel_kind=").append(kind).constData());
        changed("optimizer offload", dense, "plan.offload.optimizer=1");
        changed("activation offload", dense, "plan.offload.activations=0.5");
        changed("HSDP", shards, "plan.sharding=hsdp;plan.shard_size=8");
        changed("ZeRO-2", shards, "plan.sharding=zero2");
        changed("Muon", dense, "plan.optimizer=muon");
        changed("DPO", tuned, "workload.finetune.method=dpo;workload.finetune.example_tokens=900");
        changed("padded examples", tuned,
                "workload.finetune.example_tokens=900;workload.finetune.packed=false");
        changed("draft tokens", serving, "plan.speculative.draft_tokens=3;plan.speculative.acceptance=0.7");
        for (const char* tier : {"host", "nvme", "file_system"})
            changed(
                QByteArray("cache in ").append(tier).constData(), serving,
                QByteArray("workload.prefix_cache_hit=0.5;plan.kv_offload_bytes=1 TB;plan.kv_offload_tier=")
                    .append(tier)
                    .constData());
        changed("weights in host memory", serving, "plan.weights_offload=0.2");
    }

    void everyStepOfEverySample() {
        QFETCH(QString, sample);
        QFETCH(QString, set);
        const data::CatalogLoad load = data::loadShippedCatalog();
        ScenarioSpec spec = *data::readScenario(*data::shippedScenario(sample.toStdString())).spec;
        for (const QString& each : set.split(QLatin1Char(';'), Qt::SkipEmptyParts)) {
            const auto changed = withField(spec, each.section(QLatin1Char('='), 0, 0).toStdString(),
                                           each.section(QLatin1Char('='), 1).toStdString());
            QVERIFY2(changed, changed ? "" : changed.error().c_str());
            spec = *changed;
        }
        const auto scenario = resolve(spec, *load.catalog, load.catalog->defaultProfile);
        QVERIFY(scenario);
        for (const Problem& each : scenario->problems)
            QVERIFY2(each.severity != Severity::error, each.message.c_str());
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
