//@ mbar_init : u32
__device__ __forceinline__ void mbar_init(u32 bar, u32 count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;"
               :: "r"(bar), "r"(count) : "memory");
}
//@ mbar_wait : u32
__device__ __forceinline__ void mbar_wait(u32 bar, u32 parity) {
  asm volatile("{\n.reg .pred P;\nW_%=:\n"
               "mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 P, [%0], "
               "%1;\n@P bra D_%=;\nbra W_%=;\nD_%=:\n}\n"
               :: "r"(bar), "r"(parity) : "memory");
}
//@ mbar_arrive : u32
__device__ __forceinline__ void mbar_arrive(u32 bar) {
  asm volatile("mbarrier.arrive.release.cta.shared::cta.b64 _, [%0];"
               :: "r"(bar) : "memory");
}
//@ mbar_arrive_warp : mbar_arrive elect_one
// One arrival of the whole warp: all of its lanes have come first.
__device__ __forceinline__ void mbar_arrive_warp(u32 bar) {
  asm volatile("bar.warp.sync 0xffffffff;" ::: "memory");
  if (elect_one())
    mbar_arrive(bar);
}
//@ mbar_expect : u32
__device__ __forceinline__ void mbar_expect(u32 bar, u32 bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
               :: "r"(bar), "r"(bytes) : "memory");
}
//@ fence_mbar_init
__device__ __forceinline__ void fence_mbar_init() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
//@ fence_proxy_async
__device__ __forceinline__ void fence_proxy_async() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
//@ membar_cta
__device__ __forceinline__ void membar_cta() {
  asm volatile("membar.cta;" ::: "memory");
}
//@ bar_sync
// Both numbers are immediates: an id in a register reserves all barriers.
template <int Id, int Threads> __device__ __forceinline__ void bar_sync() {
  asm volatile("bar.sync %0, %1;" :: "n"(Id), "n"(Threads) : "memory");
}
//@ grid_barrier : u32
// One thread of each block. state[0] counts the blocks that have come, state[1]
// the times that all have; both are zero when the launch begins.
__device__ __forceinline__ void grid_barrier(u32 *state, u32 blocks) {
  u32 generation, arrived, now;
  asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];"
               : "=r"(generation) : "l"(state + 1) : "memory");
  // What the block wrote before comes before the arrival for all other blocks.
  asm volatile("fence.acq_rel.gpu;" ::: "memory");
  asm volatile("atom.acq_rel.gpu.global.add.u32 %0, [%1], 1;"
               : "=r"(arrived) : "l"(state) : "memory");
  if (arrived == blocks - 1) {
    asm volatile("st.relaxed.gpu.global.u32 [%0], 0;" :: "l"(state) : "memory");
    asm volatile("st.release.gpu.global.u32 [%0], %1;"
                 :: "l"(state + 1), "r"(generation + 1) : "memory");
  } else {
    do {
      asm volatile("ld.acquire.gpu.global.u32 %0, [%1];"
                   : "=r"(now) : "l"(state + 1) : "memory");
    } while (now == generation);
  }
  asm volatile("fence.acq_rel.gpu;" ::: "memory");
}
//@ setmaxnreg_inc
template <int N> __device__ __forceinline__ void setmaxnreg_inc() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" :: "n"(N));
}
//@ setmaxnreg_dec
template <int N> __device__ __forceinline__ void setmaxnreg_dec() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" :: "n"(N));
}
//@ bulk_load : u32
__device__ __forceinline__ void bulk_load(u32 dst, const void *src, u32 bytes,
                                          u32 bar) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx"
               "::bytes [%0], [%1], %2, [%3];"
               :: "r"(dst), "l"(src), "r"(bytes), "r"(bar) : "memory");
}
//@ bulk_commit
__device__ __forceinline__ void bulk_commit() {
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
//@ bulk_wait
template <int N> __device__ __forceinline__ void bulk_wait() {
  asm volatile("cp.async.bulk.wait_group %0;" :: "n"(N) : "memory");
}
//@ bulk_wait_read
template <int N> __device__ __forceinline__ void bulk_wait_read() {
  asm volatile("cp.async.bulk.wait_group.read %0;" :: "n"(N) : "memory");
}
//@ cp_async : u32
__device__ __forceinline__ void cp_async(u32 dst, const void *src) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;"
               :: "r"(dst), "l"(src) : "memory");
}
//@ cp_async_zfill : u32
// Reads nothing and writes zeros where `inside` is false.
__device__ __forceinline__ void cp_async_zfill(u32 dst, const void *src,
                                               bool inside) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
               :: "r"(dst), "l"(src), "r"(inside ? 16 : 0) : "memory");
}
//@ cp_async_commit
__device__ __forceinline__ void cp_async_commit() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}
//@ cp_async_wait
template <int N> __device__ __forceinline__ void cp_async_wait() {
  asm volatile("cp.async.wait_group %0;" :: "n"(N) : "memory");
}
//@ panel_rows
// Blocks in panels of `panel` rows, each swept column by column: neighbours in
// time share rows and columns of the operands in the L2.
__device__ __forceinline__ void panel_rows(int panel, int &x, int &y) {
  int width = gridDim.x, linear = blockIdx.y * width + blockIdx.x;
  int first = linear / (panel * width) * panel, at = linear - first * width;
  int rows = min(panel, (int)gridDim.y - first);
  x = at / rows;
  y = first + at % rows;
}
//@ panel_columns
__device__ __forceinline__ void panel_columns(int panel, int &x, int &y) {
  int height = gridDim.y, linear = blockIdx.y * gridDim.x + blockIdx.x;
  int first = linear / (panel * height) * panel, at = linear - first * height;
  int columns = min(panel, (int)gridDim.x - first);
  y = at / columns;
  x = first + at % columns;
}
