/**
 * Finds a control by its role and accessible name; with no role, an input by its label.
 * Runs in the page of a browser whose driver has no such search, so it uses nothing outside
 * itself.
 */
export function findControl(role: string | null, name: string): Element | null {
  const tags: Record<string, string> = { button: 'button', link: 'a[href]', status: 'output' };
  const selector = role === null ? 'input' : `[role="${role}"], ${tags[role] ?? role}`;
  const nameOf = (element: Element) =>
    element.getAttribute('aria-label') ??
    (element instanceof HTMLInputElement ? element.labels?.[0] : element)?.textContent;
  const all = document.querySelectorAll(selector);
  return [...all].find((element) => nameOf(element)?.trim() === name) ?? null;
}
