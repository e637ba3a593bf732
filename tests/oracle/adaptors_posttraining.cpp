// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/posttraining/rl_step.h"
#include "model/posttraining/scaling_laws.h"
#include "model/posttraining/test_time.h"
#include "tests/oracle/adaptors.h"
#include "tests/oracle/reference/rollout.h"
#include "tests/oracle/reference/scaling_laws.h"

namespace alidade::oracle {

using namespace reference;

namespace {

LossLaw law(const Json& a) {
    LossLaw out;
    out.irreducible = number(a, "E");
    out.a = number(a, "A");
    out.b = number(a, "B");
    out.alpha = number(a, "alpha");
    out.beta = number(a, "beta");
    return out;
}

Json rolloutTime(const Json& a) {
    const RolloutClosedForm r =
        rolloutClosedForm(number(a, "n_seq"), number(a, "replicas_"), number(a, "mean_len"),
                          number(a, "cv_len"), number(a, "a"), number(a, "b"), number(a, "cap"));
    return {{"seconds", r.seconds}, {"lmax", r.longest}, {"mean_occupancy", r.meanOccupancy}};
}

Json stepTime(const Json& a) {
    const auto placement =
        word(a, "mode", "colocated") == "colocated" ? RolePlacement::colocated : RolePlacement::oneStepOff;
    return rlStepTime(placement, number(a, "rollout"), number(a, "score"), number(a, "train"),
                      number(a, "sync"));
}

Json flopsPerToken(const Json& a) {
    return rlFlopsPerToken(number(a, "n_active"), meaningOf(algorithmWords, word(a, "algo", "grpo")).value(),
                           number(a, "epochs", 1));
}

Json chinchilla(const Json& a) {
    const OptimalModel m = optimalModel(law(a), number(a, "C"));
    return {{"N", m.parameters}, {"D", m.tokens}, {"ratio", m.ratio()}, {"loss", m.loss}};
}

Json kaplan(const Json& a) {
    const KaplanModel m = kaplanModel(number(a, "C_pf_days"));
    return {{"N", m.parameters}, {"B", m.batch}, {"D", m.tokens}, {"loss", m.loss}};
}

} // namespace

void addPostTraining(Adaptors& table) {
    table["rollout_time"] = rolloutTime;
    table["rl_step_time"] = stepTime;
    table["rl_flops_per_token"] = flopsPerToken;
    table["pass_at_k"] = [](const Json& a) {
        return Json(passAtK(whole(a, "n", 1), whole(a, "c", 0), whole(a, "k", 1)));
    };
    table["chinchilla"] = chinchilla;
    table["chinchilla_loss"] = [](const Json& a) {
        return Json(lossOf(law(a), number(a, "N"), number(a, "D")));
    };
    table["kaplan"] = kaplan;
    table["effective_data"] = [](const Json& a) {
        return Json(effectiveTokens(number(a, "unique"), number(a, "tokens")));
    };
}

} // namespace alidade::oracle
