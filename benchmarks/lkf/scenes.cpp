// SPDX-License-Identifier: Apache-2.0
#include "lkf/scenes.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/exec/random.hpp"

namespace ulpine::lkf::judging {
namespace {

using std::numbers::pi;

constexpr double height = 0.5;         // day^-1, of a feature's deformation
constexpr double quiet_ground = 0.01;  // day^-1

/// Random numbers of one scene: a function of the shape, the scene's number and the place alone.
class Draws {
 public:
  Draws(std::string const& shape, std::uint32_t scene) : shape_{name_key(shape)}, scene_{scene} {}

  /// Uniform between the two.
  double between(double least, double most) {
    return least + (most - least) * (uniform_symmetric(1, scene_, shape_, next_++) + 1) / 2;
  }
  /// Normal deviate at a place (Box and Muller).
  double normal(std::int64_t place) const {
    auto const u = (uniform_symmetric(2, scene_, shape_, place) + 1) / 2;
    auto const v = uniform_symmetric(3, scene_, shape_, place);
    return std::sqrt(-2 * std::log1p(-u)) * std::cos(pi * v);
  }

 private:
  std::uint32_t shape_, scene_;
  std::int64_t next_ = 0;
};

Curve line(Point const& centre, double degrees, double length) {
  auto const rows = std::sin(degrees * pi / 180) * length / 2,
             columns = std::cos(degrees * pi / 180) * length / 2;
  return {{{centre[0] - rows, centre[1] - columns}, {centre[0] + rows, centre[1] + columns}}};
}

/// From one angle to the other, degrees.
Curve arc(Point const& centre, double radius, double from, double to) {
  Curve curve;
  auto const pieces = static_cast<int>(std::ceil(std::abs(to - from) / 4));
  for (int k = 0; k <= pieces; ++k) {
    auto const angle = (from + (to - from) * k / pieces) * pi / 180;
    curve.points.push_back({centre[0] + radius * std::sin(angle), centre[1] + radius * std::cos(angle)});
  }
  return curve;
}

double distance(Point const& p, Point const& a, Point const& b) {
  auto const dr = b[0] - a[0], dc = b[1] - a[1];
  auto const t = std::clamp(((p[0] - a[0]) * dr + (p[1] - a[1]) * dc) / (dr * dr + dc * dc), 0.0, 1.0);
  return std::hypot(p[0] - a[0] - t * dr, p[1] - a[1] - t * dc);
}

struct Ridge {
  Curve curve;
  double height;  // day^-1
};

double ground_at(Ground ground, Point const& p, double phase) {
  switch (ground) {
    case Ground::smooth:
      return quiet_ground +
             0.04 * (1 + std::sin(2 * pi * p[0] / 64 + phase) * std::cos(2 * pi * p[1] / 90 - phase));
    case Ground::ring: {
      auto const off = std::hypot(p[0] - Scene::side / 2.0, p[1] - Scene::side / 2.0) - 35;
      return quiet_ground + height * std::exp2(-off * off / 100);
    }
    case Ground::quiet:
      break;
  }
  return quiet_ground;
}

/// A point is on the highest ridge that it is on.
Scene drawn(std::vector<Ridge> const& ridges, Setting const& setting, double width, Draws const& draws,
            double phase) {
  Scene scene;
  for (auto const& ridge : ridges) scene.curves.push_back(ridge.curve);
  for (std::int64_t place = 0; place < Scene::side * Scene::side; ++place) {
    Point const p{static_cast<double>(place / Scene::side), static_cast<double>(place % Scene::side)};
    double top = 0;
    for (auto const& [curve, its_height] : ridges) {
      auto nearest = distance(p, curve.points[0], curve.points[1]);
      for (std::size_t k = 2; k < curve.points.size(); ++k) {
        nearest = std::min(nearest, distance(p, curve.points[k - 1], curve.points[k]));
      }
      top = std::max(top, its_height * std::exp2(-4 * nearest * nearest / (width * width)));
    }
    scene.eps.push_back((ground_at(setting.ground, p, phase) + top) *
                        std::exp(setting.noise * draws.normal(place)));
  }
  frame_with_nan(scene.eps, Scene::side, Scene::side);
  return scene;
}

/// Each scene's ridges, by its number; none left after the last.
std::vector<Ridge> ridges_of(std::string const& shape, std::uint32_t number, Draws& draws) {
  // Not on the grid: anywhere within a cell.
  Point const centre{64 + draws.between(-0.5, 0.5), 64 + draws.between(-0.5, 0.5)};
  if (shape == "line") return {{line(centre, 5.0 * number, 70), height}};
  if (shape == "arc") {
    constexpr double radii[] = {20, 40, 80};
    auto const radius = radii[number % 3], middle = 22.5 * (number / 3);
    Point const of_circle{centre[0] - 0.9 * radius * std::sin(middle * pi / 180),
                          centre[1] - 0.9 * radius * std::cos(middle * pi / 180)};
    return {{arc(of_circle, radius, middle - 45, middle + 45), height}};
  }
  if (shape == "ring") return {{arc(centre, 10 + 5.0 * (number % 6), 0, 360), height}};
  if (shape == "crossing") {
    auto const first = 30.0 * (number / 6), angle = 15.0 * (1 + number % 6);
    return {{line(centre, first, 80), height}, {line(centre, first + angle, 80), height}};
  }
  std::vector<Ridge> ridges;
  auto const main = draws.between(0, 180);
  for (int k = 0; k < 12 && shape == "network"; ++k) {
    auto const length = draws.between(20, 60);
    auto const direction = main + (k % 2 == 0 ? 25 : -25) + draws.between(-8, 8);
    Point const middle{draws.between(34, 94), draws.between(34, 94)};
    ridges.push_back({line(middle, direction, length), 0.05 * std::pow(20, draws.between(0, 1))});
  }
  return ridges;
}

std::uint32_t count_of(std::string const& shape) {
  return shape == "line" || shape == "crossing" ? 36 : shape == "arc" ? 24 : 12;
}

}  // namespace

double Curve::length() const {
  double sum = 0;
  for (std::size_t k = 1; k < points.size(); ++k) {
    sum += std::hypot(points[k][0] - points[k - 1][0], points[k][1] - points[k - 1][1]);
  }
  return sum;
}

std::string Setting::name() const {
  std::string const under = ground == Ground::quiet    ? "quiet"
                            : ground == Ground::smooth ? "smooth"
                                                       : "broad ring";
  if (noise == 0) return under;
  auto const digits = std::to_string(noise);
  return under + ", noise " + digits.substr(0, digits.find_last_not_of("0.") + 1);
}

std::vector<std::string> shapes() { return {"line", "arc", "ring", "crossing", "network", "none"}; }

std::vector<Scene> scenes(std::string const& shape, Setting const& setting, double width) {
  std::vector<Scene> result;
  for (std::uint32_t number = 0; number < count_of(shape); ++number) {
    Draws draws(shape, number);
    auto const ridges = ridges_of(shape, number, draws);
    result.push_back(drawn(ridges, setting, width, draws, draws.between(0, 2 * pi)));
  }
  return result;
}

}  // namespace ulpine::lkf::judging
