const svg = document.querySelector('svg');
const slider = document.querySelector('input');
const list = document.querySelector('ul');
const margin = { top: 12, right: 8, bottom: 24, left: 32 };
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const hourLines = [0, 6, 12, 18, 24];
const weeks = 52;

const response = await fetch('data.json');
const { places } = await response.json();

// The chart is drawn in real pixels, so that text stays the same size at every width.
let width = 0;
let height = 0;
const x = (week) => margin.left + (week / weeks) * (width - margin.left - margin.right);
const y = (hours) => height - margin.bottom - (hours / 24) * (height - margin.top - margin.bottom);

function add(name, attributes, text = '') {
  const element = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.textContent = text;
  svg.append(element);
  return element;
}

function drawAxes() {
  for (const hours of hourLines) {
    add('line', { x1: x(0), x2: x(weeks), y1: y(hours), y2: y(hours) });
    add('text', { x: margin.left - 8, y: y(hours) + 4, 'text-anchor': 'end' }, hours);
  }
  const every = width < 500 ? 2 : 1;
  months.forEach((month, n) => {
    if (n % every === 0) add('text', { x: x((n / 12) * weeks), y: height - 4 }, month);
  });
}

function drawPlaces() {
  places.forEach(({ hours }, order) => {
    const points = hours.map((value, week) => `${x(week).toFixed(1)} ${y(value).toFixed(1)}`);
    add('path', { d: `M${points.join('L')}`, class: 'place', style: `--order: ${order}` });
  });
}

function drawCursor(week) {
  for (const old of svg.querySelectorAll('.cursor')) old.remove();
  add('line', { class: 'cursor', x1: x(week), x2: x(week), y1: y(24), y2: y(0) });
  places.forEach(({ hours }, order) => {
    const style = `--order: ${order}`;
    add('circle', { class: 'cursor place', cx: x(week), cy: y(hours[week]), r: 5, style });
  });
}

// 7.5 → "7 h 30"
function formatHours(hours) {
  const minutes = Math.round(hours * 60);
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')}`;
}

function listPlaces(week) {
  list.replaceChildren(
    ...places.map(({ name, hours }, order) => {
      const item = document.createElement('li');
      const value = document.createElement('b');
      item.className = 'place';
      item.style.setProperty('--order', order);
      value.textContent = formatHours(hours[week]);
      item.append(name, value);
      return item;
    }),
  );
}

function showWeek() {
  const week = slider.valueAsNumber;
  slider.setAttribute('aria-valuetext', `Week ${week + 1}`);
  drawCursor(week);
  listPlaces(week);
}

new ResizeObserver(([entry]) => {
  ({ width, height } = entry.contentRect);
  svg.replaceChildren();
  drawAxes();
  drawPlaces();
  showWeek();
}).observe(svg);

svg.addEventListener('pointermove', (event) => {
  const part = (event.offsetX - margin.left) / (width - margin.left - margin.right);
  slider.value = Math.round(part * weeks);
  showWeek();
});
slider.addEventListener('input', showWeek);
