// hnswlib's side of the comparison of indexes, compiled for this processor:
//
//	hnsw VECTORS.npy EF…
//
// prints what "ours hnsw" prints.
#include <hnswlib/hnswlib.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <vector>

static double cpu() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

int main(int argc, char **argv) {
  const size_t queries = 1000, k = 10;
  const int rounds = 5;
  FILE *in = fopen(argv[1], "rb");
  unsigned char start[10];
  if (!in || fread(start, 1, 10, in) != 10) return 1;
  std::vector<char> header(start[8] + 256 * start[9] + 1);
  if (fread(header.data(), 1, header.size() - 1, in) != header.size() - 1) return 1;
  size_t n = 0, d = 0;
  if (sscanf(strstr(header.data(), "'shape': ("), "'shape': (%zu, %zu", &n, &d) != 2) return 1;
  std::vector<float> rows(n * d);
  if (fread(rows.data(), 4, n * d, in) != n * d) return 1;

  hnswlib::L2Space space(d);
  hnswlib::HierarchicalNSW<float> index(&space, n, 16, 200);
  double began = cpu();
  for (size_t i = 0; i < n; i++) index.addPoint(&rows[i * d], i);
  printf("build %.2f\n", cpu() - began);

  auto distance = space.get_dist_func();
  std::vector<float> last(queries), all(n);
  for (size_t i = 0; i < queries; i++) {
    for (size_t j = 0; j < n; j++) all[j] = distance(&rows[i * n / queries * d], &rows[j * d], space.get_dist_func_param());
    std::nth_element(all.begin(), all.begin() + k - 1, all.end());
    last[i] = all[k - 1];
  }
  for (int e = 2; e < argc; e++) {
    index.setEf(atoi(argv[e]));
    double best = 0;
    size_t found = 0;
    for (int r = 0; r < rounds; r++) {
      found = 0;
      began = cpu();
      for (size_t i = 0; i < queries; i++) {
        auto hits = index.searchKnn(&rows[i * n / queries * d], k);
        for (; !hits.empty(); hits.pop()) found += hits.top().first <= last[i];
      }
      best = std::max(best, queries / (cpu() - began));
    }
    printf("%s %.0f %.4f\n", argv[e], best, double(found) / queries / k);
  }
}
