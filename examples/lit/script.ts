import { css, html, LitElement } from 'lit';

// <my-app count="3"></my-app>
export class MyApp extends LitElement {
  static override properties = {
    count: { type: Number },
  };

  static override styles = css`
    h1 {
      margin: 0;
      font-size: clamp(40px, 10vw, 72px);
      line-height: 1.1;
      letter-spacing: -0.03em;
    }

    button {
      padding: 10px 20px;
      font: inherit;
      color: light-dark(#ffffff, #1c1917);
      background: light-dark(#4338ca, #a5b4fc);
      border: 0;
      border-radius: 8px;
      cursor: pointer;
    }
  `;

  declare count: number;

  constructor() {
    super();
    this.count = 0;
  }

  override render() {
    return html`
      <main>
        <h1>Make something</h1>
        <p>Change a word, a color, or a number and watch this page update.</p>
        <button type="button" @click=${() => (this.count += 1)}>
          Count: <output>${this.count}</output>
        </button>
      </main>
    `;
  }
}

customElements.define('my-app', MyApp);
