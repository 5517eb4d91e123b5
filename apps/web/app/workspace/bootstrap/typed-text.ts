/**
 * Texts that were typed just before a page of a project was left, for the next page in this tab.
 * The server may not have them when it renders that page, and reading the device's database takes
 * until the app has loaded. Everything is also in that database, where the document finds it: this
 * copy is only shown, so that the page doesn't start with an older text.
 */

/** A text as it was shown, and the text that the document has once it's open. */
export interface TypedText {
  readonly text: string;
  /** Another text only if the app hadn't taken over an early editor. */
  readonly base: string;
}

interface StoredTexts {
  /** Id of the project. */
  readonly project: string;
  /** Time when the page was left. */
  readonly at: number;
  readonly files: Readonly<Record<string, TypedText>>;
}

declare global {
  interface Window {
    /** Texts of this page's files that were typed before, by path. Set by an inline script. */
    typedTexts?: Record<string, TypedText>;
  }
}

const storageKey = 'vitrine-typed';
/** Later, the server has what was typed, and maybe what others have saved since. */
const maxAgeMs = 60_000;
/** Both writers run while a page is left, one right after the other. */
const sameUnloadMs = 1_000;

/** Stores the texts of files with unsent edits when the page is left. None removes earlier ones. */
export function storeTypedTexts(project: string, files: Readonly<Record<string, TypedText>>): void {
  try {
    const stored = sessionStorage.getItem(storageKey);
    const earlier = stored === null ? undefined : (JSON.parse(stored) as StoredTexts);
    const isSameUnload =
      earlier?.project === project && Date.now() - earlier.at < sameUnloadMs ? earlier.files : {};
    const texts: StoredTexts = { project, at: Date.now(), files: { ...isSameUnload, ...files } };
    if (Object.keys(texts.files).length === 0) sessionStorage.removeItem(storageKey);
    else sessionStorage.setItem(storageKey, JSON.stringify(texts));
  } catch {
    // Storage is full or denied: the next page starts with the server's text.
  }
}

/** Source of an inline script after a file's server-rendered text, which replaces it if needed. */
export function createTypedTextScript(project: string, path: string): string {
  const json = JSON.stringify([storageKey, maxAgeMs, project, path]).replaceAll('<', '\\u003c');
  return `(${showTypedText.toString()})(...${json})`;
}

/** Runs in the page as text. */
function showTypedText(key: string, maxMs: number, project: string, path: string): void {
  try {
    const stored = JSON.parse(sessionStorage.getItem(key) ?? 'null') as StoredTexts | null;
    const typed = stored?.project === project ? stored.files[path] : undefined;
    if (!stored || !typed || Date.now() - stored.at > maxMs) return;
    (window.typedTexts ??= {})[path] = typed;
    const pane = document.currentScript?.parentElement;
    const [numbers, text] = pane?.querySelector('[data-static-text]')?.children ?? [];
    if (!numbers || !text) return;
    const lines = typed.text.split('\n').slice(0, Number(numbers.getAttribute('data-max-lines')));
    numbers.textContent = lines.map((_, index) => index + 1).join('\n');
    text.textContent = lines.join('\n');
  } catch {
    // Storage is denied.
  }
}
