//@ u32
typedef unsigned int u32;
//@ u16
typedef unsigned short u16;
//@ u64
typedef unsigned long long u64;
//@ u32x2 : u32
struct alignas(8) u32x2 { u32 x, y; };
//@ u32x4 : u32
struct alignas(16) u32x4 { u32 x, y, z, w; };
//@ bf16 : u16
struct bf16 { u16 bits; };
//@ f16 : u16
struct f16 { u16 bits; };
//@ f8e4m3
struct f8e4m3 { unsigned char bits; };
//@ f8e5m2
struct f8e5m2 { unsigned char bits; };
//@ TensorMap : u64
struct alignas(64) TensorMap { u64 opaque[16]; };
//@ AnyPointer
struct AnyPointer {
  void *p;
  template <class T> __device__ operator T *() const { return (T *)p; }
};
