// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/observation/snapshot.h"

#include "data/json/gate.h"
#include "data/json/json.h"
#include "data/json/reader.h"
#include "data/json/writer.h"

#include <QByteArray>
#include <QCryptographicHash>
#include <QDataStream>
#include <QIODevice>

#include <bit>
#include <cmath>
#include <cstring>
#include <optional>

namespace alidade::data {

namespace {

// A body is: magic with the format's number, SHA-256 of the rest, the rest. The rest is a QDataStream: head,
// then table by table the rows' names and the values. Values are packed as the exclusive or of neighbors in
// time, all first bytes before all second ones: what does not change is nothing, and zlib does the rest.

constexpr std::string_view snapshotMagic = "ALIDOBS";
constexpr char snapshotFormat = '1';
constexpr std::size_t hashBytes = 32;
constexpr std::size_t snapshotHead = snapshotMagic.size() + 1 + hashBytes;
constexpr qint32 mostTables = 10'000;
constexpr quint32 mostTexts = 2'000'000;
constexpr int statisticCount = static_cast<int>(Statistic::p99) + 1;

QByteArray snapshotText(std::string_view text) { return {text.data(), static_cast<qsizetype>(text.size())}; }

void putText(QDataStream& stream, const std::string& text) { stream << snapshotText(text); }

std::string takeText(QDataStream& stream) {
    QByteArray text;
    stream >> text;
    return text.toStdString();
}

void putTexts(QDataStream& stream, const std::vector<std::string>& texts) {
    stream << static_cast<quint32>(texts.size());
    for (const std::string& each : texts)
        putText(stream, each);
}

QByteArray packValues(const std::vector<double>& values, std::size_t points) {
    const std::size_t count = values.size();
    QByteArray planes(static_cast<qsizetype>(count * sizeof(double)), '\0');
    char* const out = planes.data();
    std::uint64_t before = 0;
    for (std::size_t i = 0; i < count; ++i) {
        if (points == 0 || i % points == 0)
            before = 0;
        const auto bits = std::bit_cast<std::uint64_t>(values[i]);
        const std::uint64_t change = bits ^ before;
        before = bits;
        for (std::size_t plane = 0; plane < sizeof(double); ++plane)
            out[plane * count + i] = static_cast<char>(change >> (8 * plane) & 0xff);
    }
    return qCompress(planes, 6);
}

/// nullopt: it does not hold that many.
std::optional<std::vector<double>> unpackValues(const QByteArray& packed, std::size_t count,
                                                std::size_t points) {
    // The size that it says of itself comes first: nothing larger is ever made.
    const std::size_t size = count * sizeof(double);
    if (packed.size() < 4)
        return std::nullopt;
    std::size_t said = 0;
    for (int i = 0; i < 4; ++i)
        said = said << 8 | static_cast<unsigned char>(packed[i]);
    if (said != size)
        return std::nullopt;
    const QByteArray planes = size == 0 ? QByteArray() : qUncompress(packed);
    if (static_cast<std::size_t>(planes.size()) != size)
        return std::nullopt;
    std::vector<double> values(count);
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < count; ++i) {
        if (i % points == 0)
            bits = 0;
        std::uint64_t change = 0;
        for (std::size_t plane = 0; plane < sizeof(double); ++plane) {
            change |= static_cast<std::uint64_t>(
                          static_cast<unsigned char>(planes[static_cast<qsizetype>(plane * count + i)]))
                      << (8 * plane);
        }
        bits ^= change;
        values[i] = std::bit_cast<double>(bits);
    }
    return values;
}

int seriesOf(const Observation& observation) {
    std::size_t count = 0;
    for (const SignalTable& each : observation.tables)
        count += each.rows.size();
    return static_cast<int>(count);
}

/// Reads the rest of a body; what is wrong is said once.
class BodyReader {
public:
    explicit BodyReader(const QByteArray& rest)
        : stream_(rest) {
        stream_.setVersion(QDataStream::Qt_6_4);
    }

