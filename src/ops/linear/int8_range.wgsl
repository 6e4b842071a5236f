// How a row is mapped onto int8, by its least and its largest element.
struct Range {
  scale: f32,
  zero: f32,
  lowest: vec4<f32>,
  highest: vec4<f32>,
}

fn range_of(low: f32, high: f32, lowest: f32, highest: f32, eps: f32) -> Range {
  let scale = max((high - low) / (highest - lowest), eps);
  return Range(scale, clamp(lowest - round(low / scale), lowest, highest), vec4<f32>(lowest), vec4<f32>(highest));
}

// What is left of v after a trip through it.
fn as_seen(v: vec4<f32>, range: Range) -> vec4<f32> {
  let quantized = clamp(round(v / range.scale) + range.zero, range.lowest, range.highest);
  return (quantized - range.zero) * range.scale;
}
