// What the lanes of a subgroup found, as one: each looks at all the others' registers.
fn ${NAME}_over_lanes(mine: ${T}, lane: u32) -> ${T} {
  var a = subgroupBroadcast(mine, 0u);
#unroll l ${OTHER_LANES}
  {
    let b = subgroupBroadcast(mine, ${l}u + 1u);
    a = ${MERGE};
  }
#end
  return a;
}
