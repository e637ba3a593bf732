# SPDX-License-Identifier: GPL-3.0-or-later
# The floors of each room, from the ground up: a folder may include itself and what is below it, never what is above.
# check_includes.cmake holds every #include line against this order, so that an upward one fails the build.

set(floors_model
    base units explain                              # values, quantities, traced numbers
    hardware workload topology catalog              # what there is to rent and to run
    kernels collectives memory                      # cost of one operation
    schedule plan                                   # how work is laid out: pipelines, degrees, the rows of Input
    reliability training serving posttraining cost  # cost of failures, of a step, of a service, in dollars
    scenario                                        # what a person asks for: fields, resolve, legality
    estimate                                        # evaluate, assemble, visit
    search explore run                              # the best plan of a space; what if; a whole run, played
    document                                        # what a buyer signs: bill, options, risks, assumptions
    advice                                          # changes that help
    engine                                          # estimate(), explainFigure(), suggest()
    scaling                                         # what to train for a budget
    observation validation calibration              # against measurements
    fleet)                                          # several services on shared pools: traffic, scaling, purchase

set(floors_data
    base file json
    catalog prometheus
    topology scenario observation search
    report estimate import
    traces fleet
    handoff                                         # job files of other programs, written
    jobs                                            # and read back
    workspace validation calibration)

set(floors_views
    theme icons kit document
    problems scenario layers serving posttraining memory roofline timeline topology suggestions explore scaling fleet
    cost catalog validation search summary run
    live start library compare report help)
