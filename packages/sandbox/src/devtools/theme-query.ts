import type { Theme } from '../devtools-messages.ts';

const darkQuery = '(prefers-color-scheme: dark)';

/** Overrides the media query with which the front end determines its theme; the app's page sets the theme. */
export function createThemeQuery(initial: Theme): { set(theme: Theme): void } {
  const native = window.matchMedia.bind(window);
  const answer = native(darkQuery);
  let theme = initial;
  Object.defineProperty(answer, 'matches', { get: () => theme === 'dark' });
  window.matchMedia = (query) => (query === darkQuery ? answer : native(query));
  document.documentElement.style.colorScheme = theme;
  return {
    set(next) {
      theme = next;
      document.documentElement.style.colorScheme = theme;
      answer.dispatchEvent(new Event('change'));
    },
  };
}
