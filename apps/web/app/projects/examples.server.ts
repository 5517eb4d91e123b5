/**
 * The projects in the `examples` folder, built into the server: templates for new projects, and
 * examples to explore. Loaders pass them to the pages.
 */
export interface Example {
  /** The name of its folder, and its path below `/new`. */
  readonly slug: string;
  readonly title: string;
  readonly description: string;
  readonly tags: readonly string[];
  /** A template to start from, instead of an example to explore. */
  readonly isTemplate: boolean;
  /** One or two characters that stand for a template. Empty for an example. */
  readonly mark: string;
  /** Whether this instance doesn't carry all packages of it. */
  readonly needsRegistry: boolean;
}

const texts = import.meta.glob<string>('../../../../examples/*/**', {
  query: '?raw',
  import: 'default',
  eager: true,
});

interface StoredExample extends Example {
  readonly files: readonly (readonly [path: string, content: string])[];
}

const examples = readAll();

/** Templates in the order of the list. Others follow, sorted by title. */
const pinnedSlugs = [
  'html',
  'typescript',
  'react',
  'vue',
  'svelte',
  'preact',
  'solid',
  'lit',
  'components',
  'tailwind',
  'sass',
  'markdown',
  'three',
  'p5',
  'd3',
  'tests',
  'empty',
];

/** Templates and examples, without their files. */
export function listExamples(): { templates: Example[]; examples: Example[] } {
  const all = [...examples.values()]
    .map(({ files: _files, ...example }) => example)
    .sort((a, b) => rank(a) - rank(b) || compare(a, b));
  return {
    templates: all.filter((example) => example.isTemplate),
    examples: all.filter((example) => !example.isTemplate),
  };
}

/** Finds an example, with its files, by its slug. */
export function findExample(slug: string): StoredExample | undefined {
  return examples.get(slug);
}

function rank({ slug }: Example): number {
  const index = pinnedSlugs.indexOf(slug);
  return index < 0 ? pinnedSlugs.length : index;
}

function compare(a: Example, b: Example): number {
  return a.title.localeCompare(b.title, 'en');
}

function readAll(): ReadonlyMap<string, StoredExample> {
  const found = new Map<string, StoredExample>();
  for (const [path, text] of Object.entries(texts)) {
    const slug = /\/examples\/([^/]+)\/example\.json$/.exec(path)?.[1];
    if (slug) found.set(slug, { slug, ...parseMetadata(slug, text), files: listFiles(slug) });
  }
  return found;
}

function listFiles(slug: string): [string, string][] {
  const folder = `/examples/${slug}/`;
  return Object.entries(texts)
    .map(([path, text]): [string, string] => [path.split(folder)[1] ?? '', text])
    .filter(([path]) => path !== '' && path !== 'example.json')
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Parses `example.json`. Throws if it is invalid. */
function parseMetadata(slug: string, text: string): Omit<Example, 'slug'> {
  const metadata: unknown = JSON.parse(text);
  if (typeof metadata !== 'object' || metadata === null)
    throw new Error(`examples/${slug}/example.json is not an object`);
  const { title, description, tags, template, mark, needsRegistry }: Record<string, unknown> = {
    ...metadata,
  };
  if (typeof title !== 'string' || typeof description !== 'string') {
    throw new Error(`examples/${slug}/example.json has no title or no description`);
  }
  const validTags = Array.isArray(tags) ? tags.filter((tag) => typeof tag === 'string') : [];
  return {
    title,
    description,
    tags: validTags,
    isTemplate: template === true,
    mark: typeof mark === 'string' ? mark : '',
    needsRegistry: needsRegistry === true,
  };
}
