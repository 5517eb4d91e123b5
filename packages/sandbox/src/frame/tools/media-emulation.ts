/**
 * Media emulation. A page can't ask its browser to emulate a media feature, so conditions are rewritten in
 * stylesheets and in `matchMedia`. Not affected: cross-origin stylesheets without CORS, `<source media>`,
 * shadow trees and workers (docs/protocol.md, "Media emulation").
 */

/** Media queries that are always true and never true for a visible page. */
const always = '(min-width: 0px)';
const never = '(max-width: 0px)';

/** A media feature with the value to emulate and, if any, the value it has in a query without one. */
interface EmulatedFeature {
  feature: string;
  value: string;
  bare?: string;
}

export function emulateFeature(emulation: EmulatedFeature): void {
  const native = window.matchMedia.bind(window);
  // oxlint-disable-next-line typescript/no-unnecessary-type-conversion -- a page may pass anything
  window.matchMedia = (query) => native(rewriteQuery(String(query), emulation));
  const all = () => {
    for (const sheet of [...document.styleSheets, ...document.adoptedStyleSheets])
      rewriteSheet(sheet, emulation);
  };
  all();
  watchSheets(all);
}

/** Rewrites a media query: "(prefers-reduced-motion: reduce) and (hover)" → "(min-width: 0px) and (hover)" */
function rewriteQuery(query: string, { feature, value, bare }: EmulatedFeature): string {
  const condition = new RegExp(`\\(\\s*${feature}\\s*(?::\\s*([a-z-]+)\\s*)?\\)`, 'gi');
  return query.replace(condition, (_, queried: string = bare ?? '') =>
    queried.toLowerCase() === value ? always : never,
  );
}

function rewriteSheet(sheet: CSSStyleSheet, emulation: EmulatedFeature): void {
  rewriteMedia(sheet.media, emulation);
  try {
    rewriteRules(sheet.cssRules, emulation);
  } catch (error) {
    // A cross-origin stylesheet without CORS can't be read.
    if (!(error instanceof DOMException)) throw error;
  }
}

function rewriteRules(rules: CSSRuleList, emulation: EmulatedFeature): void {
  for (const rule of rules) {
    if (rule instanceof CSSMediaRule) rewriteMedia(rule.media, emulation);
    if (rule instanceof CSSImportRule && rule.styleSheet) rewriteSheet(rule.styleSheet, emulation);
    if (rule instanceof CSSGroupingRule) rewriteRules(rule.cssRules, emulation);
  }
}

function rewriteMedia(list: MediaList, emulation: EmulatedFeature): void {
  const rewritten = rewriteQuery(list.mediaText, emulation);
  if (rewritten !== list.mediaText) list.mediaText = rewritten;
}

/** Calls back for new stylesheets, which come from elements, links and scripts. */
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

/** Emulates a color scheme, including browser default colors and `light-dark()` of pages that support both. */
export function emulateColorScheme(value: 'light' | 'dark'): void {
  emulateFeature({ feature: 'prefers-color-scheme', value });
  const sheet = new CSSStyleSheet();
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  const update = () => {
    sheet.replaceSync('');
    const metaContent = document
      .querySelector('meta[name="color-scheme" i]')
      ?.getAttribute('content');
    const { colorScheme } = getComputedStyle(document.documentElement);
    const supported = colorScheme === 'normal' ? (metaContent ?? '') : colorScheme;
    if (supported.includes(value)) sheet.replaceSync(`:root { color-scheme: ${value} !important }`);
  };
  document.addEventListener('DOMContentLoaded', update);
  addEventListener('load', update, true);
}
