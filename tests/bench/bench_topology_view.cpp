// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/views/topology_fixture.h"
#include "views/theme/theme_controller.h"
#include "views/topology/topology_canvas.h"

#include <QApplication>
#include <QImage>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <memory>
#include <utility>
#include <vector>

namespace {

double median(std::vector<double> times) {
    std::ranges::sort(times);
    return times[times.size() / 2];
}

/// Ticks of the wheel from the whole cluster to a host, a pan after each, as a person walks in: processor
/// time.
void measureWalk(const char* name, const std::shared_ptr<const alidade::views::TopologyData>& data) {
    alidade::views::TopologyCanvas canvas;
    canvas.resize(1280, 800);
    canvas.setData(data);
    canvas.show();
    QApplication::processEvents();
    QImage frame(canvas.size() * canvas.devicePixelRatio(), QImage::Format_RGB32);
    frame.setDevicePixelRatio(canvas.devicePixelRatio());
    std::vector<double> zooms, pans;
    int wires = 0;
    const auto timed = [&](std::vector<double>& times, const auto& act) {
        const std::clock_t start = std::clock();
        act();
        canvas.render(&frame);
        times.push_back(1e3 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
        wires = std::max(wires, canvas.counts().wires);
    };
    while (canvas.camera().scale < 120 && zooms.size() < 100) {
        timed(zooms, [&] { canvas.zoomBy(1.2, {500, 420}); });
        timed(pans, [&] {
            canvas.setCamera(
                {canvas.camera().scale, canvas.camera().origin + QPointF(9, 4) / canvas.camera().scale});
        });
    }
    std::printf("%s: zoom tick median %.1f ms, longest %.1f; pan median %.1f ms, longest %.1f; at most %d "
                "wires a frame\n",
                name, median(zooms), *std::ranges::max_element(zooms), median(pans),
                *std::ranges::max_element(pans), wires);
}

} // namespace

// Frames of the topology explorer with 100,000 GPUs at 1280 x 800 over a fixed path: zoom in, pan, zoom out,
// change of color. Prints the median, the 95th percentile and the longest, by the clock and in processor
// time (the same on a machine that does nothing else). Then a walk into clusters of 10,000 hosts whose
// networks are of other shapes.
int main(int argc, char** argv) {
    using namespace alidade;
    using namespace alidade::views;
    using Clock = std::chrono::steady_clock;
    if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication application(argc, argv);
    ThemeController::instance().install();

    const auto begin = Clock::now();
    const auto data = sample_cluster::data(
        {.hosts = 12500, .degrees = {.tensor = 8, .data = 1250, .pipeline = 10, .expertData = 1250 * 8}});
    const std::chrono::duration<double, std::milli> layout = Clock::now() - begin;

    TopologyCanvas canvas;
    canvas.resize(1280, 800);
    canvas.setData(data);
    canvas.show();
    QApplication::processEvents();
    QImage frame(canvas.size() * canvas.devicePixelRatio(), QImage::Format_RGB32);
    frame.setDevicePixelRatio(canvas.devicePixelRatio());

    constexpr int frames = 300;
    const QPointF about(500, 420);
    TopologyFocus focus;
    std::vector<double> taken, worked; // ms by the clock, and of this process
    int grown = 0;
    long long gpus = 0;
    for (int i = 0; i < frames; ++i) {
        const auto start = Clock::now();
        const std::clock_t processor = std::clock();
        if (i < 100)
            canvas.zoomBy(std::pow(350.0, 0.01), about);
        else if (i < 150)
            canvas.setCamera(
                {canvas.camera().scale, canvas.camera().origin + QPointF(12, 7) / canvas.camera().scale});
        else if (i < 250)
            canvas.zoomBy(std::pow(350.0, -0.01), about);
        else {
            focus.color = static_cast<TopologyColor>(1 + i % 8);
            focus.gpu = i * 331 % data->gpus();
            if (i % 5 == 0) // a person changes the color now and then, not in each frame
                canvas.setPicture(focus);
            else
                canvas.setCamera(
                    {canvas.camera().scale, canvas.camera().origin + QPointF(3, 0) / canvas.camera().scale});
        }
        canvas.render(&frame);
        const std::chrono::duration<double, std::milli> one = Clock::now() - start;
        taken.push_back(one.count());
        worked.push_back(1e3 * static_cast<double>(std::clock() - processor) / CLOCKS_PER_SEC);
        grown += i > 0 ? canvas.counts().buffersGrown : 0;
        gpus += canvas.counts().gpus();
    }
    std::printf("layout of %d GPUs: %.0f ms\n", data->gpus(), layout.count());
    const auto tell = [](const char* what, std::vector<double> times) {
        std::ranges::sort(times);
        const auto at = [&](double share) {
            return times[static_cast<std::size_t>(share * static_cast<double>(times.size() - 1))];
        };
        std::printf("frames, %s: median %.1f ms, p95 %.1f ms, longest %.1f ms\n", what, at(0.5), at(0.95),
                    times.back());
    };
    tell("by the clock", taken);
    tell("processor time", worked);
    const std::pair<const char*, std::pair<int, int>> parts[] = {
        {"zoom in", {0, 100}}, {"pan", {100, 150}}, {"zoom out", {150, 250}}, {"colours", {250, frames}}};
    for (const auto& [name, range] : parts)
        tell(name, std::vector<double>(worked.begin() + range.first, worked.begin() + range.second));
    std::printf("%.0f GPUs a frame; memory for the picture was taken %d times after the first\n",
                static_cast<double>(gpus) / frames, grown);
    measureWalk("10,000 hosts, 4 a leaf", sample_cluster::reported({}));
    measureWalk("10,000 hosts, 1 a leaf", sample_cluster::reported({.hostsPerLeaf = 1}));
    measureWalk("10,000 hosts, domains over leaves",
                sample_cluster::reported({.hostsPerLeaf = 16, .hostsPerDomain = 18, .stride = 7'919}));
    return 0;
}
