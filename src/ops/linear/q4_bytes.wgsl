// Nibbles of a word's four bytes as floats from 0 to 15. GPUs turn a byte into a float in one
// instruction.
fn bytes(word: u32) -> vec4<f32> {
  return vec4<f32>((vec4<u32>(word) >> vec4<u32>(0u, 8u, 16u, 24u)) & vec4<u32>(255u));
}

// Of the weights 0, 2, 4 and 6 of a word, and of those between.
fn even_nibbles(word: u32) -> vec4<f32> { return bytes((word >> ${EVEN_SHIFT}u) & 0x0f0f0f0fu); }
fn odd_nibbles(word: u32) -> vec4<f32> { return bytes((word >> (4u - ${EVEN_SHIFT}u)) & 0x0f0f0f0fu); }
