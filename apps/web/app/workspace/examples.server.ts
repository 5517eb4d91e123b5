/** An example project, as its folder under `examples/` has it. */
export interface Example {
  readonly name: string;
  readonly title: string;
  readonly files: readonly (readonly [path: string, content: string])[];
}

const folder = '../../../../examples/';
const texts = import.meta.glob<string>('../../../../examples/*/**/*', {
  query: '?raw',
  import: 'default',
  eager: true,
});

/** The example or template of that name. */
export function findExample(name: string): Example | undefined {
  const prefix = `${folder}${name}/`;
  const about = texts[`${prefix}example.json`];
  if (about === undefined || !/^[a-z0-9-]+$/.test(name)) return undefined;
  const { title }: { title: string } = JSON.parse(about);
  const files = Object.entries(texts)
    .filter(([path]) => path.startsWith(prefix) && path !== `${prefix}example.json`)
    .map(([path, content]) => [path.slice(prefix.length), content] as const);
  return { name, title, files };
}
