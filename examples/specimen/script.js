const sheet = document.querySelector('main');
const style = document.documentElement.style;

// All three controls only set a value; the layout is the stylesheet's business.
document.querySelector('#face').addEventListener('input', ({ target }) => {
  style.setProperty('--face', `var(--${target.value})`);
});

document.querySelector('#weight').addEventListener('input', ({ target }) => {
  style.setProperty('--weight', target.value);
});

document.querySelector('#width').addEventListener('input', ({ target }) => {
  sheet.style.width = `calc(${target.value}% - 40px)`;
});
