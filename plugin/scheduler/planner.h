// SPDX-License-Identifier: BSD-2-Clause
//
// Plan `auto`: the sides of a frame's stages with the best outcome. A model predicts it; between the plans that it thinks good, the
// measured pace of frames decides.
#pragma once
#include "scheduler/cost_model.h"
#include "scheduler/pace.h"

#include <array>
#include <cstdint>
#include <optional>

namespace dd {

enum class Goal {
    speed, // the most frames a second
    cpu,   // the least CPU time a frame, as long as frames come in real time
};
// "speed" or "cpu". False: not understood.
bool parse_goal(std::string_view text, Goal &goal);

// Of the machine, as far as plans depend on it.
struct PlannerTraits {
    Goal goal = Goal::speed;
    unsigned cores = 1; // that the process may use
};

// How long a frame takes under each plan (by its bits), relative to the others. 0: not measured.
using Paces = std::array<double, kPlans>;

// Paces differ by the size of frames: up to 480p, 1080p, 2160p, and above.
constexpr unsigned kSizes = 4;
unsigned size_class(double pixels);

// What is learned of a machine.
struct Knowledge {
    Costs costs{};
    std::array<Paces, kSizes> paces{};
};

// Sets of stages, by their bits.
using StageSets = std::array<unsigned, 2>;

// A frame to be planned.
struct PlanQuery {
    double pixels = 0;       // luma
    bool intra_only = false; // no inter blocks
    unsigned stages = 0;     // that it has; bit s: stage s
    unsigned usable = 0;     // those that the GPU can run
    StageSets together{};    // of the stages of each set the GPU gets all or none
    unsigned always = 0;     // those that it gets if it gets any
    bool with_intra = false; // as CostQuery has it

    bool allows(unsigned on_gpu) const;
    CostQuery with(unsigned on_gpu) const { return {pixels, intra_only, stages, on_gpu, with_intra}; }
};

// What the planner expects of a frame.
struct Forecast {
    unsigned on_gpu = 0; // bit s: stage s on the GPU
    unsigned run = 0;    // of Pace
    double frame_ns = 0; // from one frame to the next
    CostEstimate cost;
    bool trial = false; // another plan than the best, to keep its costs known
};

// What came of it.
struct CostOutcome {
    double cpu_ns = 0; // 0: not measured
    double gpu_ns = 0; // by all submits together
    unsigned submits = 0;
};

class Planner {
  public:
    Planner(const PlannerTraits &traits, const Knowledge &knowledge)
        : traits_(traits), model_(knowledge.costs), paces_(knowledge.paces) {}

    // Plans a frame that begins `now`. `in_flight`: frames that have begun and not ended, this one included.
    Forecast plan(PlanQuery query, unsigned in_flight, std::int64_t now);
    // One submit of a frame; query.on_gpu: the stages in it.
    void learn_submit(const CostQuery &query, double gpu_ns);
    // A frame went as planned.
    void learn_frame(const CostQuery &query, const CostOutcome &outcome);
    // A planned frame has ended, however it went.
    void ended(const Forecast &forecast, double pixels, std::int64_t now);

    Knowledge knowledge() const { return {model_.costs(), paces_}; }
    std::uint64_t learned() const { return learned_; } // frames

  private:
    // The plan that frames stay with. Frames with inter blocks and without have plans of their own.
    struct Home {
        bool chosen = false;
        unsigned on_gpu = 0;
        unsigned held = 0;                        // frames since it was chosen
        unsigned since_trial = 0;                 // frames since the last one
        std::array<std::uint64_t, kPlans> seen{}; // when each plan ran last
    };
    struct Ranked {
        std::array<double, kPlans> value{}; // what is to be small, of plans that are allowed
        unsigned best = 0;
    };
    // What was measured of another plan.
    struct Visit {
        unsigned plan;
        double ns;
    };
    double frame_ns(const CostEstimate &cost, bool gpu) const;
    double predicted_ns(const PlanQuery &query, unsigned on_gpu) const;
    double expected_ns(const PlanQuery &query, unsigned on_gpu) const;
    double content_by_costs(const PlanQuery &query) const;
    double value_of(const PlanQuery &query, unsigned on_gpu) const;
    Ranked rank(const PlanQuery &query) const;
    // With the sides of stages that the frame doesn't have.
    unsigned whole(const PlanQuery &query, unsigned on_gpu) const;
    std::optional<unsigned> nearest_measured(unsigned on_gpu) const;
    void choose_home(Home &home, const PlanQuery &query, const Ranked &ranked);
    unsigned single_trial(Home &home, const PlanQuery &query, const Ranked &ranked, unsigned now);
    void consider_excursion(const PlanQuery &query, const Ranked &ranked, unsigned now);
    void count_excursion(double content, std::int64_t now);
    bool side_measured(unsigned on_gpu) const;
    void end_excursion();
    void judge(const Visit &visit, double before, double after);
    Paces &pace() { return paces_[size_]; }
    const Paces &pace() const { return paces_[size_]; }
    void change_size(unsigned size);
    void forget();
    void learn_pace(double ns, std::int64_t now);
    bool is_warming_up(const CostQuery &query) const { return query.on_gpu && with_gpu_ < kWarmUp * most_in_flight_; }

    PlannerTraits traits_;
    CostModel model_;
    Pace meter_;
    std::array<Paces, kSizes> paces_;
    unsigned size_ = 0;     // class of the newest frame
    unsigned guesses_ = 0;  // times that frames were moved to another plan by costs alone
    bool informed_ = false; // paces of this size were known when it began
    std::array<Home, 2> home_;
    // The stages of most frames, and how many frames since the last one lacked some.
    struct Usual {
        unsigned stages = 0, others = 0;
        bool are_in(unsigned frame);
    };
    std::array<Usual, 2> learned_from_{}; // of frames with inter blocks, and without
    Usual planned_;                       // of frames with inter blocks
    // What an excursion has cost, with the turn to it and back, and since when it is counted.
    struct Absence {
        bool counted = false;
        std::int64_t since = 0; // by the meter's clock
        double pixels = 0;      // of frames that have ended since
    };
    // The plan that is measured for a window; then what was measured, until the next window at home shows that content hasn't changed.
    std::optional<unsigned> excursion_;
    std::optional<Visit> visit_;
    Absence absence_;
    double lost_ns_ = 0;                    // by the last excursion
    std::array<unsigned, kPlans> visits_{}; // excursions to a plan
    unsigned at_home_ = 0;                  // frames since the last excursion
    double content_ = 0;            // ns of a pixel at a pace of 1, by the last window at home; 0: not measured yet
    double usual_content_ = 0;      // when plans were forgotten last
    unsigned windows_ = 0;          // measured
    std::array<double, 2> depth_{}; // frames in flight, averaged: without GPU, with; 0: there were none
    double first_depth_ = 1;
    // Frames on their way at once at most; those that ended with a GPU's share. The first of each thread wait for memory, and say
    // nothing about costs.
    static constexpr unsigned kWarmUp = 2;
    unsigned most_in_flight_ = 1;
    std::uint64_t with_gpu_ = 0;
    double credit_ns_ = 0; // what single trials may still cost
    bool has_credit_ = false;
    std::uint64_t frames_ = 0, learned_ = 0;
};

} // namespace dd
