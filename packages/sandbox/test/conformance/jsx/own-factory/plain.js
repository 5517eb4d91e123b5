/** @jsx make */
const make = (name, props, ...kids) => `${name}:${kids.join('')}`;
document.querySelector('#app').append(<b>plain</b>);
