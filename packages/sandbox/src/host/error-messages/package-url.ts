/** A module of a package that this instance serves. */
export interface PackageModule {
  readonly name: string;
  readonly version: string;
  /** "/subpath", or "" for the package itself and its inner files. */
  readonly subpath: string;
}

/**
 * Parses the URL of a package module that this instance serves; undefined for any other URL.
 * "http://host/npm/@a/b@1.0.0~HASH/c?names=d" → { name: "@a/b", version: "1.0.0", subpath: "/c" }
 * "/npm/a@1.0.0~HASH/-in/b@2.0.0~HASH/-chunk/1.js" → { name: "b", version: "2.0.0", subpath: "" }
 */
export function parsePackageUrl(address: string): PackageModule | undefined {
  const url = URL.canParse(address, location.origin)
    ? new URL(address, location.origin)
    : undefined;
  if (url?.origin !== location.origin) return undefined;
  const [, name, version, subpath = ''] =
    /^\/npm\/(?:.*\/-in\/)?((?:@[^/@]+\/)?[^/@]+)@([^/~]+)(?:~[^/]*)?((?:\/(?!-)[^/]+)*)/.exec(
      url.pathname,
    ) ?? [];
  return name === undefined || version === undefined ? undefined : { name, version, subpath };
}
