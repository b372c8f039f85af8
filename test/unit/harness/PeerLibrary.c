/* A peer library for the tests, in C: the interface must not need C++.
 * PEER_VERSION is the interface version it claims; without it the library has
 * nothing of the interface. */
#include "kernels/harness/PeerAbi.h"

#include <stdio.h>
#include <string.h>

#ifdef PEER_VERSION
int tlc_peer_version(void) { return PEER_VERSION; }

const char *tlc_peer_kernel(const char *benchmark, int kernel) {
  if (strcmp(benchmark, "twice") != 0)
    return NULL;
  return kernel == 0 ? "one" : kernel == 1 ? "(bound)" : NULL;
}

struct handle {
  float *x;
  int kernel;
};
static struct handle handles[2];

int tlc_peer_prepare(const tlc_peer_problem *problem, int kernel, void **handle,
                     char *message, int size) {
  const tlc_peer_tensor *x = problem->tensors;
  if (problem->tensor_count != 1 || strcmp(x->name, "X") != 0 ||
      strcmp(x->dtype, "float32") != 0 || x->rank != 2 || x->shape[0] != 2 ||
      x->shape[1] != 3 || problem->number_count != 2 ||
      strcmp(problem->numbers[0].name, "n") != 0 ||
      problem->numbers[0].value != 6) {
    snprintf(message, (size_t)size, "not what was passed");
    return 3;
  }
  if (problem->numbers[1].value != 0) {
    snprintf(message, (size_t)size, "asked to fail");
    return (int)problem->numbers[1].value;
  }
  handles[kernel].x = (float *)x->data;
  handles[kernel].kernel = kernel;
  *handle = &handles[kernel];
  return 0;
}

int tlc_peer_launch(void *handle, void *stream) {
  struct handle *launch = (struct handle *)handle;
  (void)stream;
  if (launch->kernel != 0)
    return 77;
  launch->x[0] += 1;
  return 0;
}

void tlc_peer_release(void *handle) { (void)handle; }
#else
int nothing_of_the_interface(void) { return 0; }
#endif
