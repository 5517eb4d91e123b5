/**
 * The projects of the `examples` folder, built into the server: the templates a project starts from,
 * and what there is to look at on the first day. Pages get lists and single ones from loaders.
 */
export interface Example {
  /** Its folder's name, and its address below `/new`. */
  readonly slug: string;
  readonly title: string;
  readonly description: string;
  readonly tags: readonly string[];
  /** True for what people start from, false for what shows something. */
  readonly isTemplate: boolean;
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

/** What most people want comes first; the rest follows by title. */
const first = ['html', 'typescript', 'react', 'preact', 'vue', 'svelte', 'tailwind', 'markdown'];

/** Templates and examples, without their files. */
export function listExamples(): { templates: Example[]; examples: Example[] } {
  const all = [...examples.values()]
    .map(({ files: _files, ...about }) => about)
    .sort((a, b) => rank(a) - rank(b) || compare(a, b));
  return {
    templates: all.filter((example) => example.isTemplate),
    examples: all.filter((example) => !example.isTemplate),
  };
}

/** One example with its files; undefined when there is none of that name. */
export function findExample(slug: string): StoredExample | undefined {
  return examples.get(slug);
}

function rank({ slug }: Example): number {
  const at = first.indexOf(slug);
  return at < 0 ? first.length : at;
}

function compare(a: Example, b: Example): number {
  return a.title.localeCompare(b.title, 'en');
}

function readAll(): ReadonlyMap<string, StoredExample> {
  const found = new Map<string, StoredExample>();
  for (const [address, about] of Object.entries(texts)) {
    const slug = /\/examples\/([^/]+)\/example\.json$/.exec(address)?.[1];
    if (slug) found.set(slug, { slug, ...parseAbout(slug, about), files: filesOf(slug) });
  }
  return found;
}

function filesOf(slug: string): [string, string][] {
  const folder = `/examples/${slug}/`;
  return Object.entries(texts)
    .map(([address, text]): [string, string] => [address.split(folder)[1] ?? '', text])
    .filter(([path]) => path !== '' && path !== 'example.json')
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

/** `example.json`: title, description, tags, template. Throws at start when a folder's is wrong. */
function parseAbout(slug: string, text: string): Omit<Example, 'slug'> {
  const about: unknown = JSON.parse(text);
  if (typeof about !== 'object' || about === null) throw new Error(`${slug}: no object`);
  const { title, description, tags, template }: Record<string, unknown> = { ...about };
  if (typeof title !== 'string' || typeof description !== 'string') {
    throw new Error(`examples/${slug}/example.json has no title or no description`);
  }
  const words = Array.isArray(tags) ? tags.filter((tag) => typeof tag === 'string') : [];
  return { title, description, tags: words, isTemplate: template === true };
}
