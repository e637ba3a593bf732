// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/observation/health_evidence.h"

#include <algorithm>
#include <cmath>

namespace alidade {
namespace {

/// How far apart, in s, signs of one cause may be seen: exporters collect every 30 s or so, nodes take
/// minutes to reboot.
constexpr double sameMoment = 120, sameFault = 900, rebootWithin = 1800, silenceWithin = 600;
/// The last step before a crash ends within moments of it, whenever the job notices.
constexpr double stopWithin = 180;
/// A series that ends is seen for up to so long, where nothing marks its end.
constexpr double lookback = 300;

bool sameGpu(const Evidence& a, const Evidence& b) {
    return a.where.host == b.where.host && a.where.gpu == b.where.gpu;
}
bool sameHost(const Evidence& a, const Evidence& b) {
    return a.where.host == b.where.host && !a.where.host.empty();
}
/// `b` begins after `a` (or is seen a little before it), and not too late to be its consequence.
bool follows(const Evidence& a, const Evidence& b, double within, double slack) {
    return b.start >= a.start - slack && b.start <= a.start + within;
}
bool overlap(const Evidence& a, const Evidence& b, double slack) {
    return a.start <= b.last + slack && b.start <= a.last + slack;
}

void absorb(Evidence& into, Evidence& from, std::string fact) {
    from.absorbed = true;
    if (!fact.empty())
        into.facts.push_back(std::move(fact));
    into.stops.insert(into.stops.end(), from.stops.begin(), from.stops.end());
}

class Teller {
public:
    Teller(const HealthView& view, EvidenceList& evidence)
        : view_(view)
        , all_(evidence)
        , slack_(sameMoment + view.cluster.step()) {}

    void tell() {
        joinXids();
        joinOutages();
        eachPair([&](Evidence& a, Evidence& b) { memoryOfXid(a, b); });
        eachPair([&](Evidence& a, Evidence& b) { memoryTogether(a, b); });
        eachPair([&](Evidence& a, Evidence& b) { lostByXid(a, b); });
        eachPair([&](Evidence& a, Evidence& b) { rebootAfter(a, b); });
        eachPair([&](Evidence& a, Evidence& b) { slowness(a, b); });
        eachPair([&](Evidence& a, Evidence& b) { network(a, b); });
        eachPair([&](Evidence& a, Evidence& b) { crash(a, b); });
        eachPair([&](Evidence& a, Evidence& b) { partOfStop(a, b); });
    }

private:
    template <class F>
    void eachPair(F tell) {
        for (std::size_t i = 0; i < all_.size(); ++i) {
            for (std::size_t k = 0; k < all_.size(); ++k)
                if (i != k && !all_[i].absorbed && !all_[k].absorbed)
                    tell(all_[i], all_[k]);
        }
    }

    /// Several codes of one GPU at a time: the first hard one leads; the same code on the GPUs of a host at a
    /// time is one finding.
    void joinXids() {
        eachPair([&](Evidence& a, Evidence& b) {
            if (a.kind != FaultKind::xid || b.kind != FaultKind::xid || !sameHost(a, b))
                return;
            if (a.code == b.code && a.where.gpu != b.where.gpu && std::abs(a.start - b.start) <= slack_ &&
                a.before == b.before) {
                a.start = std::min(a.start, b.start);
                a.lasts = a.lasts || b.lasts;
                a.where.gpu = -1;
                absorb(a, b, {});
            } else if (sameGpu(a, b) && isFollowUp(b.code) && !isFollowUp(a.code) &&
                       follows(a, b, sameFault, slack_)) {
                absorb(a, b, "then XID " + std::to_string(b.code));
            }
        });
    }
    static bool isFollowUp(int code) { return code == 43 || code == 45 || code == 63; }

    /// Silence and a new boot time are one reboot.
    void joinOutages() {
        eachPair([&](Evidence& a, Evidence& b) {
            if (a.kind == FaultKind::missingTarget && b.kind == FaultKind::missingTarget && sameHost(a, b) &&
                a.what.empty() && b.what == "rebooted" && overlap(a, b, sameFault)) {
                a.what = "rebooted";
                absorb(a, b, {});
            }
        });
    }

    void memoryOfXid(Evidence& a, Evidence& b) {
        if (a.kind != FaultKind::xid || !sameGpu(a, b) || b.start < a.start - sameFault ||
            b.start > a.start + sameFault) {
            return;
        }
        if (b.kind == FaultKind::doubleBitErrors || (b.kind == FaultKind::rowRemap && b.code != remapFailed))
            absorb(a, b, b.facts.empty() ? std::string() : b.facts.front());
    }

    void memoryTogether(Evidence& a, Evidence& b) {
        const bool leads = a.kind == FaultKind::doubleBitErrors ||
                           (a.kind == FaultKind::rowRemap && a.code != 0) ||
                           a.kind == FaultKind::singleBitErrors;
        const bool corrected = a.kind == FaultKind::singleBitErrors;
        if (!leads || !sameGpu(a, b) || b.kind != FaultKind::rowRemap || b.code == remapFailed)
            return;
        if (corrected ? b.code == 0 && overlap(a, b, sameFault) : std::abs(a.start - b.start) <= sameFault)
            absorb(a, b, b.facts.empty() ? std::string() : b.facts.front());
    }

