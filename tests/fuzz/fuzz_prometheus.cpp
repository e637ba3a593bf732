// SPDX-License-Identifier: GPL-3.0-or-later
// Any bytes as the reply of a Prometheus-compatible server: no crash, limits are kept, samples that are read
// fast are those that the JSON parser reads, what is refused says why, and nothing unprintable gets into a
// message.
#include "data/json/json.h"
#include "data/prometheus/list_reader.h"
#include "data/prometheus/matrix_reader.h"
#include "data/prometheus/reply_failure.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

using namespace alidade;
using namespace alidade::data;

namespace {

constexpr ReplyLimits limits{.series = 20, .values = 2000, .names = 30, .labelBytes = 40};

void require(bool holds) {
    if (!holds)
        std::abort();
}

bool printable(const std::string& text) {
    return std::ranges::all_of(text,
                               [](char c) { return static_cast<unsigned char>(c) >= 0x20 && c != 0x7f; });
}

struct Outcome {
    Matrix matrix;
    std::string error;
    ReplyEnvelope envelope;
};

Outcome readQuery(std::string_view text, QueryKind kind, const TimeGrid& grid, bool skim) {
    MatrixBuilder builder(grid, limits);
    auto envelope = readMatrix(text, kind, {0, grid.points}, limits, builder, skim);
    Outcome out{builder.take(), envelope.error(), {}};
    if (envelope)
        out.envelope = *std::move(envelope);
    return out;
}

bool same(const std::vector<double>& a, const std::vector<double>& b) {
    return a.size() == b.size() &&
           (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}

void checkQuery(std::string_view text, QueryKind kind, const TimeGrid& grid) {
    const Outcome fast = readQuery(text, kind, grid, true);
    const Outcome slow = readQuery(text, kind, grid, false);
    require(fast.error == slow.error && fast.matrix.series == slow.matrix.series);
    require(same(fast.matrix.values, slow.matrix.values) && fast.matrix.warnings == slow.matrix.warnings);
    require(fast.matrix.series.size() <= limits.series);
    require(fast.matrix.values.size() == fast.matrix.series.size() * grid.points);
    require(fast.matrix.values.size() <= limits.values);
    for (const Labels& labels : fast.matrix.series) {
        require(std::ranges::is_sorted(labels));
        for (const auto& [name, value] : labels)
            require(name.size() <= limits.labelBytes && value.size() <= limits.labelBytes);
    }
    require(printable(fast.error) && std::ranges::all_of(fast.matrix.warnings, printable));
    if (fast.error.empty()) {
        require(printable(failureOf(fast.envelope, 422).why) && !failureOf(fast.envelope, 422).why.empty());
        require(nlohmann::json::accept(text)); // the parser's own opinion, without any short cut
    } else {
        const HttpReply reply{.status = 200, .contentType = "text/html", .body = std::string(text)};
        require(printable(failureOf(reply, fast.error).why));
    }
}

template <class T>
void checkList(const Result<ListReply<T>>& list) {
    require(printable(list.error()) && list.error().empty() == bool(list));
    if (list)
        require(list->content.size() <= std::max(limits.names, limits.series));
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    constexpr double epoch = 1767225600;
    checkQuery(text, QueryKind::range, {.start = epoch, .step = 30, .points = 60});
    checkQuery(text, QueryKind::instant, {.start = epoch, .step = 1, .points = 1});
    checkList(readTexts(text, limits));
    checkList(readSeries(text, limits));
    checkList(readMetadata(text, limits));
    require(bool(readBuildInfo(text, limits)) == readBuildInfo(text, limits).error().empty());
    return 0;
}
