/**
 * Resolves an untrusted path against an origin, for links and redirects. Returns undefined if a
 * browser would leave `origin` when following the path.
 *
 * "/work?tab=trash" → the same on `origin`; "//evil.test", "/\evil.test", "/.//evil.test",
 * "javascript:1" → undefined
 */
export function resolveSameOrigin(path: string, origin: string): URL | undefined {
  // Browsers read a backslash as a slash and drop tabs and line breaks before they parse.
  if (!path.startsWith('/') || /[\\\s\p{Cc}]/u.test(path)) return undefined;
  if (!URL.canParse(path, origin)) return undefined;
  const url = new URL(path, origin);
  // The path of "/.//evil.test" is "//evil.test", which leads to another origin when used as a link.
  return url.origin === origin && !url.pathname.startsWith('//') ? url : undefined;
}
