/** Media features that the page sees in place of the device's. */
export interface MediaEmulation {
  /** `prefers-color-scheme`; null for the device's own. */
  readonly colorScheme: 'light' | 'dark' | null;
  /** `prefers-reduced-motion: reduce`; false for the device's own. */
  readonly reducedMotion: boolean;
}

export const noMediaEmulation: MediaEmulation = { colorScheme: null, reducedMotion: false };
