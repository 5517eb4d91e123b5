/** @jsxImportSource @/jsx */
document.querySelector('p').textContent = <><i>one</i></>;
