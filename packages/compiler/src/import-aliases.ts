/**
 * Aliases of import specifiers: `resolve.alias` of vite.config, `paths` and `baseUrl` of
 * tsconfig.json, `imports` of package.json, and the ones that project templates agree on.
 */
import { isRecord } from '@vitrine/project';
import { findModule, isPathSpecifier } from './find-module.ts';
import { resolvePath } from './resolve-path.ts';
import {
  getRecord,
  parseJsonWithComments,
  readTypeScriptConfig,
  type TypeScriptConfig,
} from './typescript-config.ts';
import { findViteConfig, readViteConfig } from './vite-config.ts';

/** Replaces the specifiers that match `find` by the first target that exists. */
export interface ImportAlias {
  /** A specifier; one `*` stands for any text. */
  find: string;
  /** Paths from the project's root (`/src/*`), or packages, with the text that `*` stands for. */
  targets: readonly string[];
}

/** Aliases without any configuration, as in the templates of Vite, Vue, Nuxt and SvelteKit. */
const conventionalAliases: readonly ImportAlias[] = [
  { find: '@/*', targets: ['/src/*', '/*'] },
  { find: '~/*', targets: ['/src/*', '/app/*', '/*'] },
  { find: '$lib', targets: ['/src/lib'] },
  { find: '$lib/*', targets: ['/src/lib/*'] },
];

/** Reads the aliases of a project. Those that are configured come first. */
export function readImportAliases(read: (path: string) => string | undefined): ImportAlias[] {
  const vite = findViteConfig(read);
  return [
    ...(vite === undefined ? [] : readViteConfig(vite, read(vite) ?? '').aliases),
    ...readTypeScriptPaths(readTypeScriptConfig(read)),
    ...readPackageImports(read('package.json') ?? ''),
    ...conventionalAliases,
  ];
}

function readTypeScriptPaths({ options, pathsFile, baseUrlFile }: TypeScriptConfig): ImportAlias[] {
  const baseUrl = typeof options['baseUrl'] === 'string' ? options['baseUrl'] : undefined;
  const base = baseUrl === undefined ? undefined : toRoot(baseUrlFile, `${baseUrl}/`);
  const aliases = Object.entries(getRecord(options, 'paths')).map(([find, targets]) => ({
    find,
    targets: (Array.isArray(targets) ? targets : [])
      .filter((target) => typeof target === 'string')
      .map((target) => toRoot(base === undefined ? pathsFile : base.slice(1), target)),
  }));
  return base === undefined ? aliases : [...aliases, { find: '*', targets: [`${base}*`] }];
}

/** "./src/*" in "tsconfig.json" → "/src/*"; "./node_modules/preact/compat/" → "preact/compat" */
function toRoot(file: string, target: string): string {
  const path = resolvePath(file, target) ?? '';
  const [, inPackage] = /(?:^|\/)node_modules\/(.+?)\/?$/.exec(path) ?? [];
  return inPackage ?? `/${path}`;
}

/** `"imports": { "#a/*": "./src/*.js" }`; of conditions, those of a browser count. */
function readPackageImports(packageJson: string): ImportAlias[] {
  const imports = getRecord(parseJsonWithComments(packageJson), 'imports');
  return Object.entries(imports).map(([find, value]) => ({
    find,
    targets: listTargets(value).map((target) =>
      isPathSpecifier(target) ? toRoot('package.json', target) : target,
    ),
  }));
}

const conditions = ['browser', 'development', 'module', 'import', 'default'];

function listTargets(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(listTargets);
  if (!isRecord(value)) return [];
  const first = Object.keys(value).find((condition) => conditions.includes(condition));
  return first === undefined ? [] : listTargets(value[first]);
}

/** What an aliased specifier stands for. */
export type AliasTarget =
  /** A path from the root (`/src/a`), with the query of the specifier, or a package. */
  | { specifier: string }
  /** An alias of the project matches, but none of its targets exists. */
  | 'missing'
  /** No alias matches. */
  | undefined;

/** Resolves an alias: "@/App?raw" → "/src/App?raw", if there is such a file. */
export function resolveAlias(
  specifier: string,
  aliases: readonly ImportAlias[],
  exists: (path: string) => boolean,
): AliasTarget {
  if (isPathSpecifier(specifier)) return undefined;
  const [name = '', ...query] = specifier.split('?');
  let isMissing = false;
  for (const { find, targets } of aliases) {
    const matched = matchPattern(find, name);
    if (matched === undefined) continue;
    for (const pattern of targets) {
      const target = pattern.replace('*', () => matched);
      if (target.startsWith('/') ? findModule('', target, exists) === undefined : target === name)
        continue;
      return { specifier: [target, ...query].join('?') };
    }
    isMissing ||= find !== '*';
  }
  return isMissing ? 'missing' : undefined;
}

/**
 * Resolves an alias in a glob pattern: "@/posts/*.md" → "/src/posts/*.md", if the project has that
 * folder. Undefined if no alias matches.
 */
export function resolveAliasPattern(
  pattern: string,
  aliases: readonly ImportAlias[],
  paths: readonly string[],
): string | undefined {
  const candidates = aliases.flatMap(({ find, targets }) => {
    const matched = matchPattern(find, pattern);
    return matched === undefined
      ? []
      : targets
          .filter((each) => each.startsWith('/'))
          .map((each) => each.replace('*', () => matched));
  });
  const hasFolder = (candidate: string) => {
    const fixed = candidate.slice(1).replace(/[^/]*[*?[{(].*$/, '');
    return paths.some((path) => path.startsWith(fixed));
  };
  return candidates.find(hasFolder) ?? candidates[0];
}

/** Returns the text that `*` stands for, '' without one; undefined if the name doesn't match. */
export function matchPattern(pattern: string, name: string): string | undefined {
  const [start = '', end] = pattern.split('*');
  if (end === undefined) return pattern === name ? '' : undefined;
  const isMatch =
    name.length >= start.length + end.length && name.startsWith(start) && name.endsWith(end);
  return isMatch ? name.slice(start.length, name.length - end.length) : undefined;
}
