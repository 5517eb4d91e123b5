/** "../data.json?x" in "pages/a.html" → "data.json"; undefined for addresses of elsewhere. */
export function findPath(address: string, from: string): string | undefined {
  if (/^(?:[a-z][a-z0-9+.-]*:|\/\/|#)/i.test(address)) return undefined;
  const { pathname } = new URL(address, `http://project/${from}`);
  try {
    return decodeURIComponent(pathname.slice(1));
  } catch (error) {
    // A stray `%` stands for itself.
    if (error instanceof URIError) return pathname.slice(1);
    throw error;
  }
}
