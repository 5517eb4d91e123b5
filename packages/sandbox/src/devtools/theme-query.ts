import type { Theme } from '../devtools-messages.ts';

const question = '(prefers-color-scheme: dark)';

/** The front end asks the browser which theme is wanted; here the answer is that of the app's page. */
export function createThemeQuery(initial: Theme): { set(theme: Theme): void } {
  const native = window.matchMedia.bind(window);
  const answer = native(question);
  let theme = initial;
  Object.defineProperty(answer, 'matches', { get: () => theme === 'dark' });
  window.matchMedia = (asked) => (asked === question ? answer : native(asked));
  document.documentElement.style.colorScheme = theme;
  return {
    set(next) {
      theme = next;
      document.documentElement.style.colorScheme = theme;
      answer.dispatchEvent(new Event('change'));
    },
  };
}
