/** A wheel of `wheel` teeth rolls inside a ring of `ring` teeth; the pen sits at `pen` of its radius. */
export interface Gears {
  ring: number;
  wheel: number;
  pen: number;
}

const stepsPerTurn = 120;

/** How often the wheel goes round the ring until the line closes. */
export function turnsOf({ ring, wheel }: Gears): number {
  return wheel / commonDivisor(ring, wheel);
}

/** The closed line as an SVG path, in a circle of radius 100. */
export function drawCurve(gears: Gears): string {
  const steps = turnsOf(gears) * stepsPerTurn;
  const radius = (100 * gears.wheel) / gears.ring;
  const points = Array.from({ length: steps }, (_, step) => {
    const angle = (step / stepsPerTurn) * 2 * Math.PI;
    const roll = ((100 - radius) / radius) * angle;
    const x = (100 - radius) * Math.cos(angle) + gears.pen * radius * Math.cos(roll);
    const y = (100 - radius) * Math.sin(angle) - gears.pen * radius * Math.sin(roll);
    return `${x.toFixed(2)} ${y.toFixed(2)}`;
  });
  return `M${points.join('L')}Z`;
}

function commonDivisor(a: number, b: number): number {
  return b === 0 ? a : commonDivisor(b, a % b);
}
