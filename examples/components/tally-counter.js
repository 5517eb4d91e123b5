/**
 * A labeled number with a button on each side.
 *
 *   <tally-counter value="3" step="1">Robins</tally-counter>
 *
 * Dispatches `change` when the user changes the value.
 */
class TallyCounter extends HTMLElement {
  static observedAttributes = ['value'];

  #output;

  constructor() {
    super();
    this.attachShadow({ mode: 'open', delegatesFocus: true }).innerHTML = `
      <style>
        :host {
          display: flex;
          align-items: center;
          gap: 8px;
          padding-block: 12px;
          border-top: 1px solid color-mix(in srgb, currentColor 16%, transparent);
        }

        span {
          flex: 1;
        }

        output {
          min-width: 3ch;
          text-align: center;
          font-variant-numeric: tabular-nums;
          font-weight: 600;
        }

        button {
          width: 44px;
          height: 44px;
          font: inherit;
          color: var(--tally-accent, currentColor);
          background: none;
          border: 1.5px solid;
          border-radius: 50%;
          cursor: pointer;
        }
      </style>
      <span id="label"><slot></slot></span>
      <button type="button" aria-label="Fewer" aria-describedby="label" part="button">−</button>
      <output aria-labelledby="label" part="value">0</output>
      <button type="button" aria-label="More" aria-describedby="label" part="button">+</button>
    `;
    this.#output = this.shadowRoot.querySelector('output');
    const [fewer, more] = this.shadowRoot.querySelectorAll('button');
    fewer.addEventListener('click', () => this.#change(-this.step));
    more.addEventListener('click', () => this.#change(this.step));
  }

  get value() {
    return Number(this.getAttribute('value') ?? 0);
  }

  set value(value) {
    this.setAttribute('value', value);
  }

  get step() {
    return Number(this.getAttribute('step') ?? 1);
  }

  attributeChangedCallback() {
    this.#output.textContent = this.value;
  }

  #change(by) {
    this.value = Math.max(0, this.value + by);
    this.dispatchEvent(new Event('change', { bubbles: true }));
  }
}

customElements.define('tally-counter', TallyCounter);
