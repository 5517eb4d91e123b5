const all = 'all';
const make = (name, props, ...kids) => `${name}:${kids.join('')}`;
document.querySelector('p').textContent = <><i>one</i></>;
