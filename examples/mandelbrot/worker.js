// Runs on a thread of its own: it may compute for as long as it likes, the page stays quick.
// In:  { job, width, height, x, y, scale, isDark } with scale in units of the plane for a pixel.
// Out: { job, top, image } for a band of rows, several times; the last one has isLast: true.

const bandHeight = 24;

onmessage = ({ data }) => {
  for (let top = 0; top < data.height; top += bandHeight) {
    const rows = Math.min(bandHeight, data.height - top);
    const image = computeBand(data, top, rows);
    postMessage({ job: data.job, top, image, isLast: top + rows >= data.height });
  }
};

function computeBand({ width, height, x, y, scale, isDark }, top, rows) {
  const image = new ImageData(width, rows);
  const limit = Math.round(120 + 60 * Math.max(0, -Math.log10(scale) - 2));
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < width; column++) {
      const real = x + (column - width / 2) * scale;
      const imaginary = y + (top + row - height / 2) * scale;
      const escape = computeEscape(real, imaginary, limit);
      image.data.set(colorOf(escape, isDark), (row * width + column) * 4);
    }
  }
  return image;
}

// How many rounds of z = z² + c it takes to leave; undefined for those that never do.
// The fraction at the end makes the steps between whole rounds smooth.
function computeEscape(real, imaginary, limit) {
  let a = 0;
  let b = 0;
  for (let round = 0; round < limit; round++) {
    const aa = a * a;
    const bb = b * b;
    if (aa + bb > 64) return round + 1 - Math.log2(Math.log2(aa + bb) / 2);
    b = 2 * a * b + imaginary;
    a = aa - bb + real;
  }
  return undefined;
}

// Three waves, one for each of red, green, and blue, out of step with one another.
function colorOf(escape, isDark) {
  if (escape === undefined) return isDark ? [13, 11, 20, 255] : [27, 18, 48, 255];
  const turn = 0.55 * Math.sqrt(escape + 4);
  const wave = (shift) => 0.5 - 0.5 * Math.cos(2 * (turn - 1.1) + shift);
  const [low, high] = isDark ? [8, 247] : [90, 165];
  return [low + high * wave(0), low + high * wave(-0.55), low + high * wave(-1.25), 255];
}
