# SPDX-License-Identifier: GPL-3.0-or-later
# The floors of each room, from the ground up: a folder may include itself and what is below it, never what is above.
# check_includes.cmake holds every #include line against this order, so that an upward one fails the build.

set(floors_model
    base units explain                              # values, quantities, traced numbers
    hardware workload topology catalog              # what there is to rent and to run
    kernels collectives memory                      # cost of one operation
    schedule plan                                   # how work is laid out: pipelines, degrees, the rows of Input
    training serving cost reliability               # cost of a step, of a service, in dollars, of failures
    scenario                                        # what a person asks for: fields, resolve, legality
    estimate                                        # evaluate, assemble, visit
    search explore                                  # the best plan of a space; what if
    advice                                          # changes that help
    engine                                          # estimate(), explainFigure(), suggest()
    observation validation calibration)             # against measurements

set(floors_data
    base file json
    catalog prometheus
    topology scenario observation
    report estimate import
    workspace validation calibration)

set(floors_views
    theme icons kit document
    problems scenario layers serving memory roofline timeline topology suggestions search
    cost catalog validation summary
    live start library report help)
