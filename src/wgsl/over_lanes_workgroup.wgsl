// What the invocations of a workgroup found, as one: it meets in workgroup memory.
var<workgroup> ${NAME}_parts: array<${T}, WG>;

fn ${NAME}_over_lanes(mine: ${T}, lane: u32) -> ${T} {
  // Everyone has read the last result before the next goes to the same place.
  workgroupBarrier();
  ${NAME}_parts[lane] = mine;
  for (var stride = WG / 2u; stride > 0u; stride /= 2u) {
    workgroupBarrier();
    if (lane < stride) {
      let a = ${NAME}_parts[lane];
      let b = ${NAME}_parts[lane + stride];
      ${NAME}_parts[lane] = ${MERGE};
    }
  }
  workgroupBarrier();
  return ${NAME}_parts[0];
}
