// What programs in C++ have more than those in C: static objects, virtual functions,
// containers, exceptions. Prints: ok
#include <bsp.h>
#include <bsp_level1.h>

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

static void must(bool so, const char *what) {
  if (!so) bsp_abort("process %d: not so: %s\n", bsp_pid(), what);
}

struct Counted {
  static int made;
  std::string name;
  explicit Counted(const std::string &n) : name(n) { made++; }
  ~Counted() { made--; }
};
int Counted::made;
static Counted global("a name that is longer than what a string has within itself");

struct Shape {
  virtual ~Shape() {}
  virtual double area() const = 0;
};
struct Square : Shape {
  double side;
  explicit Square(double s) : side(s) {}
  double area() const { return side * side; }
};
struct Circle : Shape {
  double radius;
  explicit Circle(double r) : radius(r) {}
  double area() const { return 3 * radius * radius; }
};

static void thrower(int depth) {
  Counted here("on the stack");
  bsp_sync();
  if (depth == 0) throw std::runtime_error("thrown by process " + std::to_string(bsp_pid()));
  thrower(depth - 1);
}

int main() {
  bsp_begin(bsp_nprocs());
  const int p = bsp_nprocs(), s = bsp_pid();
  must(Counted::made == 1 && global.name.size() > 40, "a static object is made once");
  global.name += std::to_string(s);

  std::map<std::string, std::vector<int>> lists;
  for (int i = 0; i < 100; i++) lists["list " + std::to_string(i % 7)].push_back(i * s);
  std::unique_ptr<Shape> shape(s % 2 ? (Shape *)new Square(s) : (Shape *)new Circle(s));
  bsp_sync();
  must(lists.size() == 7 && lists["list 3"][2] == 17 * s, "containers keep what they have");
  must(shape->area() == (s % 2 ? 1 : 3) * s * s, "virtual functions are found");
  must(global.name.back() == '0' + s, "static objects are private");

  std::string caught;
  try {
    thrower(5);
  } catch (const std::exception &e) {
    caught = e.what();
  }
  must(caught == "thrown by process " + std::to_string(s) && Counted::made == 1, "exceptions unwind");
  bsp_sync();

  std::vector<double> area(p), mine(1, s + 0.5);
  bsp_push_reg(area.data(), (int)(area.size() * sizeof(double)));
  bsp_sync();
  for (int i = 0; i < p; i++) bsp_put(i, mine.data(), area.data(), s * (int)sizeof(double), sizeof(double));
  bsp_sync();
  must(std::accumulate(area.begin(), area.end(), 0.0) == p * p / 2.0, "vectors are areas");
  bsp_pop_reg(area.data());

  std::ostringstream text;
  text << "sum " << bsp_sumD(0.5) << ' ' << std::boolalpha << (p > 0);
  must(text.str() == "sum 2 true" || p != 4, "streams write");
  std::sort(area.begin(), area.end(), [s](double x, double y) { return s % 2 ? x < y : x > y; });
  bsp_sync();
  must(area[0] == (s % 2 ? 0.5 : p - 0.5), "lambdas are called");
  if (s == 0) puts("ok");
  bsp_end();
}
