/** "../data.json?x" in "pages/a.html" → "data.json"; undefined for addresses of elsewhere. */
export function findPath(address: string, from: string): string | undefined {
  if (/^(?:[a-z][a-z0-9+.-]*:|\/\/|#)/i.test(address)) return undefined;
  const { pathname } = new URL(address, `http://project/${from}`);
  return decodeURIComponent(pathname.slice(1));
}