    void lostByXid(Evidence& a, Evidence& b) {
        if (a.kind == FaultKind::xid && b.kind == FaultKind::missingGpu && sameGpu(a, b) &&
            follows(a, b, rebootWithin, slack_)) {
            a.lasts = a.lasts || b.lasts;
            absorb(a, b, "the GPU no longer responds: " + b.facts.front());
        }
    }

    void rebootAfter(Evidence& a, Evidence& b) {
        const bool cause = a.kind == FaultKind::xid || a.kind == FaultKind::doubleBitErrors ||
                           a.kind == FaultKind::missingGpu;
        if (!cause || b.kind != FaultKind::missingTarget || !sameHost(a, b) || a.before ||
            !follows(a, b, b.what == "rebooted" ? rebootWithin : silenceWithin, slack_) ||
            !b.where.part.empty()) {
            return;
        }
        const bool reboot = b.what == "rebooted";
        a.last = std::max(a.last, b.last);
        if (reboot) {
            a.lasts = false; // the last XID is forgotten by a reboot
            a.last = b.last + view_.cluster.step();
        }
        absorb(a, b,
               reboot ? "node rebooted, " + durationText(std::max(b.last - b.start, view_.cluster.step())) +
                            " without metrics"
                      : "then its exporters stopped responding");
    }

    /// Heat or a low clock of the node that is the straggler.
    void slowness(Evidence& a, Evidence& b) {
        const bool same =
            a.kind == FaultKind::straggler && sameHost(a, b) &&
            (b.kind == FaultKind::thermal || b.kind == FaultKind::power || b.kind == FaultKind::straggler);
        const bool gpu = a.where.gpu < 0 || b.where.gpu < 0 || a.where.gpu == b.where.gpu ||
                         b.kind == FaultKind::straggler;
        if (!same || !gpu || !overlap(a, b, 300 + view_.cluster.step()))
            return;
        if (b.kind == FaultKind::straggler && a.last - a.start < b.last - b.start)
            return; // the longer one leads
        a.where.gpu = a.where.gpu < 0 ? b.where.gpu : a.where.gpu;
        a.start = std::min(a.start, b.start);
        const bool told = std::ranges::find(a.facts, "thermal violation") != a.facts.end();
        absorb(a, b, b.kind == FaultKind::thermal && !told ? "thermal violation" : "");
    }

    void network(Evidence& a, Evidence& b) {
        if (a.kind == FaultKind::efaRetransmits && b.kind == FaultKind::efaConnections && sameHost(a, b) &&
            overlap(a, b, 300)) {
            absorb(a, b, b.facts.empty() ? std::string() : b.facts.front());
        }
    }

    /// What ended the job: something hard on one of its nodes, just before.
    void crash(Evidence& a, Evidence& b) {
        const bool stop = (b.kind == FaultKind::stall || b.kind == FaultKind::restart) && !b.stops.empty();
        const bool hard = a.kind == FaultKind::xid || a.kind == FaultKind::doubleBitErrors ||
                          a.kind == FaultKind::missingGpu || a.kind == FaultKind::missingTarget;
        if (!stop || !hard || a.before || !a.where.part.empty() || !view_.cluster.trains(a.where.host) ||
            b.start < a.start - (a.kind == FaultKind::missingGpu ? slack_ + lookback : slack_) ||
            b.start > a.start + stopWithin) {
            return;
        }
        const JobStop& story = view_.job.stops[b.stops.front()];
        absorb(a, b,
               "the job " +
                   std::string(story.lasts         ? "has stalled since then"
                               : story.processGone ? "restarted after "
                                                   : "stalled for ") +
                   (story.lasts ? std::string() : durationText(story.end - story.start)));
    }

    /// Complaints about connections while the job comes down, and metrics of the job that pause with it.
    void partOfStop(Evidence& a, Evidence& b) {
        if (a.stops.empty())
            return;
        const bool complaint = b.kind == FaultKind::efaConnections || b.kind == FaultKind::badLoss ||
                               b.kind == FaultKind::efaRetransmits;
        const JobStop& stop = view_.job.stops[a.stops.front()];
        const double slack = b.kind == FaultKind::efaConnections ? sameMoment : view_.cluster.step();
        if (complaint && b.start >= stop.start - slack && b.last <= stop.end + slack)
            absorb(a, b, b.kind == FaultKind::efaConnections ? "EFA connections unresponsive" : "");
    }

    const HealthView& view_;
    EvidenceList& all_;
    double slack_;
};

} // namespace

void tellStories(const HealthView& view, EvidenceList& evidence) {
    std::ranges::stable_sort(evidence, {}, &Evidence::start);
    Teller(view, evidence).tell();
    std::erase_if(evidence, &Evidence::absorbed);
}

} // namespace alidade
