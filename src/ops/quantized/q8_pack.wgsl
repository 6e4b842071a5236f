// Pixels with their channels side by side, those of each group in whole quads. What the last quad of
// a group has to spare repeats its last channel. Neighbouring invocations take neighbouring pixels,
// which lie together where channels do not.
struct Params {
  quads: u32,
  pixels: u32,            // in all images
  image_pixels: u32,
  image_stride: u32,
  pixel_stride: u32,
  channel_stride: u32,
  group_channels: u32,
  group_quads: u32,
  pixel_quads: u32,
}
#output y
#input x

#main i
  if (i >= params.quads) { return; }
  let pixel = i % params.pixels;
  let quad = i / params.pixels;
  let origin = (pixel / params.image_pixels) * params.image_stride + (pixel % params.image_pixels) * params.pixel_stride;
  let first = (quad / params.group_quads) * params.group_channels;
  let c = vec4<u32>(first) + min(4u * (quad % params.group_quads) + vec4<u32>(0u, 1u, 2u, 3u), vec4<u32>(params.group_channels - 1u));
  let at = vec4<u32>(origin) + c * params.channel_stride;
  y_put(pixel * params.pixel_quads + quad, vec4<y_t>(x_at(at.x), x_at(at.y), x_at(at.z), x_at(at.w)));
}
