// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/cost/order.h"
#include "model/cost/run_cost.h"
#include "model/explain/traced.h"
#include "model/plan/inputs.h"
#include "model/scenario/scenario.h"

#include <array>
#include <cmath>

namespace alidade {

// The rent of machines that are bought in two ways: a base, and the rest.

/// Rent for an hour of all machines that are paid for.
template <class N>
N rentPerHour(const InputsT<N>& in) {
    return valueOf(in[Input::baseItems]) > 0
               ? in[Input::basePrice] * in[Input::baseItems] +
                     in[Input::price] * (in[Input::paidItems] - in[Input::baseItems])
               : in[Input::price] * in[Input::paidItems];
}

/// Machines that are bought in one way, for a run. Hours are those of all of them.
template <class N>
struct RentPartT {
    const char* name = "";
    const RentalTerms* rental = nullptr;
    int items = 0; ///< 0: there are none
    N hours{}, idleHours{}, price{}, dollars{};
};

/// The base and the rest. \param hours of the run, billable \param like gives the leaves their tape
template <class N>
std::array<RentPartT<N>, 2> rentParts(const Scenario& scenario, const InputsT<N>& in, const N& hours,
                                      const N& like) {
    std::array<RentPartT<N>, 2> out{
        {{.name = "Base", .rental = &scenario.baseRental}, {.name = "Rest", .rental = &scenario.rental}}};
    for (RentPartT<N>& part : out) {
        const bool base = &part == &out.front();
        const N items = base ? N(in[Input::baseItems]) : N(in[Input::paidItems] - in[Input::baseItems]);
        part.items = static_cast<int>(std::lround(valueOf(items)));
        if (part.items == 0)
            continue;
        part.price = in[base ? Input::basePrice : Input::price];
        part.hours = items * hours;
        N dollars = part.hours * part.price;
        if (part.rental->paysBeyondUse()) {
            const N paid = items * billedTime(like, valueOf(hours), *part.rental);
            part.idleHours = paid - part.hours;
            dollars = paid * part.price;
        }
        const Cents billed =
            rentOf(part.items, valueOf(hours), nanoDollars(valueOf(part.price)), *part.rental);
        part.dollars = named(asBilled(dollars, billed), base ? "base_dollars" : "rest_dollars",
                             Dimension::dollars, "as ordered, to the cent");
    }
    return out;
}

/// The rent of a run that ends.
template <class N>
struct RunRentT {
    N idleHours{}; ///< that are paid in addition to those in use
    N dollars{};
};

/// The rent of a run with a base. \copydetails rentParts
template <class N>
RunRentT<N> rentWithBase(const Scenario& scenario, const InputsT<N>& in, const N& hours, const N& like) {
    RunRentT<N> out;
    for (const RentPartT<N>& part : rentParts(scenario, in, hours, like)) {
        if (part.items > 0) {
            out.idleHours += part.idleHours;
            out.dollars += part.dollars;
        }
    }
    return out;
}

} // namespace alidade