    Result<Observation> read() {
        Observation out;
        out.server = takeText(stream_);
        out.job = takeText(stream_);
        double newest = 0;
        quint64 points = 0;
        stream_ >> out.grid.start >> out.grid.step >> points >> newest;
        out.grid.points = static_cast<std::size_t>(points);
        out.newest = newest;
        if (!fine())
            return broken("its head");
        if (!(out.grid.step > 0) || !std::isfinite(out.grid.start) || points > mostSnapshotValues)
            return Error{"the snapshot's times are inconsistent; another program wrote it"};
        if (!takeTexts(out.hosts) || !takeTexts(out.warnings))
            return broken("its hosts");
        quint32 missing = 0;
        stream_ >> missing;
        for (quint32 i = 0; i < missing && fine(); ++i) {
            const std::string id = takeText(stream_);
            const std::string why = takeText(stream_);
            // A signal that this version does not know cannot be asked for either.
            if (const auto signal = signalOf(id))
                out.missing.push_back({*signal, why});
        }
        qint32 tables = 0;
        stream_ >> tables;
        if (!fine() || tables < 0 || tables > mostTables)
            return broken("the number of its tables");
        for (qint32 i = 0; i < tables; ++i)
            if (const std::string wrong = readTable(out); !wrong.empty())
                return broken("table " + std::to_string(i + 1) + ", " + wrong);
        return out;
    }

private:
    bool fine() const { return stream_.status() == QDataStream::Ok; }

    static Error broken(const std::string& where) {
        return Error{"the snapshot cannot be read at " + where +
                     "; it is damaged or was written by another program"};
    }

    bool takeTexts(std::vector<std::string>& texts) {
        quint32 count = 0;
        stream_ >> count;
        if (!fine() || count > mostTexts)
            return false;
        for (quint32 i = 0; i < count && fine(); ++i)
            texts.push_back(takeText(stream_));
        return fine();
    }

    /// \returns what is wrong; empty: nothing
    std::string readTable(Observation& out) {
        const std::string id = takeText(stream_);
        quint8 statistic = 0;
        SignalTable table;
        stream_ >> statistic;
        table.metric = takeText(stream_);
        table.expression = takeText(stream_);
        stream_ >> table.bucketWidth;
        quint32 rows = 0;
        stream_ >> rows;
        if (!fine() || rows > mostTexts || statistic >= statisticCount)
            return "its head";
        for (quint32 i = 0; i < rows && fine(); ++i) {
            Entity row;
            row.host = takeText(stream_);
            qint32 gpu = -1;
            stream_ >> gpu;
            row.gpu = gpu;
            row.part = takeText(stream_);
            table.rows.push_back(std::move(row));
        }
        QByteArray packed;
        stream_ >> packed;
        values_ += static_cast<std::size_t>(rows) * out.grid.points;
        if (!fine() || values_ > mostSnapshotValues)
            return fine() ? "more values than are read" : "its rows";
        auto values = unpackValues(packed, static_cast<std::size_t>(rows) * out.grid.points, out.grid.points);
        if (!values)
            return "its values";
        table.values = *std::move(values);
        table.statistic = static_cast<Statistic>(statistic);
        if (const auto signal = signalOf(id)) {
            table.signal = *signal;
            out.tables.push_back(std::move(table));
        } else {
            out.warnings.push_back("the snapshot has '" + id + "', which this version does not know");
        }
        return {};
    }

    QDataStream stream_;
    std::size_t values_ = 0;
};

} // namespace

