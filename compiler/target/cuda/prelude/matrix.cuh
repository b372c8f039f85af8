//@ keep
// Ties registers to this place: an asynchronous product uses them.
template <int N> __device__ __forceinline__ void keep(float (&r)[N]) {
#pragma unroll
  for (int i = 0; i < N; ++i)
    asm volatile("" : "+f"(r[i]) :: "memory");
}
//@ keep_int
template <int N> __device__ __forceinline__ void keep(int (&r)[N]) {
#pragma unroll
  for (int i = 0; i < N; ++i)
    asm volatile("" : "+r"(r[i]) :: "memory");
}
//@ keep_bf16 : bf16
template <int N> __device__ __forceinline__ void keep(bf16 (&r)[N]) {
#pragma unroll
  for (int i = 0; i < N; ++i)
    asm volatile("" : "+h"(r[i].bits) :: "memory");
}
//@ keep_f16 : f16
template <int N> __device__ __forceinline__ void keep(f16 (&r)[N]) {
#pragma unroll
  for (int i = 0; i < N; ++i)
    asm volatile("" : "+h"(r[i].bits) :: "memory");
}
//@ rotate_registers
// Each register takes the place `By` before it, the first ones the last places.
template <int By, int N, class T>
__device__ __forceinline__ void rotate_registers(T (&r)[N]) {
#pragma unroll
  for (int i = 0; i < By; ++i) {
    const T first = r[i];
#pragma unroll
    for (int j = i; j < N - By; j += By)
      r[j] = r[j + By];
    r[N - By + i] = first;
  }
}
//@ wgmma_desc : u32 u64
__device__ __forceinline__ u64 wgmma_desc(u32 address, u64 bits) {
  return bits | (address & 0x3ffff) >> 4;
}
//@ wgmma_fence
__device__ __forceinline__ void wgmma_fence() {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
//@ wgmma_commit
__device__ __forceinline__ void wgmma_commit() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
//@ wgmma_wait
template <int N> __device__ __forceinline__ void wgmma_wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" :: "n"(N) : "memory");
}
//@ ldmatrix_x1 : u32
__device__ __forceinline__ void ldmatrix_x1(u32 a, u32 &r0) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];"
               : "=r"(r0) : "r"(a) : "memory");
}
//@ ldmatrix_x2 : u32
__device__ __forceinline__ void ldmatrix_x2(u32 a, u32 &r0, u32 &r1) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
               : "=r"(r0), "=r"(r1) : "r"(a) : "memory");
}
//@ ldmatrix_x4 : u32
__device__ __forceinline__ void ldmatrix_x4(u32 a, u32 &r0, u32 &r1, u32 &r2,
                                            u32 &r3) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, "
               "[%4];"
               : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3) : "r"(a) : "memory");
}
//@ ldmatrix_x1_trans : u32
__device__ __forceinline__ void ldmatrix_x1_trans(u32 a, u32 &r0) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];"
               : "=r"(r0) : "r"(a) : "memory");
}
//@ ldmatrix_x2_trans : u32
__device__ __forceinline__ void ldmatrix_x2_trans(u32 a, u32 &r0, u32 &r1) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
               : "=r"(r0), "=r"(r1) : "r"(a) : "memory");
}
//@ ldmatrix_x4_trans : u32
__device__ __forceinline__ void ldmatrix_x4_trans(u32 a, u32 &r0, u32 &r1,
                                                  u32 &r2, u32 &r3) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 "
               "{%0, %1, %2, %3}, [%4];"
               : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3) : "r"(a) : "memory");
}
