// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/calibration/map_fit.h"
#include "model/calibration/positive_fit.h"
#include "model/explore/figure_errors.h"
#include "tests/oracle/adaptors.h"

#include <cmath>

namespace alidade::oracle {

namespace {

std::vector<double> numbers(const Json& a, const char* key) { return a.at(key).get<std::vector<double>>(); }

/// A linear law, solved by the same procedure as every other fit.
Json mapLinear(const Json& a) {
    const auto rows = a.at("J").get<std::vector<std::vector<double>>>();
    const auto y = numbers(a, "y"), means = numbers(a, "prior_mean"), sds = numbers(a, "prior_sd");
    MapProblem problem;
    for (std::size_t j = 0; j < means.size(); ++j)
        problem.priors.push_back({means[j], sds[j]});
    for (const double each : y)
        problem.points.push_back({.measured = each, .sd = number(a, "sigma")});
    problem.predict = [&rows](std::size_t point, const std::vector<double>& theta) {
        double sum = 0;
        for (std::size_t j = 0; j < theta.size(); ++j)
            sum += rows[point][j] * theta[j];
        return sum;
    };
    const MapFit fit =
        fitMap(problem, {.huber = std::numeric_limits<double>::infinity(), .tolerance = 1e-13});
    return {{"theta", fit.parameters},
            {"sd", fit.sd},
            {"data_share", fit.dataShare},
            {"corr01", fit.correlation(0, 1)}};
}

Json collectiveFit(const Json& a) {
    std::map<std::string, CollectiveOp> words;
    for (const auto op : {CollectiveOp::allReduce, CollectiveOp::allGather, CollectiveOp::reduceScatter,
                          CollectiveOp::allToAll}) {
        words[std::string(collectiveName(op))] = op;
    }
    const CollectiveLaw fit =
        fitCollective(choose(words, word(a, "op", "")), whole(a, "n", 0), numbers(a, "sizes"),
                      numbers(a, "times"), whole(a, "terms", 3) == 3);
    return {{"alpha", fit.alpha}, {"gamma", fit.gamma}, {"B", fit.bandwidth}, {"mape", fit.meanAbsError}};
}

/// Standard deviation of ln of a figure from that of ln of independent constants: the root of its covariance
/// with itself, where the error of each figure is `whole` in all.
Json delta(const Json& a) {
    constexpr double whole = 1;
    const auto elasticities = numbers(a, "elasticities"), sds = numbers(a, "sds");
    FigureErrors errors{.machine = {}, .logSd = {whole}, .timeParts = {}, .constants = {}};
    for (std::size_t i = 0; i < sds.size(); ++i) {
        errors.constants.push_back({.name = std::to_string(i),
                                    .source = {},
                                    .value = 1,
                                    .logSd = sds[i],
                                    .slopes = {elasticities[i]}});
    }
    FigureErrors elsewhere = errors;
    elsewhere.machine = "another";
    const double difference = ratioLogSd(errors, elsewhere, 0);
    return std::sqrt((2 * whole * whole - difference * difference) / 2);
}

/// d ln T / d ln x of a law of the program, by central differences.
Json elasticityOf(const Json& a) {
    const Adaptor function = adaptors().at(word(a, "fn", ""));
    const std::string key = word(a, "key", "");
    const auto logAt = [&](double factor) {
        Json arguments = a.at("args");
        arguments[key] = factor * number(a.at("args"), key.c_str());
        return std::log(function(arguments).get<double>());
    };
    constexpr double step = 1e-4;
    return (logAt(1 + step) - logAt(1 - step)) / (std::log1p(step) - std::log1p(-step));
}

} // namespace

void addCalibration(Adaptors& table) {
    table["map_linear"] = mapLinear;
    table["fit_collective"] = collectiveFit;
    table["delta_method"] = delta;
    table["elasticity"] = elasticityOf;
}

} // namespace alidade::oracle