PackedSnapshot packSnapshot(const Observation& observation) {
    const TimeGrid& grid = observation.grid;
    JsonWriter json;
    json.beginObject({});
    json.integer("alidade", 1);
    json.text("server", observation.server);
    json.text("job", observation.job);
    json.number("start_s", grid.start);
    json.number("step_s", grid.step);
    json.integer("points", static_cast<std::int64_t>(grid.points));
    json.integer("hosts", static_cast<std::int64_t>(observation.hosts.size()));
    json.integer("series", seriesOf(observation));
    json.endObject();

    QByteArray rest;
    QDataStream stream(&rest, QIODevice::WriteOnly);
    stream.setVersion(QDataStream::Qt_6_4);
    putText(stream, observation.server);
    putText(stream, observation.job);
    stream << grid.start << grid.step << static_cast<quint64>(grid.points) << observation.newest;
    putTexts(stream, observation.hosts);
    putTexts(stream, observation.warnings);
    stream << static_cast<quint32>(observation.missing.size());
    for (const MissingSignal& each : observation.missing) {
        putText(stream, std::string(signalInfo(each.signal).id));
        putText(stream, each.why);
    }
    stream << static_cast<qint32>(observation.tables.size());
    for (const SignalTable& table : observation.tables) {
        putText(stream, std::string(signalInfo(table.signal).id));
        stream << static_cast<quint8>(table.statistic);
        putText(stream, table.metric);
        putText(stream, table.expression);
        stream << table.bucketWidth << static_cast<quint32>(table.rows.size());
        for (const Entity& row : table.rows) {
            putText(stream, row.host);
            stream << static_cast<qint32>(row.gpu);
            putText(stream, row.part);
        }
        stream << packValues(table.values, grid.points);
    }
    const QByteArray hash = QCryptographicHash::hash(rest, QCryptographicHash::Sha256);
    std::string body(snapshotMagic);
    body += snapshotFormat;
    body.append(hash.constData(), static_cast<std::size_t>(hash.size()));
    body.append(rest.constData(), static_cast<std::size_t>(rest.size()));
    return {json.take(), std::move(body)};
}

bool looksLikeSnapshot(std::string_view content) { return content.starts_with(snapshotMagic); }

Result<Observation> unpackSnapshot(std::string_view body) {
    if (!looksLikeSnapshot(body)) {
        return Error{"this is not a snapshot of a cluster; choose a file that 'Save the Current View to a "
                     "File…' has written"};
    }
    if (body.size() <= snapshotMagic.size() || body[snapshotMagic.size()] != snapshotFormat) {
        return Error{"the snapshot has a format that this version does not know; open it with the version "
                     "that wrote it"};
    }
    if (body.size() > mostSnapshotBytes) {
        return Error{"the snapshot is larger than " + std::to_string(mostSnapshotBytes >> 20) +
                     " MiB; keep a shorter time or fewer signals"};
    }
    if (body.size() < snapshotHead)
        return Error{"the snapshot ends within its head; copy it again from where it came from"};
    const QByteArray rest = snapshotText(body.substr(snapshotHead));
    if (QCryptographicHash::hash(rest, QCryptographicHash::Sha256) !=
        snapshotText(body.substr(snapshotMagic.size() + 1, hashBytes))) {
        return Error{"the snapshot is cut off or was changed: its checksum does not fit; copy it again from "
                     "where it came from"};
    }
    return BodyReader(rest).read();
}

Result<SnapshotSummary> readSnapshotSummary(std::string_view json) {
    const Result<nlohmann::json> document = parseJson(json);
    if (!document)
        return Error{document.error()};
    std::vector<JsonFault> faults;
    ObjectReader in(*document, {}, faults);
    in.require({"alidade", "start_s", "step_s", "points"});
    in.integer("alidade", 1, 1);
    SnapshotSummary out;
    out.server = in.text("server").value_or(std::string());
    out.job = in.text("job").value_or(std::string());
    out.grid.start = in.number("start_s").value_or(0);
    out.grid.step = in.number("step_s", {1e-3, 1e9, "s"}).value_or(1);
    out.grid.points =
        static_cast<std::size_t>(in.integer("points", 0, static_cast<int>(mostSnapshotValues)).value_or(0));
    out.hosts = in.integer("hosts", 0, 10'000'000).value_or(0);
    out.series = in.integer("series", 0, 100'000'000).value_or(0);
    in.finish();
    if (!faults.empty())
        return Error{text("snapshot", faults.front())};
    return out;
}

} // namespace alidade::data
