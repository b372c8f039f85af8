// Spelling of types and shapes.
#include "compiler/transforms/UserText.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tlc::tile {

std::string dtypeName(Type element) {
  return TypeSwitch<Type, std::string>(element)
      .Case([](BFloat16Type) { return "bfloat16"; })
      .Case([](FloatTF32Type) { return "tfloat32"; })
      .Case([](Float8E4M3FNType) { return "float8_e4m3fn"; })
      .Case([](Float8E5M2Type) { return "float8_e5m2"; })
      .Case([](FloatType type) {
        return "float" + std::to_string(type.getWidth());
      })
      .Case([](IntegerType type) {
        if (type.getWidth() == 1)
          return std::string("bool");
        return (type.isUnsigned() ? "uint" : "int") +
               std::to_string(type.getWidth());
      })
      .Default([](Type type) {
        std::string text;
        llvm::raw_string_ostream(text) << type;
        return text;
      });
}

std::string shapeText(llvm::ArrayRef<int64_t> shape) {
  return llvm::join(llvm::map_range(shape,
                                    [](int64_t extent) {
                                      return ShapedType::isDynamic(extent)
                                                 ? std::string("?")
                                                 : std::to_string(extent);
                                    }),
                    "x");
}

unsigned storageBits(Type element) {
  if (isa<FloatTF32Type>(element))
    return 32;
  if (element.isIndex())
    return 64;
  return std::max(element.getIntOrFloatBitWidth(), 8u);
}

llvm::SmallVector<int64_t> nonUnitSizes(llvm::ArrayRef<int64_t> sizes) {
  llvm::SmallVector<int64_t> result;
  llvm::copy_if(sizes, std::back_inserter(result),
                [](int64_t size) { return size != 1; });
  if (result.empty())
    result.push_back(1);
  return result;
}

} // namespace tlc::tile
