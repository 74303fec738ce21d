// Rules of prices, in a package of their own.
exports.discount = function discount(count, steps) {
  let factor = 1;
  for (let step = 0; step < steps; step++) {
    factor *= 1 - 0.01 * (count > step ? 1 : 0);
  }
  return factor;
};
