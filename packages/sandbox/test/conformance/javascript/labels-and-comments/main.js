/* import "./missing.js" */
// import("./missing.js")
const text = `import "./missing.js"`;
outer: for (;;) for (;;) break outer;
document.querySelector("p").textContent = String(text.length);
