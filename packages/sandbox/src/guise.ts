/** Media features that the page sees in place of the device's. */
export interface Guise {
  /** `prefers-color-scheme`; null for the device's own. */
  readonly scheme: 'light' | 'dark' | null;
  /** `prefers-reduced-motion: reduce`; false for the device's own. */
  readonly isStill: boolean;
}

export const noGuise: Guise = { scheme: null, isStill: false };
