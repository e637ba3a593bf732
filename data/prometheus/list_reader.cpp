// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/prometheus/list_reader.h"

#include "data/prometheus/label_reader.h"
#include "model/base/text.h"

namespace alidade::data {

namespace {

/// What the sinks of lists have in common: how deep they are, and how much they keep.
class ListSink : public DataSink {
public:
    explicit ListSink(const ReplyLimits& limits)
        : longest_(limits.labelBytes)
        , most_(limits.names) {}

    bool begin(char bracket) override { return opens(bracket, depth_++) || refuseShape(); }
    bool end() override {
        --depth_;
        return closed();
    }
    Next key(std::string&) override { return Next::skip; }
    bool text(std::string&) override { return refuseShape(); }
    bool number(double) override { return refuseShape(); }
    bool null() override { return depth_ == 0 || refuseShape(); }

    void tell(ReplyEnvelope& envelope) const {
        if (leftOut_ > 0) {
            envelope.warnings.push_back(
                formatCount(static_cast<std::int64_t>(leftOut_)) + " of the list were left out: " +
                formatCount(static_cast<std::int64_t>(most_)) + " are read; choose a job or a shorter range");
        }
        if (cut_ > 0) {
            envelope.warnings.push_back(formatCount(static_cast<std::int64_t>(cut_)) +
                                        (cut_ == 1 ? " text was" : " texts were") + " cut off after " +
                                        formatCount(static_cast<std::int64_t>(longest_)) + " bytes");
        }
    }

protected:
    /// Whether this bracket may open at this depth.
    virtual bool opens(char bracket, int depth) = 0;
    virtual bool closed() { return true; }

    bool refuseShape() { return refuse("its data have another shape than in the Prometheus API"); }
    bool room(std::size_t used) {
        leftOut_ += used >= most_ ? 1 : 0;
        return used < most_;
    }
    std::string kept(std::string& text) {
        cut_ += cutOff(text, longest_) ? 1 : 0;
        return text;
    }

    std::size_t longest_;
    std::size_t most_;
    int depth_ = 0;
    std::size_t leftOut_ = 0;
    std::size_t cut_ = 0;
};

class TextSink final : public ListSink {
public:
    using ListSink::ListSink;
    bool text(std::string& value) override {
        if (depth_ != 1)
            return refuseShape();
        if (room(content.size()))
            content.push_back(kept(value));
        return true;
    }

    std::vector<std::string> content;

private:
    bool opens(char bracket, int depth) override { return bracket == '[' && depth == 0; }
};

class SeriesSink final : public ListSink {
public:
    explicit SeriesSink(const ReplyLimits& limits)
        : ListSink(limits)
        , labels_(limits.labelBytes) {
        most_ = limits.series;
    }
    Next key(std::string& name) override {
        labels_.name(name);
        return Next::take;
    }
    bool text(std::string& value) override {
        if (depth_ != 2)
            return refuseShape();
        labels_.value(value);
        return true;
    }

    std::vector<Labels> content;

private:
    bool opens(char bracket, int depth) override {
        labels_.clear();
        return depth == 0 ? bracket == '[' : depth == 1 && bracket == '{';
    }
    bool closed() override {
        if (depth_ != 1) {
            cut_ = labels_.cut();
            return true;
        }
        if (!labels_.finish())
            return refuse("a label occurs twice in one series");
        if (room(content.size()))
            content.push_back(labels_.take());
        return true;
    }

    LabelReader labels_;
};

class MetadataSink final : public ListSink {
public:
    using ListSink::ListSink;
    Next key(std::string& name) override {
        if (depth_ == 1) {
            entry_ = {};
            entry_.metric = kept(name);
            entries_ = 0;
            return Next::take;
        }
        field_ = entries_ > 1     ? nullptr
                 : name == "type" ? &entry_.type
                 : name == "help" ? &entry_.help
                 : name == "unit" ? &entry_.unit
                                  : nullptr;
        return field_ == nullptr ? Next::skip : Next::take;
    }
    bool text(std::string& value) override {
        if (depth_ != 3 || field_ == nullptr)
            return refuseShape();
        *field_ = kept(value);
        return true;
    }

    std::vector<MetricMetadata> content;

private:
    bool opens(char bracket, int depth) override {
        field_ = nullptr;
        entries_ += depth == 2 ? 1 : 0;
        return depth == 1 ? bracket == '[' : bracket == '{' && depth < 3;
    }
    bool closed() override {
        if (depth_ == 1 && entries_ > 0 && room(content.size()))
            content.push_back(std::move(entry_));
        return true;
    }

    MetricMetadata entry_;
    int entries_ = 0; ///< of the metric
    std::string* field_ = nullptr;
};

class BuildSink final : public ListSink {
public:
    using ListSink::ListSink;
    Next key(std::string& name) override {
        others_ = others_ || (name != "version" && name != "application");
        field_ = name == "version" ? &version_ : name == "application" ? &application_ : nullptr;
        return field_ == nullptr ? Next::skip : Next::take;
    }
    bool text(std::string& value) override {
        constexpr std::size_t longestName = 100;
        if (depth_ != 1 || field_ == nullptr)
            return refuseShape();
        *field_ = printableExcerpt(value, longestName);
        return true;
    }
    BuildInfo info() const {
        if (!application_.empty())
            return {application_, version_};
        if (version_.empty())
            return {"Prometheus-compatible server", {}};
        if (!others_) {
            return {"VictoriaMetrics",
                    {}}; // the version is the one of Prometheus that it wants to be taken for
        }
        return {version_.starts_with("0.") ? "Thanos" : "Prometheus", version_};
    }

private:
    bool opens(char bracket, int depth) override { return bracket == '{' && depth == 0; }

    std::string version_, application_;
    bool others_ = false; ///< there are further keys
    std::string* field_ = nullptr;
};

template <class Sink>
Result<ReplyEnvelope> readInto(std::string_view text, Sink& sink) {
    auto envelope = readReply(text, sink);
    if (!envelope)
        return envelope;
    ReplyEnvelope out = *std::move(envelope);
    sink.tell(out);
    return out;
}

template <class Sink>
auto readList(std::string_view text, const ReplyLimits& limits)
    -> Result<ListReply<decltype(Sink::content)>> {
    Sink sink(limits);
    auto envelope = readInto(text, sink);
    if (!envelope)
        return Error{envelope.error()};
    return ListReply<decltype(Sink::content)>{*std::move(envelope), std::move(sink.content)};
}

} // namespace

Result<ListReply<std::vector<std::string>>> readTexts(std::string_view text, const ReplyLimits& limits) {
    return readList<TextSink>(text, limits);
}

Result<ListReply<std::vector<Labels>>> readSeries(std::string_view text, const ReplyLimits& limits) {
    return readList<SeriesSink>(text, limits);
}

Result<ListReply<std::vector<MetricMetadata>>> readMetadata(std::string_view text,
                                                            const ReplyLimits& limits) {
    return readList<MetadataSink>(text, limits);
}

Result<ListReply<BuildInfo>> readBuildInfo(std::string_view text, const ReplyLimits& limits) {
    BuildSink sink(limits);
    auto envelope = readInto(text, sink);
    if (!envelope)
        return Error{envelope.error()};
    return ListReply<BuildInfo>{*std::move(envelope), sink.info()};
}

} // namespace alidade::data
