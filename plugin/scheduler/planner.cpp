// SPDX-License-Identifier: BSD-2-Clause
#include "scheduler/planner.h"

#include <algorithm>
#include <bit>
#include <tuple>
#include <utility>

namespace dd {
namespace {

// A plan is left for one that is better by so much, and not before so many frames.
constexpr double kBetter = 0.05;
// By costs alone, which begin with frames that wait for drivers and for memory, only for one that is so much better.
constexpr double kMuchBetter = 0.5;
// One that takes so much less CPU time has to be better only: that time is known better than paces are.
constexpr double kMuchLessCpu = 0.85;
constexpr unsigned kHold = 8, kHoldGuess = 16, kGuesses = 1;
// Single frames on trial may cost this share of all time, and are this many frames apart. At first there is credit for some.
constexpr double kTrialShare = 0.01;
constexpr unsigned kTrialInterval = 16;
constexpr double kFirstCredit = 4, kMostCredit = 16; // frames
// The same share is for excursions: a window of frames under another plan. Plans that are expected to take more than a number of times
// as long have none. One that promises to be better by so much has its first soon.
constexpr double kPromising = 0.2;
constexpr double kExcursionInterval = 512;
constexpr unsigned kUrgentInterval = 128;
constexpr double kLongestRest = 16384; // frames
constexpr double kExcursionLimit = 2;
constexpr unsigned kLongestExcursion = 6 * Pace::kWindow; // where frames are dropped
constexpr unsigned kAttempts = 8;                         // at a first measurement
constexpr double kSameContent = 1.2;
constexpr unsigned kUnusual = 8; // frames in a row, which then are usual
constexpr double kSimilar = 1.5; // measurements that are averaged
// Windows after which other plans count as never measured. Fewer where frames take so much longer than they did: that may mean
// another machine, not other content.
constexpr unsigned kForget = 384, kForgetEarly = 15;
constexpr double kJump = 2.5;
constexpr double kDepthRate = 0.1;
constexpr double kPaceRate = 0.1; // at least; at first, measurements are averaged
// With the goal of speed, a plan that takes no CPU time may be slower by so much.
constexpr double kCpuWeight = 0.05;
// With the goal of little CPU time: 60 frames a second are always enough.
constexpr double kRealTime = 1e9 / 60;

} // namespace

unsigned size_class(double pixels) {
    constexpr std::array most = {854.0 * 480, 1920.0 * 1088, 3840.0 * 2176};
    return static_cast<unsigned>(std::ranges::upper_bound(most, pixels) - most.begin());
}

bool parse_goal(std::string_view text, Goal &goal) {
    if (text != "speed" && text != "cpu")
        return false;
    goal = text == "cpu" ? Goal::cpu : Goal::speed;
    return true;
}

bool PlanQuery::allows(unsigned on_gpu) const {
    const auto divides = [&](unsigned set) { return (on_gpu & set) != 0 && (on_gpu & set) != (usable & set); };
    const bool lacks = on_gpu != 0 && (always & usable & ~on_gpu) != 0;
    return !(on_gpu & ~usable) && !lacks && std::ranges::none_of(together, divides);
}

// A frame occupies a core, then the GPU; `depth_` frames are on their way at once, of which one is parsed. The GPU needs whole
// references.
double Planner::frame_ns(const CostEstimate &cost, bool gpu) const {
    const double known = depth_[gpu] > 0 ? depth_[gpu] : depth_[!gpu];
    const double depth = known > 0 ? known : first_depth_;
    const double workers = std::min(depth, static_cast<double>(std::max(1u, traits_.cores)));
    return std::max(
        {cost.cpu_ns / workers, cost.in_order_ns, cost.gpu_ns, cost.chain_ns, (cost.cpu_ns + cost.gpu_ns) / depth});
}

unsigned Planner::whole(const PlanQuery &query, unsigned on_gpu) const {
    unsigned plan = on_gpu | (home_[query.intra_only].on_gpu & ~query.usable);
    for (const unsigned set : query.together)
        if (query.usable & set)
            plan = on_gpu & set ? plan | set : plan & ~set;
    return plan;
}

double Planner::predicted_ns(const PlanQuery &query, unsigned on_gpu) const {
    return frame_ns(model_.predict(query.with(on_gpu)), (on_gpu & query.usable) != 0);
}

// The model knows stages, but not how the decoder's threads get into each other's way. So a plan's pace is taken from the
// measured plan that differs in the fewest stages, and the model says what these make of it.
double Planner::expected_ns(const PlanQuery &query, unsigned on_gpu) const {
    const double predicted = predicted_ns(query, on_gpu);
    const unsigned plan = whole(query, on_gpu);
    const auto nearest = nearest_measured(plan);
    if (query.intra_only || !nearest)
        return predicted;
    const double there = predicted_ns(query, *nearest & query.usable);
    const double content = content_ > 0 ? content_ * query.pixels : content_by_costs(query);
    if (content <= 0 || there <= 0) // costs may have been learned to be nothing
        return predicted;
    return content * pace()[*nearest] * (*nearest == plan ? 1 : predicted / there);
}

// Before the first window of a stream that begins with known paces: by the costs of one plan, the same for all, so that their paces
// decide between them.
double Planner::content_by_costs(const PlanQuery &query) const {
    const unsigned plan = *nearest_measured(0);
    return predicted_ns(query, plan & query.usable) / pace()[plan];
}

std::optional<unsigned> Planner::nearest_measured(unsigned on_gpu) const {
    std::optional<unsigned> nearest;
    unsigned least = ~0u;
    for (unsigned plan = 0; plan < kPlans; plan++) {
        // With and without a GPU threads meet differently: such a plan comes last.
        const unsigned other_side = !plan != !on_gpu ? kCostStages : 0;
        const unsigned far = static_cast<unsigned>(std::popcount(plan ^ on_gpu)) + other_side;
        if (pace()[plan] > 0 && far < least) {
            nearest = plan;
            least = far;
        }
    }
    return nearest;
}

double Planner::value_of(const PlanQuery &query, unsigned on_gpu) const {
    const double frame = expected_ns(query, on_gpu), cpu = model_.predict(query.with(on_gpu)).cpu_ns;
    const double speed = frame * (1 + kCpuWeight * cpu / std::max(1.0, model_.predict(query.with(0)).cpu_ns));
    if (traits_.goal == Goal::speed)
        return speed;
    // Plans that are too slow come after those that aren't, the fastest first: in time, no plan takes more than all cores.
    const double too_slow = kRealTime * std::max(1u, traits_.cores);
    return frame <= kRealTime ? cpu : too_slow + speed;
}

Planner::Ranked Planner::rank(const PlanQuery &query) const {
    Ranked ranked;
    for (unsigned plan = 0; plan < kPlans; plan++) {
        if (!query.allows(plan))
            continue;
        ranked.value[plan] = value_of(query, plan);
        if (ranked.value[plan] < ranked.value[ranked.best])
            ranked.best = plan;
    }
    return ranked;
}

// Frames with inter blocks don't move to a plan whose pace isn't known, once any is. Until then costs that are hardly known don't move
// them often.
void Planner::choose_home(Home &home, const PlanQuery &query, const Ranked &ranked) {
    const bool by_pace = !query.intra_only && nearest_measured(0);
    const unsigned now = home.on_gpu & query.usable;
    const bool stays = home.chosen && query.allows(now);
    const bool guess = !query.intra_only && !by_pace;
    const double better = guess ? kMuchBetter : kBetter;
    const auto cpu_ns = [&](unsigned plan) { return model_.predict(query.with(plan)).cpu_ns; };
    const auto worth_it = [&](unsigned plan) {
        const double there = ranked.value[plan], here = ranked.value[now];
        return there < (1 - better) * here || (by_pace && there < here && cpu_ns(plan) < kMuchLessCpu * cpu_ns(now));
    };
    std::optional<unsigned> best;
    for (unsigned plan = 0; plan < kPlans; plan++)
        if (query.allows(plan) && (!by_pace || pace()[whole(query, plan)] > 0) &&
            (!best || ranked.value[plan] < ranked.value[*best]) && (!stays || worth_it(plan)))
            best = plan;
    home.held++;
    if (stays && (home.held < (guess ? kHoldGuess : kHold) || !best))
        return;
    if (stays && guess && guesses_++ >= kGuesses)
        return;
    home.chosen = true;
    home.held = 0;
    home.on_gpu = whole(query, best.value_or(ranked.best));
}

// A frame under another plan, whose cost can be afforded; or the current one.
unsigned Planner::single_trial(Home &home, const PlanQuery &query, const Ranked &ranked, unsigned now) {
    const double frame = ranked.value[now];
    if (!has_credit_)
        credit_ns_ = kFirstCredit * frame;
    has_credit_ = true;
    credit_ns_ = std::min(credit_ns_ + kTrialShare * frame, kMostCredit * frame);
    if (++home.since_trial < kTrialInterval)
        return now;
    // In turn, so that credit is saved for a plan that looks expensive. One that costs more than credit can be has its trial
    // once credit is full, and others wait until that is paid.
    unsigned oldest = now;
    for (unsigned plan = 0; plan < kPlans; plan++)
        if (query.allows(plan) && plan != now && (oldest == now || home.seen[plan] < home.seen[oldest]))
            oldest = plan;
    if (oldest == now)
        return now;
    // Frames with and without a GPU don't overlap as frames of one kind do: in the worst case nothing runs beside this one.
    const CostEstimate alone = model_.predict(query.with(oldest));
    const double cost = std::max(ranked.value[oldest] - frame, alone.cpu_ns + alone.gpu_ns);
    if (cost > credit_ns_ && credit_ns_ < kMostCredit * frame)
        return now;
    home.since_trial = 0;
    credit_ns_ -= cost;
    return oldest;
}

// Sends the next frames to another plan for a window, if it is time: at once, if that plan was never measured and looks better, or
// if it is the first of its side; later now and then, in turn.
void Planner::consider_excursion(const PlanQuery &query, const Ranked &ranked, unsigned now) {
    if (content_ <= 0 || visit_ || pace()[whole(query, now)] <= 0)
        return;
    using Rank = std::tuple<bool, unsigned, double>;
    std::optional<std::pair<Rank, unsigned>> first;
    for (unsigned plan = 0; plan < kPlans; plan++) {
        const double value = ranked.value[plan];
        if (!query.allows(plan) || plan == now || value > kExcursionLimit * ranked.value[now])
            continue;
        const unsigned visits = visits_[whole(query, plan)];
        const bool fresh = visits < kAttempts && pace()[whole(query, plan)] <= 0;
        const bool better = value < (1 - kPromising) * ranked.value[now] && at_home_ >= kUrgentInterval;
        const bool other_side = !side_measured(plan) && (at_home_ >= kUrgentInterval || !informed_);
        const bool urgent = fresh && (better || other_side);
        const std::pair candidate(Rank(!urgent, visits, value), plan);
        if (!first || candidate < *first)
            first = candidate;
    }
    if (!first)
        return;
    const auto &[rank, plan] = *first;
    const double excess = ranked.value[plan] / ranked.value[now] - 1;
    const double rest = std::min(kLongestRest, lost_ns_ / kTrialShare / expected_ns(query, now));
    const double wait = std::max({kExcursionInterval, excess * 2 * Pace::kWindow / kTrialShare, rest});
    if (!std::get<0>(rank) || at_home_ >= wait)
        excursion_ = whole(query, plan);
}

bool Planner::side_measured(unsigned on_gpu) const {
    const auto nearest = nearest_measured(on_gpu);
    return nearest && !*nearest == !on_gpu;
}

void Planner::end_excursion() {
    visits_[*excursion_]++;
    excursion_.reset();
    at_home_ = 0;
}

Forecast Planner::plan(PlanQuery query, unsigned in_flight, std::int64_t now) {
    const unsigned size = size_class(query.pixels);
    if (frames_++ == 0)
        first_depth_ = in_flight;
    most_in_flight_ = std::max(most_in_flight_, in_flight);
    if (frames_ == 1 || size != size_)
        change_size(size);
    // Frames without inter blocks use the GPU only if the others do.
    if (query.intra_only && home_[0].chosen && !home_[0].on_gpu)
        query.usable = 0;
    Home &home = home_[query.intra_only];
    const Ranked ranked = rank(query);
    if (excursion_ && meter_.length() > kLongestExcursion)
        end_excursion();
    if (!excursion_)
        choose_home(home, query, ranked);
    const unsigned stay = home.on_gpu & query.usable;
    Forecast forecast;
    forecast.on_gpu = stay;
    // A frame that lacks a stage has no say: the plan that looks best for it would be another one for the frames that have all.
    const bool has_all = query.intra_only || planned_.are_in(query.stages);
    if (!query.intra_only && !excursion_ && ++at_home_ > kHold && has_all) {
        consider_excursion(query, ranked, stay);
        if (excursion_)
            absence_ = {true, meter_.clock(now), 0};
    }
    if (!query.intra_only && excursion_)
        forecast.on_gpu = *excursion_ & query.usable;
    else if (!excursion_)
        forecast.on_gpu = single_trial(home, query, ranked, stay);
    forecast.trial = forecast.on_gpu != stay;
    home.seen[forecast.on_gpu] = frames_;
    forecast.run = meter_.begun(excursion_.value_or(home_[0].on_gpu), in_flight, now);
    double &depth = depth_[forecast.on_gpu != 0];
    depth += (depth > 0 ? kDepthRate : 1) * (in_flight - depth);
    forecast.cost = model_.predict(query.with(forecast.on_gpu));
    forecast.frame_ns = expected_ns(query, forecast.on_gpu);
    return forecast;
}

// Frames that lack a stage which others have are often those that only bring another one back: next to nothing is parsed there, which the
// model would take for the stage's doing.
bool Planner::Usual::are_in(unsigned frame) {
    const bool lacks = (stages & ~frame) != 0;
    if (lacks && ++others < kUnusual)
        return false;
    *this = {frame, 0};
    return true;
}

void Planner::learn_submit(const CostQuery &query, double gpu_ns) {
    if (!is_warming_up(query))
        model_.learn_gpu(query, 1, gpu_ns);
}

void Planner::learn_frame(const CostQuery &query, const CostOutcome &outcome) {
    learned_++;
    const bool warm = !is_warming_up(query);
    with_gpu_ += query.on_gpu != 0;
    if (outcome.cpu_ns > 0 && learned_from_[query.intra_only].are_in(query.stages) && warm)
        model_.learn_cpu(query, outcome.submits, outcome.cpu_ns);
}

void Planner::ended(const Forecast &forecast, double pixels, std::int64_t now) {
    // The end of an excursion whose outcome is clear isn't waited for.
    const double usual = excursion_ ? content_ * pace()[home_[0].on_gpu] : 0;
    absence_.pixels += pixels;
    if (const auto ns = meter_.ended(forecast.run, pixels, usual, now))
        learn_pace(*ns, now);
}

// A machine may have changed, so that no plan is left out for good.
void Planner::forget() {
    const unsigned home = home_[0].on_gpu;
    pace() = Paces{};
    pace()[home] = 1;
    content_ = usual_content_ = 0;
    visits_ = {};
    windows_ = 0;
}

void Planner::change_size(unsigned size) {
    size_ = size;
    excursion_.reset();
    visit_.reset();
    visits_ = {};
    content_ = usual_content_ = 0;
    windows_ = guesses_ = 0;
    absence_ = {};
    lost_ns_ = 0;
    home_[0].chosen = false;
    informed_ = nearest_measured(0).has_value();
}

// Content changes from scene to scene. What one plan's pace is to another's is learned from windows next to each other.
void Planner::judge(const Visit &visit, double before, double after) {
    const double low = visit.ns / std::max(before, after), high = visit.ns / std::min(before, after);
    const double home = pace()[home_[0].on_gpu];
    double measured = visit.ns / ((before + after) / 2);
    if (high > kSameContent * low) {
        // Another scene began meanwhile. It may be clear all the same.
        if (high >= (1 - kBetter) * home && low <= home)
            return;
        measured = low > home ? low : high;
    }
    double &pace = this->pace()[visit.plan];
    const bool known = pace > 0 && std::max(pace, measured) < kSimilar * std::min(pace, measured);
    // The plan that looks best of equal ones is the luckiest one: the more measurements, the less so.
    const double rate = std::max(kPaceRate, 1.0 / std::max(1u, visits_[visit.plan]));
    pace = known ? pace + rate * (measured - pace) : measured;
}

// Threads that have many frames on their way take long to turn to another side. So the next excursion waits until this one is paid,
// from its first frame to the first whole window at home.
void Planner::count_excursion(double content, std::int64_t now) {
    if (!std::exchange(absence_.counted, false))
        return;
    const double usual = absence_.pixels * content * pace()[home_[0].on_gpu];
    lost_ns_ = std::max(0.0, static_cast<double>(meter_.clock(now) - absence_.since) - usual);
}

void Planner::learn_pace(double ns, std::int64_t now) {
    if (excursion_) {
        visit_ = {*excursion_, ns};
        end_excursion();
        return;
    }
    double &pace = this->pace()[home_[0].on_gpu];
    if (pace <= 0)
        pace = content_ > 0 ? ns / content_ : 1;
    const double before = std::exchange(content_, ns / pace);
    count_excursion(std::max(before, content_), now);
    if (visit_)
        judge(*std::exchange(visit_, {}), before, content_);
    if (before <= 0)
        usual_content_ = content_;
    windows_++;
    if (windows_ >= kForget || (windows_ >= kForgetEarly && content_ > kJump * usual_content_))
        forget();
}

} // namespace dd
