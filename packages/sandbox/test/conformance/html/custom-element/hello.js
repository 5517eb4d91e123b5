customElements.define("x-hello", class extends HTMLElement {
  connectedCallback() {
    this.attachShadow({ mode: "open" }).innerHTML = `<style>b { color: rgb(4, 5, 6) }</style><b>Hello ${this.getAttribute("name")}</b>`;
  }
});
