// The same number in, the same planet out.
function hash(x, y, z, seed) {
  let h = Math.imul(x, 374761393) ^ Math.imul(y, 668265263) ^ Math.imul(z, 1274126177) ^ seed;
  h = Math.imul(h ^ (h >>> 13), 1103515245);
  return ((h ^ (h >>> 16)) >>> 0) / 2 ** 32;
}

const ease = (t) => t * t * (3 - 2 * t);
const mix = (a, b, t) => a + (b - a) * t;

// Random numbers at whole coordinates, and what lies between them: from 0 to 1.
function smooth(x, y, z, seed) {
  const [i, j, k] = [Math.floor(x), Math.floor(y), Math.floor(z)];
  const [u, v, w] = [ease(x - i), ease(y - j), ease(z - k)];
  const along = (b, c) => mix(hash(i, j + b, k + c, seed), hash(i + 1, j + b, k + c, seed), u);
  return mix(mix(along(0, 0), along(1, 0), v), mix(along(0, 1), along(1, 1), v), w);
}

const octaves = 5;

// Broad hills with smaller ones on them: from about -1 to 1.
export function height(x, y, z, seed) {
  let sum = 0;
  for (let octave = 0; octave < octaves; octave++) {
    const scale = 1.7 * 2 ** octave;
    sum += (smooth(x * scale, y * scale, z * scale, seed + octave) - 0.5) / 2 ** octave;
  }
  return sum * 1.6;
}
