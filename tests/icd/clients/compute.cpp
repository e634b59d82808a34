// Boost.Compute: sort, scan, reduce and transform, compared with the standard library.
#define CL_TARGET_OPENCL_VERSION 120
#define BOOST_COMPUTE_DEBUG_KERNEL_COMPILATION
#include <algorithm>
#include <boost/compute/algorithm/copy.hpp>
#include <boost/compute/algorithm/inclusive_scan.hpp>
#include <boost/compute/algorithm/reduce.hpp>
#include <boost/compute/algorithm/sort.hpp>
#include <boost/compute/algorithm/transform.hpp>
#include <boost/compute/container/vector.hpp>
#include <boost/compute/lambda.hpp>
#include <boost/compute/system.hpp>
#include <cstdio>
#include <numeric>
#include <vector>

namespace compute = boost::compute;

int main() {
  compute::device device = compute::system::default_device();
  compute::context context(device);
  compute::command_queue queue(context, device);
  std::vector<int> x(100000), y(x.size());
  unsigned state = 1;
  for (int &value : x)
    value = (int)((state = state * 1664525 + 1013904223) >> 12) - 500000;
  int failures = 0;
  auto same = [&](const char *what) {
    bool right = x == y;
    if (!right)
      std::printf("%s is wrong\n", what);
    failures += !right;
  };
  compute::vector<int> v(x.size(), context), w(x.size(), context);
  compute::copy(x.begin(), x.end(), v.begin(), queue);
  compute::transform(v.begin(), v.end(), w.begin(), compute::lambda::_1 % 1000 + 3, queue);
  compute::copy(w.begin(), w.end(), y.begin(), queue);
  for (int &value : x)
    value = value % 1000 + 3;
  same("transform");
  compute::sort(w.begin(), w.end(), queue);
  compute::copy(w.begin(), w.end(), y.begin(), queue);
  std::sort(x.begin(), x.end());
  same("sort");
  compute::inclusive_scan(w.begin(), w.end(), v.begin(), queue);
  compute::copy(v.begin(), v.end(), y.begin(), queue);
  int sum = 0;
  compute::reduce(w.begin(), w.end(), &sum, queue);
  if (sum != std::accumulate(x.begin(), x.end(), 0)) {
    std::printf("reduce is wrong\n");
    failures++;
  }
  std::partial_sum(x.begin(), x.end(), x.begin());
  same("inclusive_scan");
  return failures != 0;
}
