// The words of the metadata file, shared by its reader and its writer.
#pragma once

#include "runtime/core/LaunchMetadata.h"

#include <string_view>

namespace tlc::rt {

/// The newest that is read. Version 2 added "workspaces"; a file that has none
/// is written as version 1.
inline constexpr int kMetadataVersion = 2;
/// What an allocation of the driver's pool is aligned to, in bytes.
inline constexpr int kWorkspaceAlignment = 256;

// Spellings of the enumerations, in their order.
inline constexpr std::string_view kParamKinds[] = {"tensor", "scalar",
                                                   "handle"};
inline constexpr std::string_view kAccesses[] = {"none", "r", "w", "rw"};
inline constexpr std::string_view kSwizzles[] = {"none", "32B", "64B", "128B"};
inline constexpr std::string_view kPromotions[] = {"none", "64B", "128B",
                                                   "256B"};

struct ResourceKey {
  const char *key;
  std::optional<std::int64_t> KernelResources::*figure;
};
inline constexpr ResourceKey kResourceKeys[] = {
    {"registers", &KernelResources::registers},
    {"spill_store_bytes", &KernelResources::spillStoreBytes},
    {"spill_load_bytes", &KernelResources::spillLoadBytes},
    {"stack_bytes", &KernelResources::stackBytes},
    {"static_shared_bytes", &KernelResources::staticSharedBytes},
    {"dynamic_shared_bytes", &KernelResources::dynamicSharedBytes},
    {"constant_bytes", &KernelResources::constantBytes},
    {"barriers", &KernelResources::barriers},
};

} // namespace tlc::rt
