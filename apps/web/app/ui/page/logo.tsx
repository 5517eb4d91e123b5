/** The logo, a lit glass case, in the current text color. */
export function Logo({ size = 20 }: { size?: number }) {
  return (
    <svg viewBox="0 0 32 32" width={size} height={size} fill="none" aria-hidden>
      <path
        stroke="currentColor"
        strokeWidth="2.25"
        strokeLinejoin="round"
        d="M6.5 8.5 12 3.5h13.5V19L20 24M6.5 8.5H20V24H6.5zM20 8.5l5.5-5"
      />
      <path stroke="currentColor" strokeWidth="2.25" strokeLinecap="round" d="M4 28.5h24" />
      <circle fill="var(--accent)" cx="13.25" cy="16.75" r="3.25" />
    </svg>
  );
}
