// Replays a workload in SimGrid: processes compute on their hosts, then send their
// messages, and all wait for each other after each superstep. It prints the simulated
// seconds.
//
//   replay PLATFORM.xml WORKLOAD.csv [--cfg=...]
//
// The workload is as migbsp simulate -export writes it: lines map, work, msg, over and
// steps; state is left out, and others are refused.

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

static void run(size_t pid, const s4u::BarrierPtr& barrier) {
  Process& own = processes[pid];
  for (size_t step = 0; step < steps; step++) {
    if (own.work[step] > 0)
      s4u::this_actor::execute(own.work[step]);
    std::vector<s4u::CommPtr> sent;
    for (const Message& message : own.messages[step])
      if (processes[message.to].host != own.host)
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
  if (argc != 3) {
    std::fprintf(stderr, "usage: %s PLATFORM.xml WORKLOAD.csv\n", argv[0]);
    return 2;
  }
  engine.load_platform(argv[1]);
  read(argv[2]);
  s4u::BarrierPtr barrier = s4u::Barrier::create(processes.size());
  for (size_t pid = 0; pid < processes.size(); pid++)
    s4u::Actor::create(std::to_string(pid), processes[pid].host, run, pid, barrier);
  engine.run();
  std::printf("%.9f\n", s4u::Engine::get_clock());
  return 0;
}
