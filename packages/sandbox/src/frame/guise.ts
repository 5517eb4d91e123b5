/**
 * Lets the page believe that its visitor's device says something else than it does. No page can ask
 * its browser for that, so the condition is put in other words wherever it can be: in stylesheets and
 * in `matchMedia`. Not reached: stylesheets of other hosts that let no page read them, `<source
 * media>`, shadow trees and workers (docs/protocol.md, "Guises").
 */

/** What is always true, and what never is, for a page that can be seen. */
const always = '(min-width: 0px)';
const never = '(max-width: 0px)';

/** A media feature, the value that it is to have, and the one that it has without a value, if any. */
export interface Pretence {
  feature: string;
  value: string;
  bare?: string;
}

export function pretend(pretence: Pretence): void {
  const native = window.matchMedia.bind(window);
  // oxlint-disable-next-line typescript/no-unnecessary-type-conversion -- a page may pass anything
  window.matchMedia = (query) => native(reword(String(query), pretence));
  const all = () => {
    for (const sheet of [...document.styleSheets, ...document.adoptedStyleSheets])
      rewordSheet(sheet, pretence);
  };
  all();
  watchSheets(all);
}

/** "(prefers-reduced-motion: reduce) and (hover)" → "(min-width: 0px) and (hover)" */
function reword(query: string, { feature, value, bare }: Pretence): string {
  const condition = new RegExp(`\\(\\s*${feature}\\s*(?::\\s*([a-z-]+)\\s*)?\\)`, 'gi');
  return query.replace(condition, (_, wanted: string = bare ?? '') =>
    wanted.toLowerCase() === value ? always : never,
  );
}

function rewordSheet(sheet: CSSStyleSheet, pretence: Pretence): void {
  rewordList(sheet.media, pretence);
  try {
    rewordRules(sheet.cssRules, pretence);
  } catch (error) {
    // Another host's: nobody may read it.
    if (!(error instanceof DOMException)) throw error;
  }
}

function rewordRules(rules: CSSRuleList, pretence: Pretence): void {
  for (const rule of rules) {
    if (rule instanceof CSSMediaRule) rewordList(rule.media, pretence);
    if (rule instanceof CSSImportRule && rule.styleSheet) rewordSheet(rule.styleSheet, pretence);
    if (rule instanceof CSSGroupingRule) rewordRules(rule.cssRules, pretence);
  }
}

function rewordList(list: MediaList, pretence: Pretence): void {
  const reworded = reword(list.mediaText, pretence);
  if (reworded !== list.mediaText) list.mediaText = reworded;
}

/** Sheets come with elements, with what their links load, and from scripts. */
function watchSheets(onNew: () => void): void {
  const observer = new MutationObserver(onNew);
  observer.observe(document, { subtree: true, childList: true, characterData: true });
  addEventListener('load', onNew, true);
  for (const name of ['insertRule', 'replaceSync'] as const) {
    const native: unknown = Reflect.get(CSSStyleSheet.prototype, name);
    if (typeof native !== 'function') continue;
    Reflect.set(
      CSSStyleSheet.prototype,
      name,
      function (this: CSSStyleSheet, ...args: unknown[]): unknown {
        const result: unknown = Reflect.apply(native, this, args);
        onNew();
        return result;
      },
    );
  }
}

/** Colours of the browser's own, and `light-dark()`, of a page that says that it can be both. */
export function pretendScheme(value: 'light' | 'dark'): void {
  pretend({ feature: 'prefers-color-scheme', value });
  const sheet = new CSSStyleSheet();
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  const choose = () => {
    sheet.replaceSync('');
    const said = document.querySelector('meta[name="color-scheme" i]')?.getAttribute('content');
    const { colorScheme } = getComputedStyle(document.documentElement);
    const can = colorScheme === 'normal' ? (said ?? '') : colorScheme;
    if (can.includes(value)) sheet.replaceSync(`:root { color-scheme: ${value} !important }`);
  };
  document.addEventListener('DOMContentLoaded', choose);
  addEventListener('load', choose, true);
}
