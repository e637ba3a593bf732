// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/prometheus/matrix_reader.h"

#include "data/prometheus/label_reader.h"
#include "data/prometheus/sample_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>

namespace alidade::data {

namespace {

/// The data of a query's reply: {"resultType": ..., "result": ...}.
class MatrixSink : public DataSink {
public:
    MatrixSink(QueryKind kind, const ReplyLimits& limits, MatrixBuilder& builder)
        : kind_(kind)
        , labels_(limits.labelBytes)
        , builder_(builder) {}

    bool begin(char bracket) override {
        const bool object = bracket == '{';
        switch (place()) {
        case Place::outside:
            return object ? enter(Place::data) : wrong("data");
        case Place::data:
            return !object && key_ == Key::result ? enter(Place::result) : wrong("data");
        case Place::result:
            return object && !scalar_ ? beginEntry() : wrong("result");
        case Place::entry:
            if (key_ == Key::metric && object)
                return enter(Place::metric);
            if (key_ == Key::value && !object)
                return beginSample();
            return key_ == Key::values && !object ? enter(Place::values) : wrong("a series");
        case Place::values:
            return object ? wrong("values") : beginSample();
        case Place::metric:
            return wrong("metric");
        case Place::sample:
            break;
        }
        return wrong("a sample");
    }

    bool end() override {
        const Place left = place();
        --depth_;
        if (left == Place::sample)
            return endSample();
        return left == Place::entry ? endEntry()
                                    : left != Place::metric || labels_.finish() || doubledLabel();
    }

    Next key(std::string& name) override {
        if (place() == Place::metric) {
            labels_.name(name);
            return Next::take;
        }
        const bool entry = place() == Place::entry;
        const std::span<const NamedKey> known =
            entry ? std::span<const NamedKey>(entryKeys) : std::span<const NamedKey>(dataKeys);
        const auto found = std::ranges::find(known, std::string_view(name), &NamedKey::first);
        if (found == known.end())
            return Next::skip;
        key_ = found->second;
        unsigned& seen = entry ? seenOfEntry_ : seenOfData_;
        const auto bit = 1U << static_cast<unsigned>(key_);
        if ((seen & bit) != 0) {
            refuse("the key \"" + name + "\" occurs twice");
            return Next::refuse;
        }
        seen |= bit;
        return key_ == Key::histogram || key_ == Key::histograms ? Next::skip : Next::take;
    }

    bool text(std::string& value) override {
        switch (place()) {
        case Place::metric:
            labels_.value(value);
            return true;
        case Place::sample:
            return sampleText(value);
        case Place::result:
            return scalarText(value);
        case Place::data:
            if (key_ == Key::resultType) {
                resultType_ = value;
                return true;
            }
            return wrong("data");
        case Place::outside:
        case Place::entry:
        case Place::values:
            break;
        }
        return wrong("a series");
    }

    bool number(double value) override {
        switch (place()) {
        case Place::sample:
            return field_ == 0 ? sampleTime(value) : sampleNumber(value);
        case Place::result: // a scalar is [time, "value"]
            scalar_ = true;
            return seenSeries_ || field_ != 0 ? wrong("result") : sampleTime(value);
        case Place::outside:
        case Place::data:
        case Place::entry:
        case Place::metric:
        case Place::values:
            break;
        }
        return wrong("data");
    }

    bool null() override {
        switch (place()) {
        case Place::outside: // no data
        case Place::data:    // "result": null is an empty one
        case Place::entry:
            return true;
        case Place::sample:
            return field_ == 1 ? sampleNumber(std::numeric_limits<double>::quiet_NaN()) : wrong("a sample");
        case Place::result:
        case Place::metric:
        case Place::values:
            break;
        }
        return wrong("result");
    }

    std::size_t skim(std::string_view rest) override {
        if (place() != Place::entry || key_ != Key::values)
            return 0;
        return skimSamples(rest, [this](std::int64_t time, double value) { builder_.sample(time, value); });
    }

    /// After the whole reply.
    bool finish() {
        if (scalar_ && field_ != 2)
            return refuse("a scalar without its value");
        if (kind_ == QueryKind::range && (scalar_ || seenValue_)) {
            return refuse(
                "the server answered a range query with values of one time (" +
                (resultType_.empty() ? std::string("no result type") : printableExcerpt(resultType_, 40)) +
                ")");
        }
        if (kind_ == QueryKind::instant && seenValues_) {
            return refuse("the expression is a range vector; put a function over it, such as "
                          "last_over_time(...), or ask for a range");
        }
        if (!scalar_)
            return true;
        builder_.beginSeries();
        if (resultType_ == "string")
            builder_.setText(scalarText_);
        else if (const auto value = sampleValue(scalarText_))
            builder_.sample(time_, *value);
        else
            builder_.unreadable();
        builder_.endSeries({});
        return true;
    }

