/** What the page is told of its visitor's wishes, in place of what this device says. */
export interface Guise {
  /** null: as the device says. */
  readonly scheme: 'light' | 'dark' | null;
  /** Whether less motion is wanted; if not, as the device says. */
  readonly isStill: boolean;
}

export const noGuise: Guise = { scheme: null, isStill: false };
