// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/schedule/critical_path.h"

#include "model/schedule/critical_path_h1.h"
#include "model/schedule/critical_path_interleaved.h"
#include "model/schedule/critical_path_v.h"
#include "model/schedule/critical_path_zbv.h"
#include "model/schedule/pipeline_idle.h"

#include <cassert>

namespace alidade {

namespace {

/// A sum of stage times that counts how often it contains each of them.
class Counted {
public:
    Counted(double value = 0)
        : value_(value) {}
    Counted(double value, std::size_t which, std::size_t of)
        : value_(value)
        , times_(of) {
        times_[which] = 1;
    }

    friend Counted operator+(Counted a, const Counted& b) {
        a.value_ += b.value_;
        a.times_.resize(std::max(a.times_.size(), b.times_.size()));
        for (std::size_t i = 0; i < b.times_.size(); ++i)
            a.times_[i] += b.times_[i];
        return a;
    }
    friend Counted operator*(double factor, Counted a) {
        a.value_ *= factor;
        for (double& times : a.times_)
            times *= factor;
        return a;
    }
    friend Counted operator-(const Counted& a) { return -1.0 * a; }
    friend Counted operator-(const Counted& a, const Counted& b) { return a + -b; }
    friend bool operator>(const Counted& a, const Counted& b) { return a.value_ > b.value_; }
    friend Counted max(const Counted& a, const Counted& b) { return a.value_ < b.value_ ? b : a; }

    double times(std::size_t which) const { return which < times_.size() ? times_[which] : 0; }

private:
    double value_ = 0;
    std::vector<double> times_;
};

template <class N>
N longestChain(const PipelineTimes<N>& times) {
    const critical::Pipeline<N> pipeline(times);
    switch (times.schedule) {
    case PipelineSchedule::gpipe:
        return critical::gpipe(pipeline);
    case PipelineSchedule::oneForwardOneBackward:
        return critical::oneForwardOneBackward(pipeline);
    case PipelineSchedule::interleaved:
        return critical::interleaved(pipeline);
    case PipelineSchedule::zeroBubbleH1:
        return critical::zeroBubbleH1(pipeline);
    case PipelineSchedule::zeroBubbleV:
        return critical::ZeroBubbleV(pipeline).longest();
    case PipelineSchedule::dualPipe:
        return critical::dualPipe(pipeline, true);
    case PipelineSchedule::dualPipeV:
        return critical::dualPipe(pipeline, false);
    case PipelineSchedule::zeroBubbleH2:
        break;
    }
    return 0;
}

template <class Times>
CriticalPaths bothChains(const PipelineTimes<double>& pipeline) {
    using critical::BothChains;
    const critical::Pipeline<BothChains, double, Times> in(pipeline, {0, pipeline.transfer});
    const BothChains both = critical::interleaved(in);
    return {both.without(), both.with()};
}

} // namespace

double criticalPath(const PipelineTimes<double>& pipeline) {
    assert(pipeline.stages <= mostPipelineStages && pipeline.microbatches >= 1);
    return longestChain(pipeline);
}

CriticalPaths criticalPaths(const PipelineTimes<double>& pipeline) {
    assert(pipeline.stages <= mostPipelineStages && pipeline.microbatches >= 1);
    if (pipeline.schedule == PipelineSchedule::interleaved) {
        const bool direct = pipeline.times.size() > static_cast<std::size_t>(pipeline.stages);
        return direct ? bothChains<DirectTimes<double>>(pipeline)
                      : bothChains<VirtualTimes<double>>(pipeline);
    }
    PipelineTimes<double> without = pipeline;
    without.transfer = 0;
    const double path = longestChain(without);
    return {path, pipeline.transfer > 0 ? longestChain(pipeline) : path};
}

std::vector<PathShare> criticalPathShares(const PipelineTimes<double>& pipeline) {
    const std::size_t entries = pipeline.times.size();
    std::vector<StageSeconds<Counted>> counted;
    for (std::size_t k = 0; k < entries; ++k) {
        const StageSeconds<double>& t = pipeline.times[k];
        counted.push_back({Counted(t.forward, 3 * k, 3 * entries),
                           Counted(t.backwardInput, 3 * k + 1, 3 * entries),
                           Counted(t.backwardWeight, 3 * k + 2, 3 * entries)});
    }
    const Counted chain =
        longestChain(PipelineTimes<Counted>{pipeline.schedule, pipeline.stages, pipeline.microbatches,
                                            pipeline.chunks, counted, pipeline.transfer, pipeline.combined});
    std::vector<PathShare> out;
    for (std::size_t k = 0; k < entries; ++k)
        out.push_back({chain.times(3 * k), chain.times(3 * k + 1), chain.times(3 * k + 2)});
    return out;
}

BusiestDevice busiestDevice(const PipelineTimes<double>& pipeline) {
    std::array<double, mostPipelineStages> work;
    std::fill_n(work.begin(), pipeline.stages, 0.0);
    const double microbatches = microbatchesPerStage(pipeline);
    const auto stages = static_cast<std::size_t>(pipeline.stages);
    for (std::size_t first = 0; first < pipeline.times.size(); first += stages) { // chunk by chunk
        const bool up = pipelineDevice(pipeline.schedule, pipeline.stages, static_cast<int>(first)) != 0;
        const std::size_t last = std::min(stages, pipeline.times.size() - first);
        for (std::size_t i = 0; i < last; ++i) {
            const std::size_t device = up ? stages - 1 - i : i;
            const double seconds = microbatches * pipeline.times[first + i].total();
            work[device] += seconds;
            if (pipeline.schedule == PipelineSchedule::dualPipe)
                work[stages - 1 - device] += seconds;
        }
    }
    const auto* most = std::max_element(work.begin(), work.begin() + pipeline.stages);
    return {static_cast<int>(most - work.begin()), *most};
}

} // namespace alidade
