/** What a joining leaves beside its files, in `manifest.json`, and how a joined module is reached. */
export interface JoinManifest {
  /** Address → where its module is now. */
  readonly modules: Readonly<Record<string, JoinedModule>>;
  /** File → what it imports as it is loaded. */
  readonly files: Readonly<Record<string, readonly string[]>>;
  /** Why nothing was joined. */
  readonly failure?: string;
}

/** A module that became a part of a joined file: its export 'a' is that one's 'a$7'. */
export interface JoinedModule {
  readonly file: string;
  readonly suffix: string;
  /** All of its names that are known. */
  readonly names: readonly string[];
  /** Modules outside of the family whose names are all exported too. */
  readonly stars: readonly string[];
}

/** The address of a joined file, by the head's. */
export function joinAddress(base: string, file: string): string {
  return `${base}/-join/${file}`;
}

/** Stands at a joined module's own address. */
export function standIn(base: string, { file, suffix, names, stars }: JoinedModule): string {
  const from = JSON.stringify(joinAddress(base, file));
  const list = names.map((name) => `${JSON.stringify(name + suffix)} as ${JSON.stringify(name)}`);
  return [
    `import ${from};`,
    ...(list.length > 0 ? [`export { ${list.join(', ')} } from ${from};`] : []),
    ...stars.map((star) => `export * from ${JSON.stringify(star)};`),
    '',
  ].join('\n');
}
