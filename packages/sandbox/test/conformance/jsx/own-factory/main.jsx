/** @jsx h */
/** @jsxFrag fragment */
function h(type, props, ...kids) {
  if (typeof type === 'function') return type({ ...props, children: kids });
  const element = document.createElement(type);
  for (const [name, value] of Object.entries(props ?? {})) element.setAttribute(name, value);
  element.append(...kids.flat());
  return element;
}
const fragment = ({ children }) => children;
document.querySelector('#app').append(...(<><p class="x">own factory {1 + 1}</p></>));
