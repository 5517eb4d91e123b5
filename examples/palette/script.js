// Lightness of each step, from paper to ink. The names follow a common custom.
const steps = {
  50: 0.97,
  100: 0.93,
  200: 0.86,
  300: 0.77,
  400: 0.68,
  500: 0.59,
  600: 0.5,
  700: 0.4,
  800: 0.28,
};

const hue = document.querySelector('#hue');
const chroma = document.querySelector('#chroma');
const list = document.querySelector('.steps');

// The browser knows how to turn OKLCH into red, green, and blue: paint one pixel, read it back.
const pixel = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });

function toRgb(color) {
  pixel.fillStyle = color;
  pixel.fillRect(0, 0, 1, 1);
  const [red, green, blue] = pixel.getImageData(0, 0, 1, 1).data;
  return [red, green, blue];
}

function toHex(rgb) {
  return `#${rgb.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
}

// Relative luminance, as the Web Content Accessibility Guidelines define it.
function luminance(rgb) {
  const [red, green, blue] = rgb.map((part) => {
    const value = part / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one, other) {
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

// Very light and very dark colors hold less chroma than those between.
function colorOf(lightness) {
  const room = 1 - Math.abs(lightness - 0.6) * 1.9;
  return `oklch(${lightness} ${(chroma.value * room).toFixed(3)} ${hue.value})`;
}

function showStep([name, lightness]) {
  const color = colorOf(lightness);
  const rgb = toRgb(color);
  const onWhite = contrast(rgb, [255, 255, 255]);
  const onBlack = contrast(rgb, [0, 0, 0]);
  const best = Math.max(onWhite, onBlack);

  const item = document.createElement('li');
  item.style.background = color;
  item.style.color = onWhite > onBlack ? '#fff' : '#000';
  for (const [tag, text] of [
    ['b', name],
    ['span', toHex(rgb)],
    ['span', best.toFixed(1)],
    ['span', best >= 7 ? 'AAA' : 'AA'],
  ]) {
    const part = document.createElement(tag);
    part.textContent = text;
    item.append(part);
  }
  return item;
}

function show() {
  document.querySelector('#hue-value').textContent = hue.value;
  document.querySelector('#chroma-value').textContent = Number(chroma.value).toFixed(2);
  document.documentElement.style.setProperty('--hue', hue.value);
  list.replaceChildren(...Object.entries(steps).map(showStep));
  document.querySelector('pre').textContent = Object.entries(steps)
    .map(([name, lightness]) => `--color-${name}: ${colorOf(lightness)};`)
    .join('\n');
}

hue.addEventListener('input', show);
chroma.addEventListener('input', show);
show();
