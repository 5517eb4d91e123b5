/**
 * Lets the page believe that its visitor wishes something else than the device says. No page can ask
 * its browser for that, so the condition is put in other words wherever it can be: in stylesheets and
 * in `matchMedia`. Not reached: stylesheets of other hosts that let no page read them, `<source
 * media>`, shadow trees and workers (docs/protocol.md, "Wishes of the device").
 */

/** What is always true, and what never is, for a page that can be seen. */
const always = '(min-width: 0px)';
const never = '(max-width: 0px)';

/** A media feature, the value that it is to have, and the one that it has without a value, if any. */
export interface Wish {
  feature: string;
  value: string;
  bare?: string;
}

export function fulfil(wish: Wish): void {
  const native = window.matchMedia.bind(window);
  window.matchMedia = (query) => native(reword(String(query), wish));
  const all = () => {
    for (const sheet of [...document.styleSheets, ...document.adoptedStyleSheets])
      rewordSheet(sheet, wish);
  };
  all();
  watchSheets(all);
}

/** "(prefers-reduced-motion: reduce) and (hover)" → "(min-width: 0px) and (hover)" */
function reword(query: string, { feature, value, bare }: Wish): string {
  const condition = new RegExp(`\\(\\s*${feature}\\s*(?::\\s*([a-z-]+)\\s*)?\\)`, 'gi');
  return query.replace(condition, (_, wanted: string = bare ?? '') =>
    wanted.toLowerCase() === value ? always : never,
  );
}

function rewordSheet(sheet: CSSStyleSheet, wish: Wish): void {
  rewordList(sheet.media, wish);
  try {
    rewordRules(sheet.cssRules, wish);
  } catch (error) {
    // Another host's: nobody may read it.
    if (!(error instanceof DOMException)) throw error;
  }
}

function rewordRules(rules: CSSRuleList, wish: Wish): void {
  for (const rule of rules) {
    if (rule instanceof CSSMediaRule) rewordList(rule.media, wish);
    if (rule instanceof CSSImportRule && rule.styleSheet) rewordSheet(rule.styleSheet, wish);
    if (rule instanceof CSSGroupingRule) rewordRules(rule.cssRules, wish);
  }
}

function rewordList(list: MediaList, wish: Wish): void {
  const reworded = reword(list.mediaText, wish);
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
export function wishScheme(value: 'light' | 'dark'): void {
  fulfil({ feature: 'prefers-color-scheme', value });
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
