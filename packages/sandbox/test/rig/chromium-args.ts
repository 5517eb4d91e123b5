/** Debian's Chromium as people have it, without what it does for itself. */
export const chromiumArgs: readonly string[] = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // Two pages of the address bar's own, begun with every context: fifteen times what a small page costs.
  // In place of the driver's list, which also takes the partition of other sites' storage away.
  '--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup',
];
