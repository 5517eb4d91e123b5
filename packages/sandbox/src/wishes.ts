/** What a visitor of the page wishes, in place of what this device says. */
export interface Wishes {
  /** null: as the device says. */
  readonly scheme: 'light' | 'dark' | null;
  /** Whether less motion is wanted; if not, as the device says. */
  readonly isStill: boolean;
}

export const noWishes: Wishes = { scheme: null, isStill: false };
