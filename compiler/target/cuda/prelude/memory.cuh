//@ smem_address : u32
__device__ __forceinline__ u32 smem_address(const void *p) {
  return (u32)__cvta_generic_to_shared(p);
}
//@ generic_pointer : u32
__device__ __forceinline__ void *generic_pointer(u32 address) {
  return __cvta_shared_to_generic(address);
}
//@ uniform : u32
// Lane 0's value: ptxas then knows that it is the same in the whole warp and
// keeps it in uniform registers.
__device__ __forceinline__ u32 uniform(u32 x) {
  u32 r;
  asm volatile("shfl.sync.idx.b32 %0, %1, 0, 31, 0xffffffff;"
               : "=r"(r) : "r"(x));
  return r;
}
//@ elect_one : u32
__device__ __forceinline__ bool elect_one() {
  u32 p;
  asm volatile("{\n.reg .pred P;\nelect.sync _|P, 0xffffffff;\n"
               "selp.u32 %0, 1, 0, P;\n}\n" : "=r"(p));
  return p != 0;
}
//@ is_aligned : u64
__device__ __forceinline__ bool is_aligned(const void *p, int bytes) {
  return ((u64)p & (bytes - 1)) == 0;
}
//@ ld_shared_b8 : u32 u16
__device__ __forceinline__ unsigned char ld_shared_b8(u32 a) {
  u16 v;
  asm volatile("ld.shared.u8 %0, [%1];" : "=h"(v) : "r"(a) : "memory");
  return (unsigned char)v;
}
//@ ld_shared_b16 : u32 u16
__device__ __forceinline__ u16 ld_shared_b16(u32 a) {
  u16 v;
  asm volatile("ld.shared.u16 %0, [%1];" : "=h"(v) : "r"(a) : "memory");
  return v;
}
//@ ld_shared_b32 : u32
__device__ __forceinline__ u32 ld_shared_b32(u32 a) {
  u32 v;
  asm volatile("ld.shared.u32 %0, [%1];" : "=r"(v) : "r"(a) : "memory");
  return v;
}
//@ ld_shared_b64 : u32x2
__device__ __forceinline__ u32x2 ld_shared_b64(u32 a) {
  u32x2 v;
  asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];"
               : "=r"(v.x), "=r"(v.y) : "r"(a) : "memory");
  return v;
}
//@ ld_shared_b128 : u32x4
__device__ __forceinline__ u32x4 ld_shared_b128(u32 a) {
  u32x4 v;
  asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
               : "r"(a) : "memory");
  return v;
}
//@ st_shared_b8 : u32 u16
__device__ __forceinline__ void st_shared_b8(u32 a, unsigned char v) {
  asm volatile("st.shared.u8 [%0], %1;" :: "r"(a), "h"((u16)v) : "memory");
}
//@ st_shared_b16 : u32 u16
__device__ __forceinline__ void st_shared_b16(u32 a, u16 v) {
  asm volatile("st.shared.u16 [%0], %1;" :: "r"(a), "h"(v) : "memory");
}
//@ st_shared_b32 : u32
__device__ __forceinline__ void st_shared_b32(u32 a, u32 v) {
  asm volatile("st.shared.u32 [%0], %1;" :: "r"(a), "r"(v) : "memory");
}
//@ st_shared_b64 : u32x2
__device__ __forceinline__ void st_shared_b64(u32 a, u32x2 v) {
  asm volatile("st.shared.v2.u32 [%0], {%1, %2};"
               :: "r"(a), "r"(v.x), "r"(v.y) : "memory");
}
//@ st_shared_b128 : u32x4
__device__ __forceinline__ void st_shared_b128(u32 a, u32x4 v) {
  asm volatile("st.shared.v4.u32 [%0], {%1, %2, %3, %4};"
               :: "r"(a), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w) : "memory");
}
//@ ld_global_b16 : u16
__device__ __forceinline__ u16 ld_global_b16(const void *p) {
  return *(const u16 *)p;
}
//@ ld_global_b32 : u32
__device__ __forceinline__ u32 ld_global_b32(const void *p) {
  return *(const u32 *)p;
}
//@ ld_global_b64 : u32x2
__device__ __forceinline__ u32x2 ld_global_b64(const void *p) {
  return *(const u32x2 *)p;
}
//@ ld_global_b128 : u32x4
__device__ __forceinline__ u32x4 ld_global_b128(const void *p) {
  return *(const u32x4 *)p;
}
//@ st_global_b16 : u16
__device__ __forceinline__ void st_global_b16(void *p, u16 v) {
  *(u16 *)p = v;
}
//@ st_global_b32 : u32
__device__ __forceinline__ void st_global_b32(void *p, u32 v) {
  *(u32 *)p = v;
}
//@ st_global_b64 : u32x2
__device__ __forceinline__ void st_global_b64(void *p, u32x2 v) {
  *(u32x2 *)p = v;
}
//@ st_global_b128 : u32x4
__device__ __forceinline__ void st_global_b128(void *p, u32x4 v) {
  *(u32x4 *)p = v;
}
//@ quad_transpose : u32x4
__device__ __forceinline__ u32 shuffle_xor(u32 x, int mask) {
  u32 r;
  asm volatile("shfl.sync.bfly.b32 %0, %1, %2, 31, 0xffffffff;"
               : "=r"(r) : "r"(x), "r"(mask));
  return r;
}
// Word k of lane q goes to word q of lane k, in each group of four lanes.
__device__ __forceinline__ u32x4 quad_transpose(u32x4 v) {
  const bool odd = threadIdx.x & 1, high = threadIdx.x & 2;
  const u32 a = shuffle_xor(odd ? v.x : v.y, 1);
  const u32 b = shuffle_xor(odd ? v.z : v.w, 1);
  v = odd ? u32x4{a, v.y, b, v.w} : u32x4{v.x, a, v.z, b};
  const u32 c = shuffle_xor(high ? v.x : v.z, 2);
  const u32 d = shuffle_xor(high ? v.y : v.w, 2);
  return high ? u32x4{c, d, v.z, v.w} : u32x4{v.x, v.y, c, d};
}
