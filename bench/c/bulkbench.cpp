// bulkbench.cpp: the measures of bspbench.c on Bulk, a BSP library for C++ with an
// interface of its own. Options and JSON lines are those of bspbench.c; see README.md.
//
// The backend is chosen when it is compiled: BULK_THREAD and BULK_SPIN are threads that
// meet at the barrier of the C++ library, or at Bulk's spinning one, BULK_MPI is MPI.
#include "loop.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include <bulk/bulk.hpp>
#ifdef BULK_MPI
#include <bulk/backends/mpi/mpi.hpp>
using Environment = bulk::mpi::environment;
#else
#include <bulk/backends/thread/thread.hpp>
#ifdef BULK_SPIN
using Environment = bulk::thread::environment_<bulk::thread::spinning_barrier>;
#else
using Environment = bulk::thread::environment;
#endif
#endif

namespace {

constexpr long kib = 1024 / sizeof(double), mib = 1024 * kib; // in words
constexpr long many = 100'000;

struct Options {
    double seconds = 0.2;
    int procs = 0; // 0 for all that there are
    std::string library = "Bulk", only;
};

// exact in a double
double word(int pid, long i) { return pid * 1e9 + static_cast<double>(i); }

// Result says what the destination has after a measure.
enum class Result { nothing, from_left, permuted, from_right, one_way_put, one_way_get, halo, from_all, sum };

struct Process;

struct Measure {
    std::string name;
    std::function<void(Process&, long)> step; // one superstep; all call it with the same n
    long n;                                   // the step's argument
    long ops, words;                          // of a process in a step
    Result result;
};

// Process has what the steps of one process work on.
struct Process {
    bulk::world& world;
    const Options& options;
    int pid, procs, right, left;
    int around[NEIGHBOURS];
    std::vector<double> src;   // src[i] == word(pid, i) throughout
    bulk::coarray<double> area, dst; // area has the same, for gets
    bulk::coarray<double> vote;
    bulk::queue<int, double> words;
    bulk::queue<int, double[]> pieces;
    std::vector<bulk::future<double>> got;
    std::vector<long> where; // a permutation
    double found = 0;        // by the last collective

    Process(bulk::world& w, const Options& o, long length)
        : world(w), options(o), pid(w.rank()), procs(w.active_processors()), right((pid + 1) % procs),
          left((pid + procs - 1) % procs), src(length), area(w, length), dst(w, length), vote(w, 1), words(w), pieces(w)
    {
        torus(pid, procs, around);
        for (long i = 0; i < length; i++)
            src[i] = area[i] = word(pid, i);
        world.sync();
    }

    void put(int to, long at, long from, long n)
    {
        dst.put(to, {static_cast<size_t>(at), static_cast<size_t>(at + n)}, std::span<double>(src.data() + from, n));
    }

