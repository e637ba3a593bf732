// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/serving/engine_simulation.h"

#include "model/base/random.h"
#include "model/explain/normal.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace alidade {

namespace {

constexpr double longest = 1e8; // tokens; keeps counts in range

/// The longest context that fits into the KV cache.
double longestContext(const EngineLimits& limits) {
    double low = 0, high = longest;
    while (high - low > 1) {
        const double middle = std::floor((low + high) / 2);
        (limits.memory.bytesAt(middle) <= limits.kvBytes ? low : high) = middle;
    }
    return low;
}

/// Users beyond those that the engine can hold only lengthen the queue, by their number over the throughput;
/// so many of them are played and the rest is added in the end.
double mostPlayed(const RequestLoad& load, const EngineLimits& limits) {
    const double held = std::min(
        limits.maxSequences, 1 + limits.kvBytes / std::max(1e-300, limits.memory.bytesAt(load.inputTokens)));
    return std::max(64.0, 4 * held);
}

} // namespace

EngineSimulation::EngineSimulation(const RequestLoad& load, const EngineLimits& limits,
                                   const SimulationOptions& options)
    : load_(load)
    , limits_(limits)
    , options_(options)
    , lengths_(options.seed)
    , arrivals_(options.seed ^ goldenIncrement) {
    longest_ = longestContext(limits);
    if (longest_ < 2) {
        out_.state.stable = false; // not one token fits
        return;
    }
    const auto measured = static_cast<std::size_t>(std::max(0, options.requests));
    const std::size_t before = static_cast<std::size_t>(std::max(0, options.warmUp)),
                      open = measured / 8 + 64;
    requests_.reserve(before + measured + open); // a few more come before the last measured one is done
    for (std::vector<double>* each : {&out_.ttft, &out_.tpot, &out_.e2e})
        each->reserve(measured);
    if (load.concurrency > 0) {
        const double most = std::ceil(mostPlayed(load, limits));
        load_.concurrency = std::min(std::ceil(std::max(load.concurrency, load.together)), most);
        left_ = std::max(0.0, load.concurrency - most);
        share_ = std::min(1.0, load.concurrency / load_.concurrency);
        const int users = static_cast<int>(load_.concurrency);
        options_.warmUp = std::max(options_.warmUp, 4 * users);
        // Users in step send their requests in waves: part of one would count for too much or too little.
        options_.requests = (options_.requests + users - 1) / users * users;
        for (int i = 0; i < users; ++i)
            send(0);
    } else {
        drawArrival();
    }
}

EngineSimulation::EngineSimulation(const EngineLimits& limits, double hour)
    : recorded_(true)
    , hour_(hour)
    , limits_(limits) {
    options_.warmUp = 0;
    options_.requests = std::numeric_limits<int>::max();
    windowStart_ = 0;
    nextArrival_ = std::numeric_limits<double>::infinity();
    longest_ = longestContext(limits);
    out_.state.stable = longest_ >= 2;
}

void EngineSimulation::send(const RecordedRequest& recorded) {
    Request r;
    r.sent = recorded.time;
    r.input = std::min(recorded.input, static_cast<int>(longest_) - 1);
    r.output = std::min(recorded.output, static_cast<int>(longest_) - r.input);
    r.cached = std::min(recorded.cached, r.input - 1);
    r.prefillLeft = limits_.prefills ? r.input - r.cached : 0;
    arriving_.push_back(static_cast<int>(requests_.size()));
    requests_.push_back(r);
    ++out_.requestsIn;
}

int EngineSimulation::tokensOf(double mean, double cv) {
    if (cv <= 0)
        return static_cast<int>(std::clamp(std::round(mean), 1.0, longest));
    const double variance = std::log1p(cv * cv);
    const double value =
        mean * std::exp(std::sqrt(variance) * normalQuantile(uniformOf(lengths_())) - variance / 2);
    return static_cast<int>(std::clamp(std::round(value), 1.0, longest));
}

void EngineSimulation::drawArrival() {
    if (--ofQuestion_ > 0) // comes with the one before
        return;
    ofQuestion_ = static_cast<int>(load_.samples);
    const double mean = load_.samples / load_.requestsPerSecond;
    const double cv = load_.arrivalCv / std::sqrt(load_.samples);
    if (cv <= 0)
        nextArrival_ += mean;
    else if (cv == 1)
        nextArrival_ -= mean * std::log(uniformOf(arrivals_()));
    else
        nextArrival_ += std::gamma_distribution<double>(1 / (cv * cv), mean * cv * cv)(arrivals_);
}

