// An invocation that shares its work with nobody has found all there is.
fn ${NAME}_over_lanes(mine: ${T}, lane: u32) -> ${T} { return mine; }
