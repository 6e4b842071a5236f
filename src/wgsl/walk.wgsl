// Walking up to three tensors in step. Each element of `params.dims` is a dim of what is walked: its
// size, and how far apart neighbours along it are in the first, the second and the third tensor.

// Where element i lies in each of the tensors, in a walk over `rank` of the dims, from `first` on.
fn walk(i: u32, first: u32, rank: u32) -> vec3<u32> {
  var rest = i;
  var offsets = vec3<u32>();
  for (var d = rank; d > 0u; d--) {
    let dim = params.dims[first + d - 1u];
    offsets += (rest % dim.x) * dim.yzw;
    rest /= dim.x;
  }
  return offsets;
}
