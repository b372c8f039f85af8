/* The C interface of a peer library: kernels made elsewhere that `tlc bench`
 * times in the same rounds as its own (docs/benchmarks.md). A library needs
 * this header and nothing else of tlc.
 *
 * Functions that return int give 0 for success. Device memory, streams and the
 * current context are those of the process (the primary context of device 0).
 */
#ifndef TLC_PEER_ABI_H
#define TLC_PEER_ABI_H

// NOLINTBEGIN: C, with the names of an interface that outlives ours
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TLC_PEER_ABI_VERSION 1

/* A compact row-major tensor in device memory. */
typedef struct tlc_peer_tensor {
  const char *name;  /* of the kernel's parameter: "ht" */
  const char *dtype; /* "bfloat16", "float32", "bool", "int32" ... */
  void *data;
  int32_t rank;
  const int64_t *shape;
} tlc_peer_tensor;

/* A number that the benchmark fixes: "heads" = 32. */
typedef struct tlc_peer_number {
  const char *name;
  int64_t value;
} tlc_peer_number;

typedef struct tlc_peer_problem {
  const char *benchmark; /* "correct_h0", "gemm" */
  int32_t tensor_count;
  const tlc_peer_tensor *tensors;
  int32_t number_count;
  const tlc_peer_number *numbers;
} tlc_peer_problem;

/* TLC_PEER_ABI_VERSION of the header that the library was built with. */
int tlc_peer_version(void);
/* The kernels for a benchmark, by number from 0 on; null behind the last. */
const char *tlc_peer_kernel(const char *benchmark, int kernel);
/* Prepares launches of a kernel on these tensors, which stay where they are:
 * writes a handle. 1: the kernel is not for this problem, and is left out.
 * Other values: an error, with `message` (of `size` bytes) saying which. */
int tlc_peer_prepare(const tlc_peer_problem *problem, int kernel, void **handle,
                     char *message, int size);
/* Enqueues one launch on a CUstream, which may be capturing a graph. */
int tlc_peer_launch(void *handle, void *stream);
void tlc_peer_release(void *handle);

#ifdef __cplusplus
}
#endif
// NOLINTEND
#endif
