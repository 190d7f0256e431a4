// Replays a workload in SimGrid: processes compute on their hosts, then send their
// messages, and all wait for each other after each superstep. It prints the simulated
// seconds.
//
//   replay PLATFORM.xml WORKLOAD.csv [PAIRS] [--cfg=...]
//
// The workload is as migbsp simulate -export writes it: lines map, work, msg, over and
// steps; state is left out, and others are refused. A message from a host to itself counts
// if the platform says over which links it goes. For each line of PAIRS, two hosts with a
// tab between them, it first prints the route: its latency and its links, with tabs, or
// "none".

#include <simgrid/kernel/routing/StarZone.hpp>
#include <simgrid/s4u.hpp>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace s4u = simgrid::s4u;

struct Message {
  int to;
  double bytes;
};

struct Process {
  s4u::Host* host = nullptr;
  std::vector<double> work;                    // by superstep
  std::vector<std::vector<Message>> messages;  // by superstep
};

static std::vector<Process> processes;
static std::vector<double> over;
static size_t steps;

static void fail(const std::string& file, int line, const std::string& what) {
  std::fprintf(stderr, "%s:%d: %s\n", file.c_str(), line, what.c_str());
  std::exit(1);
}

static Process& process(size_t pid) {
  if (processes.size() <= pid)
    processes.resize(pid + 1);
  return processes[pid];
}

template <class T> static T& at(std::vector<T>& all, size_t step) {
  if (all.size() < step)
    all.resize(step);
  steps = std::max(steps, step);
  return all[step - 1];
}

static void read(const std::string& file) {
  std::ifstream in(file);
  std::string line;
  if (!in)
    fail(file, 0, "cannot be read");
  for (int number = 1; std::getline(in, line); number++) {
    std::stringstream text(line.substr(0, line.find('#')));
    std::vector<std::string> cell;
    for (std::string part; std::getline(text, part, ',');)
      cell.push_back(part);
    if (cell.empty())
      continue;
    auto whole = [&](size_t i) { return std::stoul(cell.at(i)); };
    auto real = [&](size_t i) { return std::stod(cell.at(i)); };
    const std::string& kind = cell[0];
    if (kind == "map")
      process(whole(1)).host = s4u::Host::by_name(cell.at(2));
    else if (kind == "work")
      at(process(whole(2)).work, whole(1)) += real(3);
    else if (kind == "msg")
      at(process(whole(2)).messages, whole(1)).push_back({static_cast<int>(whole(3)), real(4)});
    else if (kind == "over")
      at(over, whole(1)) += real(2);
    else if (kind == "steps")
      steps = std::max(steps, whole(1));
    else if (kind != "state" && kind != "states" && kind != "site")
      fail(file, number, "a line of kind " + kind);
  }
  for (size_t pid = 0; pid < processes.size(); pid++) {
    if (processes[pid].host == nullptr)
      fail(file, 0, "process " + std::to_string(pid) + " has no host");
    processes[pid].work.resize(steps);
    processes[pid].messages.resize(steps);
  }
  over.resize(steps);
}

// The links from one host to another, none where SimGrid would take its own for a host's
// messages to itself, or a cluster's way out and back in.
static std::vector<s4u::Link*> route(const s4u::Host* from, const s4u::Host* to, double* latency) {
  std::vector<s4u::Link*> links;
  from->route_to(to, links, latency);
  if (from != to || links.empty())
    return links;
  const std::string& first = links[0]->get_name();
  const std::string loopback = "_loopback";
  const auto* zone = from->get_englobing_zone()->get_impl();
  bool star = dynamic_cast<const simgrid::kernel::routing::StarZone*>(zone) != nullptr;
  bool described = first.size() > loopback.size() && first.compare(first.size() - loopback.size(), loopback.size(), loopback) == 0;
  if (first == "__loopback__" || (star && not described)) {
    links.clear();
    *latency = 0;
  }
  return links;
}

static void print_routes(const std::string& file) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    size_t tab = line.find('\t');
    double latency = 0;
    try {
      auto links = route(s4u::Host::by_name(line.substr(0, tab)), s4u::Host::by_name(line.substr(tab + 1)), &latency);
      std::printf("%.17g", latency);
      for (const s4u::Link* link : links)
        std::printf("\t%s", link->get_cname());
      std::printf("\n");
    } catch (const std::exception&) {
      std::printf("none\n");
    }
  }
}

static bool has_route(const s4u::Host* from, const s4u::Host* to) {
  double latency = 0;
  return from != to || not route(from, to, &latency).empty();
}

static void run(size_t pid, const s4u::BarrierPtr& barrier) {
  Process& own = processes[pid];
  for (size_t step = 0; step < steps; step++) {
    if (own.work[step] > 0)
      s4u::this_actor::execute(own.work[step]);
    std::vector<s4u::CommPtr> sent;
    for (const Message& message : own.messages[step])
      if (has_route(own.host, processes[message.to].host))
        sent.push_back(s4u::Comm::sendto_async(own.host, processes[message.to].host, message.bytes));
    for (const s4u::CommPtr& message : sent)
      message->wait();
    barrier->wait();
    if (over[step] > 0)
      s4u::this_actor::sleep_for(over[step]);
  }
}

int main(int argc, char** argv) {
  s4u::Engine engine(&argc, argv);
  if (argc != 3 && argc != 4) {
    std::fprintf(stderr, "usage: %s PLATFORM.xml WORKLOAD.csv [PAIRS]\n", argv[0]);
    return 2;
  }
  engine.load_platform(argv[1]);
  engine.seal_platform(); // which finds the routes
  if (argc == 4)
    print_routes(argv[3]);
  read(argv[2]);
  s4u::BarrierPtr barrier = s4u::Barrier::create(processes.size());
  for (size_t pid = 0; pid < processes.size(); pid++)
    s4u::Actor::create(std::to_string(pid), processes[pid].host, run, pid, barrier);
  engine.run();
  std::printf("%.9f\n", s4u::Engine::get_clock());
  return 0;
}