    // agree returns process 0's x on every process.
    double agree(double x)
    {
        if (pid == 0)
            for (int q = 0; q < procs; q++)
                vote(q)[0] = x;
        world.sync();
        return vote[0];
    }
};

void empty(Process& p, long) { p.world.sync(); }

void put8(Process& p, long n)
{
    for (long i = 0; i < n; i++)
        p.dst(p.right)[i] = p.src[i];
    p.world.sync();
}

void put8_random(Process& p, long n)
{
    for (long i = 0; i < n; i++)
        p.dst(p.right)[p.where[i]] = p.src[i];
    p.world.sync();
}

void get8(Process& p, long n)
{
    p.got.clear();
    for (long i = 0; i < n; i++)
        p.got.push_back(p.area(p.right)[i].get());
    p.world.sync();
    for (long i = 0; i < n; i++)
        p.dst[i] = p.got[i].value();
}

void send8_unread(Process& p, long n)
{
    for (long i = 0; i < n; i++)
        p.words(p.right).send(static_cast<int>(i), p.src[i]);
    p.world.sync();
}

void send8(Process& p, long n)
{
    send8_unread(p, n);
    for (auto& [tag, value] : p.words)
        p.dst[tag] = value;
}

void halo_put(Process& p, long n)
{
    for (int d = 0; d < NEIGHBOURS; d++)
        p.put(p.around[d], d * n, d * n, n);
    p.world.sync();
    look_at(p.dst.data(), NEIGHBOURS * n);
}

void halo_send(Process& p, long n)
{
    for (int d = 0; d < NEIGHBOURS; d++)
        p.pieces(p.around[d]).send(d, std::vector<double>(p.src.begin() + d * n, p.src.begin() + (d + 1) * n));
    p.world.sync();
    for (auto& [d, values] : p.pieces)
        std::memcpy(p.dst.data() + d * n, values.data(), n * sizeof(double));
}

void alltoall_put(Process& p, long n)
{
    for (int q = 0; q < p.procs; q++)
        p.put(q, p.pid * n, q * n, n);
    p.world.sync();
}

void sum(Process& p, long) { p.found = bulk::sum(p.world, p.src[0]); }

void put(Process& p, long n)
{
    if (p.pid == 0)
        p.put(p.right, 0, 0, n);
    p.world.sync();
}

void put2(Process& p, long n)
{
    p.put(p.right, 0, 0, n);
    p.world.sync();
}

// A get of many elements brings them into memory of its own, where they are used.

void fetch(Process& p, long n, bool all)
{
    if (p.pid != 0 && !all) {
        p.world.sync();
        return;
    }
    auto came = p.area.get(p.right, 0, n);
    p.world.sync();
    for (long i = 0; i < n; i += n - 1)
        p.dst[i] = came[i];
}

void get(Process& p, long n) { fetch(p, n, false); }

void get2(Process& p, long n) { fetch(p, n, true); }

std::vector<Measure> measures(int procs)
{
    auto small = [](std::string name, auto step, long n, Result result) {
        return Measure{name, step, n, n, n, result};
    };
    auto large = [](std::string name, auto step, long n, Result result) {
        return Measure{name, step, n, 1, n, result};
    };
    std::vector<Measure> all = {small("empty", empty, 0, Result::nothing)};
    for (long n : {1L, 1000L, many}) {
        auto length = std::string("_").append(std::to_string(n));
        all.push_back(small("put8" + length, put8, n, Result::from_left));
        all.push_back(small("get8" + length, get8, n, Result::from_right));
        all.push_back(small("send8" + length, send8, n, Result::from_left));
        all.push_back(small("send8" + length + "_unread", send8_unread, n, Result::nothing));
    }
    all.push_back(small("put8_100000_random", put8_random, many, Result::permuted));
    for (long size : {4, 8, 64}) {
        auto name = std::string("halo_").append(std::to_string(size)).append("KiB_");
        all.push_back({name + "put", halo_put, size * kib, NEIGHBOURS, NEIGHBOURS * size * kib, Result::halo});
        all.push_back({name + "send", halo_send, size * kib, NEIGHBOURS, NEIGHBOURS * size * kib, Result::halo});
    }
    all.push_back({"alltoall_1KiB_put", alltoall_put, kib, procs, procs * kib, Result::from_all});
    all.push_back({"allreduce_8B", sum, 1, 1, 1, Result::sum});
    for (long size : {1, 64}) {
        auto name = std::string("_").append(std::to_string(size)).append("MiB");
        all.push_back(large("put" + name, put, size * mib, Result::one_way_put));
        all.push_back(large("put2" + name, put2, size * mib, Result::from_left));
        all.push_back(large("get" + name, get, size * mib, Result::one_way_get));
        all.push_back(large("get2" + name, get2, size * mib, Result::from_right));
    }
    return all;
}

// skip says why a measure is left out, "" if it is not.
std::string skip(const Measure& m)
{
#ifdef BULK_MPI
    // It looks for each answer among all requests.
    if (m.name == "get8_100000")
        return "its time grows with the square of the number of gets";
#endif
    (void)m;
    return "";
}

[[noreturn]] void fail(const std::string& why)
{
    std::fprintf(stderr, "bulkbench: %s\n", why.c_str());
    std::fflush(stderr);
#ifdef BULK_MPI
    MPI_Abort(MPI_COMM_WORLD, 1);
#endif
    std::_Exit(1);
}

// wanted is the word that must be at a place, -1 if none.
double wanted(const Process& p, const Measure& m, long at)
{
    bool ends = at == 0 || at == m.n - 1; // all that is looked at of a large get
    switch (m.result) {
    case Result::from_left:
        return word(p.left, at);
    case Result::from_right:
        return m.ops > 1 || ends ? word(p.right, at) : -1;
    case Result::one_way_put:
        return p.left == 0 ? word(0, at) : -1;
    case Result::one_way_get:
        return p.pid == 0 && ends ? word(p.right, at) : -1;
    case Result::halo:
        return word(p.around[(at / m.n) ^ 1], at);
    case Result::from_all:
        return word(static_cast<int>(at / m.n), p.pid * m.n + at % m.n);
    default:
        return -1;
    }
}

void verify(const Process& p, const Measure& m)
{
    auto wrong = [&](long at, double is, double want) {
        char said[200];
        std::snprintf(said, sizeof said, "%s: process %d, word %ld is %g, want %g", m.name.c_str(), p.pid, at, is, want);
        fail(said);
    };
    if (m.result == Result::sum) {
        double want = 1e9 * p.procs * (p.procs - 1) / 2;
        if (p.found != want)
            wrong(0, p.found, want);
        return;
    }
    for (long i = 0; i < m.words; i++) {
        bool permuted = m.result == Result::permuted;
        long at = permuted ? p.where[i] : i;
        double want = permuted ? word(p.left, i) : wanted(p, m, i);
        if (want >= 0 && p.dst[at] != want)
            wrong(at, p.dst[at], want);
    }
}

struct Steps {
    Process* p;
    const Measure* m;
};

double batch(void* of, long k)
{
    auto* steps = static_cast<Steps*>(of);
    Process& p = *steps->p;
    p.world.sync();
    auto began = std::chrono::steady_clock::now();
    for (long i = 0; i < k; i++)
        steps->m->step(p, steps->m->n);
    p.world.sync();
    return p.agree(std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count());
}

std::vector<long> permutation(long n)
{
    unsigned long long x = 20260101;
    std::vector<long> perm(n);
    for (long i = 0; i < n; i++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        long j = static_cast<long>((x >> 33) % static_cast<unsigned long long>(i + 1));
        perm[i] = i;
        std::swap(perm[i], perm[j]);
    }
    return perm;
}

void run(bulk::world& world, const Options& options)
{
    long length = 1;
    auto all = measures(world.active_processors());
    std::erase_if(all, [&](const Measure& m) { return !selected(options.only.c_str(), m.name.c_str()); });
    for (auto& m : all)
        length = std::max(length, m.words);
    Process p(world, options, length);
    if (p.pid == 0)
        print_header("bulkbench.cpp", options.library.c_str(), p.procs);
    for (auto& m : all) {
        if (auto why = skip(m); !why.empty()) {
            if (p.pid == 0)
                std::printf("{\"skipped\":\"%s\",\"p\":%d,\"why\":\"%s\"}\n", m.name.c_str(), p.procs, why.c_str());
            continue;
        }
        if (m.result == Result::permuted)
            p.where = permutation(many);
        std::fill(p.dst.data(), p.dst.data() + m.words, std::numeric_limits<double>::quiet_NaN());
        world.sync();
        Steps steps{&p, &m};
        Timing t = time_batches(batch, &steps, options.seconds);
        verify(p, m);
        p.got.clear();
        if (p.pid == 0)
            print_row({m.name.c_str(), p.procs, t, static_cast<double>(m.words) * sizeof(double), static_cast<double>(m.ops)});
    }
}

Options parse(int argc, char** argv)
{
    Options o;
    for (int i = 1; i < argc; i++) {
        std::string flag = argv[i];
        auto value = [&]() -> std::string {
            if (i + 1 == argc)
                fail("usage: bulkbench [-q] [-p procs] [-t seconds] [-library name] [-only list], see bspbench.c; " + flag + " has no value");
            return argv[++i];
        };
        if (flag == "-q")
            o.seconds = 0.05;
        else if (flag == "-p")
            o.procs = std::atoi(value().c_str());
        else if (flag == "-t")
            o.seconds = std::atof(value().c_str());
        else if (flag == "-library")
            o.library = value();
        else if (flag == "-only")
            o.only = value();
        else
            fail("usage: bulkbench [-q] [-p procs] [-t seconds] [-library name] [-only list], see bspbench.c; there is no " + flag);
    }
    return o;
}

} // namespace

int main(int argc, char** argv)
{
    Environment env;
    Options options = parse(argc, argv);
    int procs = options.procs > 0 ? options.procs : env.available_processors();
    env.spawn(procs, [&](bulk::world& world) { run(world, options); });
    return 0;
}
