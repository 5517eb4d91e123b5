/** package.json and lockfile of the templates, whose packages the instance has. By path. */
const templates: Readonly<Record<string, string>> = import.meta.glob(
  '../../../../../examples/{preact,react,svelte,vue}/package{,-lock}.json',
  { query: '?raw', import: 'default', eager: true },
);

/** package.json and lockfile of a template. Empty if it has none. */
export function listTemplateManifests(
  template: string | undefined,
): [path: string, text: string][] {
  return Object.entries(templates).flatMap(([path, text]) =>
    path.includes(`/examples/${template}/`) ? [[path.replace(/^.*\//, ''), text]] : [],
  );
}

/** Packages of each template. */
const templatePackages: readonly (readonly [template: string, packages: readonly string[]])[] = [
  ['react', ['react', 'react-dom']],
  ['vue', ['vue']],
  ['svelte', ['svelte']],
  ['preact', ['preact']],
];

/**
 * The package.json of files that import these packages, with the lockfile if they are a template's.
 *
 * @param ranges Versions that the other editor had, by package.
 */
export function createManifests(
  packages: Iterable<string>,
  ranges: ReadonlyMap<string, string> = new Map(),
): [path: string, text: string][] {
  const names = [...new Set(packages)].sort();
  if (names.length === 0) return [];
  const template = templatePackages.find(([, known]) =>
    names.every((name) => known.includes(name)),
  );
  if (template && !names.some((name) => ranges.has(name)))
    return listTemplateManifests(template[0]);
  const dependencies = Object.fromEntries(names.map((name) => [name, ranges.get(name) ?? '*']));
  return [['package.json', formatManifest(dependencies)]];
}

/** A package.json with these ranges by package. */
export function formatManifest(dependencies: Readonly<Record<string, unknown>>): string {
  return `${JSON.stringify({ private: true, type: 'module', dependencies }, null, 2)}\n`;
}

/** Packages that scripts import: `import 'three/addons/a.js'` → "three". Not Node's own modules. */
export function findPackages(texts: Iterable<string>): Set<string> {
  const names = new Set<string>();
  const specifiers =
    /\b(?:from|import)\s*\(?\s*(['"])((?:@[\w.-]+\/)?[a-z\d][\w.-]*)(?:\/[^'"\n]*)?\1/g;
  for (const text of texts)
    for (const [, , name] of text.matchAll(specifiers)) if (name !== undefined) names.add(name);
  return names;
}
