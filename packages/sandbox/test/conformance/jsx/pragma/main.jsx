/** @jsxRuntime classic @jsx make */
const make = (name, attributes, ...inner) => `${name}:${inner.join("")}`;
document.querySelector("p").textContent = <b>inner</b>;