void EngineSimulation::send(double when) {
    Request r;
    r.sent = when;
    // A request longer than the cache is cut: the answer first, as a limit on the length of sequences does.
    r.input = std::min(tokensOf(load_.inputTokens, load_.inputCv), static_cast<int>(longest_) - 1);
    const double spread = load_.concurrency > 0 ? load_.outputCvInLoop() : load_.outputCv;
    r.output = std::min(tokensOf(load_.outputTokens, spread), static_cast<int>(longest_) - r.input);
    r.cached = std::min(r.input - 1, static_cast<int>(std::lround(load_.cachedShare * r.input)));
    r.prefillLeft = limits_.prefills ? r.input - r.cached : 0;
    const int index = static_cast<int>(requests_.size());
    requests_.push_back(r);
    arriving_.push_back(index);
    ++out_.requestsIn;
    if (index == options_.warmUp) {
        windowStart_ = when;
        queuedAtStart_ = waiting_.size();
    }
    if (index == options_.warmUp + options_.requests) {
        windowEnd_ = when;
        queuedAtEnd_ = waiting_.size();
    }
}

void EngineSimulation::arriveUntil(double time) {
    if (load_.concurrency <= 0 && !recorded_) {
        while (nextArrival_ <= time) {
            send(nextArrival_);
            drawArrival();
        }
    }
    while (!arriving_.empty() &&
           requests_[static_cast<std::size_t>(arriving_.front())].sent + limits_.requestOverhead <= time) {
        waiting_.push_back(arriving_.front());
        arriving_.pop_front();
    }
}

bool EngineSimulation::measured(int request) const {
    return request >= options_.warmUp && request < options_.warmUp + options_.requests;
}

/// Tokens of a sequence of which the KV cache is kept now.
double EngineSimulation::contextOf(const Request& r) const {
    return r.decoding ? r.context + limits_.tokensPerStep * static_cast<double>(decodeSteps_ - r.joined)
                      : r.context;
}

double EngineSimulation::bytesWhenDone(const Request& r) const {
    return limits_.memory.bytesAt(r.input + (limits_.decodes ? r.output : 1) + limits_.tokensPerStep);
}

/// Bytes that a running sequence holds after the next decode step.
double EngineSimulation::bytesOf(const Request& r) const {
    return limits_.memory.bytesAt(
        std::min(contextOf(r) + (r.decoding ? limits_.tokensPerStep : 0), longest_));
}

/// Of all running sequences. Counted once a step, since each sequence that joins or leaves is added or taken
/// off.
double EngineSimulation::bytesInUse() {
    if (usedAt_ != decodeSteps_) {
        used_ = 0;
        for (const int i : running_)
            used_ += bytesOf(request(i));
        usedAt_ = decodeSteps_;
    }
    return used_;
}

/// Room for the prompt and the first token, alongside what the running sequences hold.
bool EngineSimulation::admitOne() {
    Request& r = request(waiting_.front());
    if (static_cast<double>(running_.size()) + 1 > limits_.maxSequences)
        return false;
    const double needed = bytesWhenDone(r);
    const int context = r.input + r.made + (r.made == 0 ? 1 : 0);
    if (reserved_ + needed > limits_.kvBytes && !running_.empty()) {
        const std::pair asked(waiting_.front(), context);
        if (limits_.reserves || refused_ == asked)
            return false;
        if (bytesInUse() + limits_.memory.bytesAt(context) > limits_.kvBytes) {
            refused_ = asked;
            return false;
        }
    }
    r.place = static_cast<int>(running_.size());
    running_.push_back(waiting_.front());
    order_.emplace_back(waiting_.front(), ++r.turn);
    r.context = context;
    reserved_ += needed;
    used_ += bytesOf(r);
    roomUntil_ = 0;
    if (r.turn == 1)
        r.admitted = now_;
    if (r.prefillLeft > 0) {
        prefilling_.push_back(waiting_.front());
    } else {
        r.made = 1; // of the prefill pool
        r.firstToken = r.lastToken = now_;
        join(waiting_.front());
    }
    waiting_.pop_front();
    return true;
}

void EngineSimulation::admit() {
    while (!waiting_.empty() && !preempted_ && admitOne()) {
    }
}

