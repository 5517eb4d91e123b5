import './clock-face.ts';
import { css, html, LitElement } from 'lit';

const known = Intl.supportedValuesOf('timeZone').filter((zone) => zone.includes('/'));

// <clock-shelf zones="Asia/Tokyo America/Lima">
class ClockShelf extends LitElement {
  static override properties = {
    zones: {
      converter: (value: string | null) => value?.split(' ') ?? [],
    },
    now: { state: true },
  };
  static override styles = css`
    ul {
      display: grid;
      grid-template-columns: repeat(auto-fill, minmax(min(100%, 220px), 1fr));
      gap: 32px 24px;
      margin: 0;
      padding: 0;
      list-style: none;
    }

    label {
      display: block;
      margin-top: 40px;
    }

    select {
      max-width: 100%;
      padding: 8px 12px;
      margin-left: 8px;
      font: inherit;
      color: inherit;
      background: transparent;
      border: 1px solid;
      border-radius: 8px;
    }

    option {
      color: #000;
    }
  `;

  declare zones: string[];
  declare now: Date;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor() {
    super();
    this.zones = [];
    this.now = new Date();
  }

  override connectedCallback() {
    super.connectedCallback();
    this.#timer = setInterval(() => (this.now = new Date()), 1000);
  }

  override disconnectedCallback() {
    clearInterval(this.#timer);
    super.disconnectedCallback();
  }

  override render() {
    return html`
      <ul>
        ${this.zones.map(
          (zone) => html`
            <li>
              <clock-face
                .zone=${zone}
                .now=${this.now}
                @remove=${() => this.#remove(zone)}
              ></clock-face>
            </li>
          `,
        )}
      </ul>
      <label>
        Another place
        <select @change=${this.#add}>
          <option value="">Choose…</option>
          ${known.filter((zone) => !this.zones.includes(zone)).map((zone) => html`<option>${zone}</option>`)}
        </select>
      </label>
    `;
  }

  #add({ target }: Event) {
    if (!(target instanceof HTMLSelectElement) || !target.value) return;
    this.zones = [...this.zones, target.value];
    target.value = '';
  }

  #remove(zone: string) {
    this.zones = this.zones.filter((other) => other !== zone);
  }
}

customElements.define('clock-shelf', ClockShelf);
