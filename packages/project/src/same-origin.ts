/**
 * Where a path that came from outside leads, as an absolute address; undefined where a browser would
 * not stay on `origin` with it. For each place that makes a link or a redirect of one.
 *
 * "/work?tab=trash" → the same on `origin`; "//evil.test", "/\evil.test", "/.//evil.test",
 * "javascript:1" → undefined
 */
export function resolveSameOrigin(path: string, origin: string): URL | undefined {
  // Browsers read a backslash as a slash and drop tabs and line breaks before they parse.
  if (!path.startsWith('/') || /[\\\s\p{Cc}]/u.test(path)) return undefined;
  if (!URL.canParse(path, origin)) return undefined;
  const address = new URL(path, origin);
  // The path of "/.//evil.test" is "//evil.test": alone in a link, it is another's address.
  return address.origin === origin && !address.pathname.startsWith('//') ? address : undefined;
}