void EngineSimulation::leaveBatch(Request& r) {
    used_ -= bytesOf(r);
    if (r.decoding) {
        contextBase_ -= r.context - limits_.tokensPerStep * static_cast<double>(r.joined);
        --decoding_;
        r.decoding = false;
    }
    const int last = running_.back();
    running_[static_cast<std::size_t>(r.place)] = last;
    request(last).place = r.place;
    running_.pop_back();
    refused_ = {-1, 0};
    r.place = -1;
    reserved_ = running_.empty() ? 0 : reserved_ - bytesWhenDone(r);
}

/// The youngest sequence gives up its cache and waits in front, to be computed again with its answer so far.
void EngineSimulation::preemptYoungest() {
    while (request(order_.back().first).place < 0 ||
           request(order_.back().first).turn != order_.back().second) {
        order_.pop_back();
    }
    const int index = order_.back().first;
    order_.pop_back();
    Request& r = request(index);
    if (r.decoding) {
        const auto steps = static_cast<double>(decodeSteps_ - r.joined);
        r.made = std::min(r.output - 1, r.made + static_cast<int>(steps * limits_.tokensPerStep));
        std::erase(fresh_, index);
    } else {
        std::erase(prefilling_, index);
    }
    leaveBatch(r);
    r.prefillLeft = r.input - r.cached + std::max(0, r.made);
    waiting_.push_front(index);
    ++out_.preemptions;
    if (measured(index))
        out_.state.preemptionsPerRequest += 1;
    preempted_ = true;
}

/// Preempts until the growth of this step fits.
void EngineSimulation::makeRoom() {
    preempted_ = false;
    if (reserved_ <= limits_.kvBytes || decoding_ == 0 || decodeSteps_ < roomUntil_)
        return;
    while (bytesInUse() > limits_.kvBytes && running_.size() > 1)
        preemptYoungest();
    roomUntil_ = decodeSteps_ + 1 + stepsOfRoom(limits_.kvBytes - bytesInUse());
}

/// Decode steps after the next one whose growth certainly fits into so many free bytes, while no sequence is
/// admitted. Two bounds, the larger of which holds: every sequence begins a page and then grows token by
/// token; and, as far as no sequence begins two pages, the pages that are begun at each step.
std::int64_t EngineSimulation::stepsOfRoom(double bytes) {
    const SequenceMemory& memory = limits_.memory;
    const double tokens = limits_.tokensPerStep, page = memory.blockTokens;
    const double perToken = std::max(memory.bytesPerToken + memory.windowBytesPerToken, 1e-300);
    const auto sequences = static_cast<double>(running_.size());
    const double even = std::min((bytes / perToken - sequences * page) / (tokens * sequences), longest);
    const auto horizon = static_cast<std::int64_t>(std::min((page - 1) / tokens, longest));
    if (even >= static_cast<double>(horizon))
        return static_cast<std::int64_t>(even);
    begun_.assign(static_cast<std::size_t>(horizon), 0); // bytes of pages begun at the steps after the next
    const auto begin = [&](double held, double bytesPerToken) {
        const double left = std::ceil(held / page) * page - held;
        const auto step = static_cast<std::size_t>(left / tokens);
        if (step < begun_.size())
            begun_[step] += bytesPerToken * page;
    };
    for (const int i : running_) {
        const Request& r = request(i);
        if (!r.decoding) { // joins with its first token, or one more where it is computed again
            begin(0, memory.bytesPerToken + memory.windowBytesPerToken);
            continue;
        }
        const double context = contextOf(r) + tokens;
        begin(std::max(0.0, context - memory.sharedTokens), memory.bytesPerToken);
        if (context < memory.window)
            begin(context, memory.windowBytesPerToken);
    }
    std::int64_t steps = 0;
    for (const double begun : begun_) {
        bytes -= begun;
        if (bytes < 0)
            break;
        ++steps;
    }
    return std::max(steps, static_cast<std::int64_t>(even));
}

void EngineSimulation::planPrefill(double budget) {
    chunks_.clear();
    double cached = 0;
    for (const int index : prefilling_) {
        if (budget < 1)
            break;
        const Request& r = request(index);
        const int tokens = std::min(r.prefillLeft, static_cast<int>(std::min(budget, longest)));
        chunks_.emplace_back(index, tokens);
        budget -= tokens;
        work_.prefillTokens += tokens;
        cached += static_cast<double>(tokens) *
                  (r.input + std::max(0, r.made) - r.prefillLeft); // what lies before the chunk
    }
    work_.prompts = static_cast<double>(chunks_.size());
    work_.prefillCached = work_.prefillTokens > 0 ? cached / work_.prefillTokens : 0;
}

