// Ops made up for testing the engine. Their tensors have rank 2: rows and a width.
//
//   toy.copy     as many rows as x
//   toy.mix      as many rows as the longer one, as wide as a
//   toy.concat   the rows of both, as wide as a
//   toy.take     the first n rows, or all there are; n may be live and negative
//   toy.exactly  the first n rows; an error unless x has that many
//   toy.narrow   a view: the same elements in rows of `width`, which divides x's
//   toy.routes   a copy by one of two kernels, the second of which needs scratch
//   toy.avoid    a copy that fails when x has just n rows
//   toy.store    writes x into the cache; y is as x
//   toy.number   reads one number in every way that a literal can be read; y has as many rows
#pragma once

namespace highwater {

// How often a toy op's plan() was called since this was last asked.
int take_toy_plans();

}  // namespace highwater
