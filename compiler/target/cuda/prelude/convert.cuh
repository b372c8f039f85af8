//@ bf16_to_f32 : bf16 u32
__device__ __forceinline__ float to_f32(bf16 x) {
  return __uint_as_float((u32)x.bits << 16);
}
//@ f16_to_f32 : f16
__device__ __forceinline__ float to_f32(f16 x) {
  float r;
  asm("cvt.f32.f16 %0, %1;" : "=f"(r) : "h"(x.bits));
  return r;
}
//@ to_bf16 : bf16
__device__ __forceinline__ bf16 to_bf16(float x) {
  bf16 r;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(r.bits) : "f"(x));
  return r;
}
//@ to_f16 : f16
__device__ __forceinline__ f16 to_f16(float x) {
  f16 r;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(r.bits) : "f"(x));
  return r;
}
//@ to_f32_odd : u32 u64
// Towards zero, with the last bit set where that is inexact: rounding the
// result again gives what rounding once would have.
__device__ __forceinline__ float to_f32_odd(long long x) {
  const float f = __ll2float_rz(x);
  return __uint_as_float(__float_as_uint(f) | (u32)((long long)f != x));
}
__device__ __forceinline__ float to_f32_odd(u64 x) {
  const float f = __ull2float_rz(x);
  return __uint_as_float(__float_as_uint(f) | (u32)((u64)f != x));
}
//@ pack_bf16 : u32
// Two numbers rounded to bf16 in one instruction, the first in the low half.
__device__ __forceinline__ u32 pack_bf16(float lo, float hi) {
  u32 r;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(hi), "f"(lo));
  return r;
}
//@ pack_f16 : u32
__device__ __forceinline__ u32 pack_f16(float lo, float hi) {
  u32 r;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(hi), "f"(lo));
  return r;
}
//@ bf16_lo : u32
__device__ __forceinline__ float bf16_lo(u32 x) {
  return __uint_as_float(x << 16);
}
//@ bf16_hi : u32
__device__ __forceinline__ float bf16_hi(u32 x) {
  return __uint_as_float(x & 0xffff0000u);
}
//@ f16_lo : u32 u16
__device__ __forceinline__ float f16_lo(u32 x) {
  float r;
  asm("cvt.f32.f16 %0, %1;" : "=f"(r) : "h"((u16)x));
  return r;
}
//@ f16_hi : u32 u16
__device__ __forceinline__ float f16_hi(u32 x) {
  float r;
  asm("cvt.f32.f16 %0, %1;" : "=f"(r) : "h"((u16)(x >> 16)));
  return r;
}
//@ pack_u16 : u32 u16
__device__ __forceinline__ u32 pack_u16(u16 lo, u16 hi) {
  return (u32)hi << 16 | lo;
}
//@ pack_u8 : u32
__device__ __forceinline__ u32 pack_u8(int a, int b, int c, int d) {
  return (a & 255u) | (b & 255u) << 8 | (c & 255u) << 16 | (u32)d << 24;
}
//@ f8e4m3_to_f32 : f8e4m3 u16 u32
__device__ __forceinline__ float to_f32(f8e4m3 x) {
  u32 h;
  float r;
  asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(h) : "h"((u16)x.bits));
  asm("cvt.f32.f16 %0, %1;" : "=f"(r) : "h"((u16)h));
  return r;
}
//@ f8e5m2_to_f32 : f8e5m2 u16 u32
__device__ __forceinline__ float to_f32(f8e5m2 x) {
  u32 h;
  float r;
  asm("cvt.rn.f16x2.e5m2x2 %0, %1;" : "=r"(h) : "h"((u16)x.bits));
  asm("cvt.f32.f16 %0, %1;" : "=f"(r) : "h"((u16)h));
  return r;
}
//@ to_f8e4m3 : f8e4m3 u16
__device__ __forceinline__ f8e4m3 to_f8e4m3(float x) {
  u16 r;
  asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(r) : "f"(0.f), "f"(x));
  return {(unsigned char)r};
}
//@ to_f8e5m2 : f8e5m2 u16
__device__ __forceinline__ f8e5m2 to_f8e5m2(float x) {
  u16 r;
  asm("cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;" : "=h"(r) : "f"(0.f), "f"(x));
  return {(unsigned char)r};
}
//@ max_nan
// Maximum and minimum in which a NaN wins.
__device__ __forceinline__ float max_nan(float x, float y) {
  float r;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(x), "f"(y));
  return r;
}
//@ min_nan
__device__ __forceinline__ float min_nan(float x, float y) {
  float r;
  asm("min.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(x), "f"(y));
  return r;
}
//@ floor_div
__device__ __forceinline__ int floor_div(int x, int y) {
  int q = x / y;
  return q * y != x && (x < 0) != (y < 0) ? q - 1 : q;
}
//@ ceil_div
__device__ __forceinline__ int ceil_div(int x, int y) {
  int q = x / y;
  return q * y != x && (x < 0) == (y < 0) ? q + 1 : q;
}
