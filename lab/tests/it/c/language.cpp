// What compilers make of C++, as language.c does of C.
#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

struct Shape {
    virtual ~Shape() = default;
    virtual double area() const = 0;
};
struct Square : Shape {
    double side;
    explicit Square(double side) : side(side) {}
    double area() const override { return side * side; }
};
struct Circle : Shape {
    double radius;
    explicit Circle(double radius) : radius(radius) {}
    double area() const override { return 3 * radius * radius; }
};

template <class T> static T sum(const std::vector<T> &all) {
    T total{};
    for (const T &one : all)
        total += one;
    return total;
}

static int thrown(int n) {
    if (n % 3 == 0)
        throw std::runtime_error("three");
    return n;
}

static int caught(int n) {
    int sum = 0;
    for (int i = 0; i < n; i++)
        try {
            sum += thrown(i);
        } catch (const std::exception &error) {
            sum += error.what()[0] == 't';
        }
    return sum;
}

static std::vector<int> made(int n) {
    std::vector<int> all;
    for (int i = 0; i < n; i++)
        all.push_back(i * 71 % n);
    return all;
}

int main() {
    auto list = made(150);
    std::sort(list.begin(), list.end());
    std::vector<double> numbers(64, 0.5);
    std::iota(numbers.begin(), numbers.end(), 1.0);
    std::map<std::string, int> counts;
    for (const char *word : {"a", "bb", "a", "ccc", "bb", "a"})
        counts[word]++;
    std::vector<std::unique_ptr<Shape>> shapes;
    for (int i = 0; i < 10; i++)
        if (i % 2)
            shapes.push_back(std::make_unique<Square>(i));
        else
            shapes.push_back(std::make_unique<Circle>(i));
    double area = 0;
    std::for_each(shapes.begin(), shapes.end(), [&](const auto &shape) { area += shape->area(); });
    std::printf("%d %g %d %g %d\n", list[70], sum(numbers), counts["a"], area, caught(10));
}