bool EngineSimulation::plan() {
    if (!std::isfinite(now_))
        out_.state.stable = false; // of steps that take no known time nothing comes
    do { // again where all who came are done at once: answers of one token on a decode side
        if (!out_.state.stable || measuredDone_ >= options_.requests || options_.stop.stop_requested()) {
            out_.stopped = measuredDone_ < options_.requests;
            return false;
        }
        arriveUntil(now_);
        if (running_.empty() && waiting_.empty()) {
            now_ = arriving_.empty() ? nextArrival_ : request(arriving_.front()).sent;
            now_ += limits_.requestOverhead;
            arriveUntil(now_);
        }
        makeRoom();
        admit();
    } while (running_.empty());
    work_ = {};
    planPrefill(limits_.mixed ? std::max(limits_.chunkTokens - decoding_, decoding_ > 0 ? 0.0 : 1.0)
                              : std::max(1.0, limits_.chunkTokens));
    if (limits_.mixed || work_.prefillTokens == 0) {
        work_.decodeSequences = decoding_;
        work_.decodeContext = decoding_ > 0 ? contextBase_ / decoding_ +
                                                  limits_.tokensPerStep * static_cast<double>(decodeSteps_)
                                            : 0;
    }
    return true;
}

StepWork EngineSimulation::decodeOnly() const {
    return {.decodeSequences = work_.decodeSequences, .decodeContext = work_.decodeContext};
}

void EngineSimulation::recordGap(double gap, double tokens) {
    if (recorded_ && tokens > 0) {
        const auto hour = static_cast<std::size_t>(now_ / hour_);
        if (gaps_.size() <= hour)
            gaps_.resize(hour + 1);
        gaps_[hour].add(gap / limits_.tokensPerStep, tokens);
    } else if (windowStart_ >= 0 && tokens > 0) {
        out_.itl.emplace_back(gap / limits_.tokensPerStep, tokens);
    }
}

/// Of the window in which means over time are taken.
void EngineSimulation::countTime(double seconds) {
    if (inWindow()) {
        batchTime_ += seconds * decoding_;
        flightTime_ += seconds * static_cast<double>(running_.size());
        queueTime_ += seconds * static_cast<double>(waiting_.size());
    }
}

void EngineSimulation::advance(double seconds, double decodeSeconds) {
    now_ += seconds;
    ++out_.steps;
    countTime(seconds);
    if (inWindow()) {
        extraTime_ += work_.decodeSequences == 0 ? seconds : seconds - decodeSeconds;
        decodeStepSum_ += decodeSeconds * work_.decodeSequences;
        decodeStepWeight_ += work_.decodeSequences;
    }
    if (work_.decodeSequences > 0)
        endDecodes();
    for (const auto& [index, tokens] : chunks_) {
        Request& r = request(index);
        r.prefillLeft -= tokens;
        if (r.prefillLeft == 0)
            endPrefill(index);
    }
}

std::int64_t EngineSimulation::quietSteps() const {
    if (work_.prefillTokens > 0 || decoding_ == 0 || !fresh_.empty() || !prefilling_.empty() || preempted_)
        return 0;
    std::int64_t steps = endings_.front().step - decodeSteps_;
    if (reserved_ > limits_.kvBytes)
        steps = std::min(steps, std::max<std::int64_t>(1, roomUntil_ - decodeSteps_));
    return steps;
}

StepWork EngineSimulation::workAfter(double steps) const {
    return {.decodeSequences = work_.decodeSequences,
            .decodeContext = work_.decodeContext + limits_.tokensPerStep * steps};
}

double EngineSimulation::nextArrival() const {
    const double open = load_.concurrency > 0 ? std::numeric_limits<double>::infinity()
                                              : nextArrival_ + limits_.requestOverhead;
    return arriving_.empty() ? open
                             : std::min(open, request(arriving_.front()).sent + limits_.requestOverhead);
}

