// Ops made up for testing the engine. Their tensors have rank 2: rows and a width.
//
//   toy.copy    (x, y)          as many rows as x
//   toy.mix     (a, b, y)       as many rows as the longer one, as wide as a
//   toy.concat  (a, b, y)       the rows of both, as wide as a
//   toy.take    (x, n, y)       the first n rows, or all there are; n may be live and negative
//   (none) toy.exactly (x, n, y)       the first n rows; an error unless x has that many toy.narrow
//   (x, width, y)   a view: the same elements in rows of `width`, which divides x's toy.routes  (x,
//   y)          a copy by one of two kernels, the second of which needs scratch toy.avoid   (x, n,
//   y)       a copy that fails when x has just n rows toy.store   (cache, x, y)   writes x into the
//   cache; y is as x toy.number  (n, y)          reads a number in every way that a literal can be
//   read; y has n rows
#pragma once

namespace highwater {

// How often a toy op's plan() was called since this was last asked.
int take_toy_plans();

}  // namespace highwater
