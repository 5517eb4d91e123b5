import { css, html, LitElement, svg } from 'lit';

interface TimeOfDay {
  readonly hours: number;
  readonly minutes: number;
  readonly seconds: number;
}

function timeIn(zone: string, now: Date): TimeOfDay {
  const format = new Intl.DateTimeFormat('en', {
    timeZone: zone,
    hourCycle: 'h23',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  const parts = new Map(format.formatToParts(now).map(({ type, value }) => [type, Number(value)]));
  const [hours = 0, minutes = 0, seconds = 0] = ['hour', 'minute', 'second'].map((type) =>
    parts.get(type as Intl.DateTimeFormatPartTypes),
  );
  return { hours, minutes, seconds };
}

// From violet at midnight over rose at six to a pale noon.
function skyAt({ hours, minutes }: TimeOfDay) {
  const day = (1 - Math.cos(((hours + minutes / 60) / 24) * 2 * Math.PI)) / 2;
  return {
    sky: `oklch(${0.28 + day * 0.64} ${0.11 - day * 0.04} ${290 + day * 130})`,
    ink: day > 0.45 ? '#2b2333' : '#f6f1ea',
  };
}

// A dial in the color of the sky where it stands.
class ClockFace extends LitElement {
  static override properties = { zone: {}, now: {} };
  static override styles = css`
    svg {
      display: block;
      width: 100%;
    }

    path {
      stroke: currentcolor;
      stroke-linecap: round;
    }

    div {
      display: flex;
      align-items: baseline;
      justify-content: space-between;
    }

    p {
      margin: 10px 0 0;
    }

    time {
      font-variant-numeric: tabular-nums;
    }

    button {
      min-width: 28px;
      min-height: 28px;
      padding: 0;
      font: inherit;
      color: inherit;
      background: none;
      border: 0;
      cursor: pointer;
    }
  `;

  declare zone: string;
  declare now: Date;

  override render() {
    const time = timeIn(this.zone, this.now);
    const { sky, ink } = skyAt(time);
    const name = this.zone.slice(this.zone.lastIndexOf('/') + 1).replaceAll('_', ' ');
    const digits = `${time.hours}:${String(time.minutes).padStart(2, '0')}`;
    return html`
      <svg viewBox="-50 -50 100 100" aria-hidden="true" style="color: ${ink}">
        <circle r="49" fill=${sky} />
        ${Array.from({ length: 12 }, (_, n) => svg`<path d="M0 -42V-44" stroke-width="2" transform="rotate(${n * 30})" />`)}
        <path
          d="M0 4V-24"
          stroke-width="4"
          transform="rotate(${(time.hours + time.minutes / 60) * 30})"
        />
        <path d="M0 6V-36" stroke-width="2.5" transform="rotate(${time.minutes * 6})" />
        <path d="M0 9V-38" stroke-width="0.8" transform="rotate(${time.seconds * 6})" />
      </svg>
      <div>
        <p>${name} <time>${digits}</time></p>
        <button type="button" aria-label="Remove ${name}" @click=${this.#remove}>×</button>
      </div>
    `;
  }

  #remove() {
    this.dispatchEvent(new Event('remove'));
  }
}

customElements.define('clock-face', ClockFace);