void EngineSimulation::advance(std::int64_t steps, double first, double last) {
    const double slope = (last - first) / static_cast<double>(steps - 1);
    const auto until = [first, slope](std::int64_t n) {
        const auto count = static_cast<double>(n);
        return count * first + slope * count * (count - 1) / 2;
    };
    if (waiting_.empty()) {
        const double left = nextArrival() - now_;
        std::int64_t low = 1, high = steps; // the first step that ends at the arrival or later
        while (low < high && until(high) >= left) {
            const std::int64_t middle = (low + high) / 2;
            if (until(middle) >= left)
                high = middle;
            else if (middle == low)
                break;
            else
                low = middle;
        }
        steps = until(low) >= left ? low : high;
    }
    const double seconds = until(steps), mean = seconds / static_cast<double>(steps);
    now_ += seconds;
    out_.steps += static_cast<std::uint64_t>(steps);
    countTime(seconds);
    if (inWindow()) {
        decodeStepSum_ += seconds * work_.decodeSequences;
        decodeStepWeight_ += work_.decodeSequences * static_cast<double>(steps);
    }
    const double tokens = limits_.tokensPerStep * decoding_ * static_cast<double>(steps);
    recordGap(mean - slope * static_cast<double>(steps) / 4, tokens / 2);
    recordGap(mean + slope * static_cast<double>(steps) / 4, tokens / 2);
    decodeSteps_ += steps;
    lastDecodeEnd_ = now_;
    finishThoseAtEnd();
}

void EngineSimulation::endDecodes() {
    ++decodeSteps_;
    const double share = limits_.tokensPerStep;
    recordGap(now_ - lastDecodeEnd_, share * (decoding_ - static_cast<int>(fresh_.size())));
    for (const int index : fresh_)
        recordGap(now_ - request(index).lastToken, share);
    fresh_.clear();
    lastDecodeEnd_ = now_;
    finishThoseAtEnd();
}

void EngineSimulation::finishThoseAtEnd() {
    while (!endings_.empty() && endings_.front().step <= decodeSteps_) {
        std::pop_heap(endings_.begin(), endings_.end(), std::greater<>());
        const Ending end = endings_.back();
        endings_.pop_back();
        const Request& r = request(end.request);
        if (r.decoding && r.turn == end.turn)
            finish(end.request);
    }
}

void EngineSimulation::endPrefill(int index) {
    prefilling_.erase(std::find(prefilling_.begin(), prefilling_.end(), index)); // one of the first
    Request& r = request(index);
    if (r.made == 0) {
        r.made = 1;
        r.firstToken = now_;
    } else {
        recordGap(now_ - r.lastToken, 1); // computed again after a preemption; this step gives a token too
        ++r.made;
    }
    r.lastToken = now_;
    if (r.made >= r.output || !limits_.decodes)
        finish(index);
    else
        join(index);
}

void EngineSimulation::join(int index) {
    Request& r = request(index);
    if (r.made >= r.output) {
        finish(index);
        return;
    }
    used_ -= bytesOf(r);
    r.decoding = true;
    r.context = r.input + r.made;
    r.joined = decodeSteps_;
    used_ += bytesOf(r);
    const double steps = std::ceil((r.output - r.made) / limits_.tokensPerStep - 1e-9);
    endings_.push_back({decodeSteps_ + static_cast<std::int64_t>(steps), index, r.turn});
    std::push_heap(endings_.begin(), endings_.end(), std::greater<>());
    contextBase_ += r.context - limits_.tokensPerStep * static_cast<double>(r.joined);
    ++decoding_;
    fresh_.push_back(index);
}

void EngineSimulation::finish(int index) {
    Request& r = request(index);
    if (r.decoding) {
        const double steps = static_cast<double>(decodeSteps_ - r.joined);
        r.made =
            std::min(r.output,
                     r.made + static_cast<int>(std::lround(std::ceil(steps * limits_.tokensPerStep - 1e-9))));
    }
    leaveBatch(r);
    ++out_.requestsOut;
    out_.tokensAsked += static_cast<std::uint64_t>(limits_.decodes ? r.output : 1);
    out_.tokensMade += static_cast<std::uint64_t>(r.made);
    if (inWindow())
        ++completedInWindow_;
    if (recorded_) {
        played_.push_back(
            {.sent = r.sent, .ttft = r.firstToken - r.sent, .e2e = now_ - r.sent, .output = r.made});
    } else if (measured(index)) {
        ++measuredDone_;
        waitSum_ += r.admitted - r.sent - limits_.requestOverhead;
        out_.ttft.push_back(r.firstToken - r.sent);
        out_.e2e.push_back(now_ - r.sent);
        if (r.made > 1)
            out_.tpot.push_back((now_ - r.firstToken) / (r.made - 1));
    }
    if (load_.concurrency > 0)
        send(now_);
}

} // namespace alidade
