const seeds = 250; // try 60, or 900
const size = 6;
const turn = 137.5; // degrees; a sunflower's own angle

const flower = document.querySelector('svg');
const slider = document.querySelector('#turn');
const degrees = document.querySelector('#degrees');

// One circle for each seed. Its place, from 0 to 1, gives it its color in style.css.
const circles = Array.from({ length: seeds }, (_, number) => {
  const circle = document.createElementNS('http://www.w3.org/2000/svg', 'circle');
  circle.style.setProperty('--place', number / seeds);
  circle.setAttribute('r', size * (0.5 + (0.5 * number) / seeds));
  return circle;
});
flower.replaceChildren(...circles);

// Outer rings have more room, so the square root keeps the seeds evenly spaced.
function arrange(angle) {
  circles.forEach((circle, number) => {
    const radius = 93 * Math.sqrt(number / seeds);
    const direction = (number * angle * Math.PI) / 180;
    circle.setAttribute('cx', radius * Math.cos(direction));
    circle.setAttribute('cy', radius * Math.sin(direction));
  });
  degrees.textContent = `${angle.toFixed(1)}°`;
}

slider.value = turn;
slider.addEventListener('input', () => arrange(slider.valueAsNumber));
arrange(turn);
