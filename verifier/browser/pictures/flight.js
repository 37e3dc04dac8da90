/** The kind `flight`: the multiplier grows by a curve until it stops (regulation 12.20, 12.26). */

const [LEFT, RIGHT, BOTTOM, TOP] = [64, 530, 340, 64];
const CURVES = 8;

/**
 * The curve e^t from 1 to where it stopped, in the drawing's units, and its last point.
 *
 * The drawing's height is the range from 1 to the multiplier, but at least to 2: 1.00 is a point, 1.50 reaches half
 * of the height, and everything beyond 2 fills it; the larger, the steeper.
 */
export function flightPath(multiplier) {
  const top = Math.max(multiplier, 2);
  const growth = Math.log(top);
  const end = Math.log(multiplier) / growth;
  const point = (along, height) => {
    const x = LEFT + (RIGHT - LEFT) * along;
    const y = BOTTOM - (BOTTOM - TOP) * height;
    return [Math.floor(x + 0.5), Math.floor(y + 0.5)];
  };
  const height = (along) => (Math.exp(growth * along) - 1) / (top - 1);
  const slope = (along) => (growth * Math.exp(growth * along)) / (top - 1);

  // Bézier curves with the right slope at both ends; they are shorter where the curve is steep.
  const at = Array.from({ length: CURVES + 1 }, (_, i) => end * (1 - (1 - i / CURVES) ** 2));
  const parts = at.slice(1).map((stop, i) => {
    const start = at[i];
    const third = (stop - start) / 3;
    const first = point(start + third, height(start) + third * slope(start));
    const second = point(stop - third, height(stop) - third * slope(stop));
    return [...first, ...second, ...point(stop, height(stop))].join(" ");
  });
  return [`M${LEFT} ${BOTTOM}C${parts.join(" ")}`, point(end, height(end))];
}
