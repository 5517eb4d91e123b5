const inputEvents = ['pointerdown', 'keydown', 'drop'];

/** Input of the user in this document. */
export interface UserInput {
  /** Whether the user has clicked, typed or dropped anything. */
  readonly hasInput: () => boolean;
  /** Watches again after `document.open`, which removes listeners. */
  readonly watch: () => void;
}

/**
 * Watches for input from now on. In Chromium, `navigator.userActivation.hasBeenActive` can be true in a
 * preview that nobody has touched.
 */
export function watchInput(): UserInput {
  let hasInput = false;
  const listen = (event: Event) => {
    if (event.isTrusted) hasInput = true;
  };
  const watch = () => {
    // Before listeners of the page, which may stop the event.
    for (const type of inputEvents)
      addEventListener(type, listen, { capture: true, passive: true });
  };
  watch();
  return { hasInput: () => hasInput, watch };
}