    bool hasData() const { return seenOfData_ != 0; }
    std::size_t labelsCut() const { return labels_.cut(); }

private:
    enum class Place : std::uint8_t { outside, data, result, entry, metric, values, sample };
    enum class Key : std::uint8_t { none, resultType, result, metric, value, values, histogram, histograms };
    using NamedKey = std::pair<std::string_view, Key>;
    static constexpr std::array dataKeys{NamedKey{"resultType", Key::resultType},
                                         NamedKey{"result", Key::result}};
    static constexpr std::array entryKeys{
        NamedKey{"metric", Key::metric}, NamedKey{"value", Key::value}, NamedKey{"values", Key::values},
        NamedKey{"histogram", Key::histogram}, NamedKey{"histograms", Key::histograms}};

    Place place() const { return depth_ == 0 ? Place::outside : places_[depth_ - 1]; }
    bool enter(Place place) {
        places_[depth_++] = place; // no deeper than data, result, entry, values, sample
        return true;
    }
    bool wrong(std::string_view what) {
        return refuse("\"" + std::string(what) + "\" has another shape than in the Prometheus API");
    }
    bool doubledLabel() { return refuse("a label occurs twice in one series"); }
    bool has(Key key) const { return (seenOfEntry_ & (1U << static_cast<unsigned>(key))) != 0; }

    bool beginEntry() {
        seenSeries_ = true;
        seenOfEntry_ = 0;
        labels_.clear();
        builder_.beginSeries();
        return enter(Place::entry);
    }
    bool endEntry() {
        seenValue_ = seenValue_ || has(Key::value);
        seenValues_ = seenValues_ || has(Key::values);
        if (has(Key::histogram) || has(Key::histograms)) {
            builder_.nativeHistogram(labels_.labels());
            if (!has(Key::value) && !has(Key::values))
                return true;
        }
        builder_.endSeries(labels_.take());
        return true;
    }

    bool beginSample() {
        field_ = 0;
        return enter(Place::sample);
    }
    bool sampleTime(double seconds) {
        constexpr double farthest = 1e12;
        if (!(std::abs(seconds) < farthest))
            return refuse("a time of " + std::to_string(seconds) + " s");
        time_ = std::llround(seconds * 1000);
        field_ = 1;
        return true;
    }
    bool sampleNumber(double value) {
        value_ = value;
        return ++field_ == 2 || wrong("a sample");
    }
    bool sampleText(const std::string& text) {
        if (field_ != 1)
            return wrong("a sample");
        const auto value = sampleValue(text);
        if (!value)
            builder_.unreadable();
        return sampleNumber(value.value_or(std::numeric_limits<double>::quiet_NaN()));
    }
    bool endSample() {
        if (field_ != 2)
            return wrong("a sample");
        builder_.sample(time_, value_);
        return true;
    }
    bool scalarText(const std::string& text) {
        constexpr std::size_t longestText = 4096;
        if (!scalar_ || field_ != 1)
            return wrong("result");
        scalarText_ = printableExcerpt(text, longestText);
        field_ = 2;
        return true;
    }

    QueryKind kind_;
    LabelReader labels_;
    MatrixBuilder& builder_;
    std::array<Place, 8> places_{};
    std::size_t depth_ = 0;
    Key key_ = Key::none;
    unsigned seenOfData_ = 0, seenOfEntry_ = 0; ///< bits of keys
    bool seenSeries_ = false, seenValue_ = false, seenValues_ = false;
    bool scalar_ = false;
    int field_ = 0; ///< of the sample: 0 its time is next, 1 its value, 2 nothing
    std::int64_t time_ = 0;
    double value_ = 0;
    std::string resultType_, scalarText_;
};

} // namespace

Result<ReplyEnvelope> readMatrix(std::string_view text, QueryKind kind, const GridPart& part,
                                 const ReplyLimits& limits, MatrixBuilder& builder, bool skim) {
    if (kind == QueryKind::instant)
        builder.beginInstant();
    else
        builder.beginPart(part);
    MatrixSink sink(kind, limits, builder);
    auto envelope = readReply(text, sink, skim);
    if (!envelope || envelope->status == "error" || envelope->status.empty())
        return envelope;
    if (!sink.hasData())
        return Error{"it has no data"};
    if (!sink.finish())
        return Error{sink.refusal};
    for (std::size_t i = 0; i < sink.labelsCut(); ++i)
        builder.labelCut();
    if (envelope->partial)
        builder.setPartial();
    return envelope;
}

} // namespace alidade::data
