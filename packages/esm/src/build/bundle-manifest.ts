/**
 * Content of `manifest.json` beside the files of a package group's bundle. The field names are
 * stored on disk.
 */
export interface BundleManifest {
  /** Module URL → where its code is. */
  readonly modules: Readonly<Record<string, BundledModule>>;
  /** File → URLs that it imports statically. */
  readonly files: Readonly<Record<string, readonly string[]>>;
  /** Why nothing was bundled. */
  readonly failure?: string;
}

/** A module that is part of a bundle file, where its export 'a' is named 'a$7'. */
export interface BundledModule {
  readonly file: string;
  readonly suffix: string;
  /** All exported names that are known. */
  readonly names: readonly string[];
  /** Modules outside of the group whose names are all re-exported. */
  readonly stars: readonly string[];
}

/** URL of a bundle file; `base` is the URL of the group's root. */
export function getBundleUrl(base: string, file: string): string {
  return `${base}/-join/${file}`;
}

/** Text of the facade at a bundled module's own URL. */
export function writeFacade(base: string, { file, suffix, names, stars }: BundledModule): string {
  const from = JSON.stringify(getBundleUrl(base, file));
  const list = names.map((name) => `${JSON.stringify(name + suffix)} as ${JSON.stringify(name)}`);
  return [
    `import ${from};`,
    ...(list.length > 0 ? [`export { ${list.join(', ')} } from ${from};`] : []),
    ...stars.map((star) => `export * from ${JSON.stringify(star)};`),
    '',
  ].join('\n');
}
