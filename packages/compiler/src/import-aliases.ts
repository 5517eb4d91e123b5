/**
 * Reads the aliases of import specifiers: `resolve.alias` of vite.config, `paths` and `baseUrl` of
 * tsconfig.json, `imports` of package.json, and the ones that project templates agree on.
 */
import { isRecord } from '@vitrine/project';
import { isPathSpecifier } from './find-module.ts';
import type { ImportAlias } from './resolve-alias.ts';
import { resolvePath } from './resolve-path.ts';
import {
  getRecord,
  parseJsonWithComments,
  readTypeScriptConfig,
  type TypeScriptConfig,
} from './typescript-config.ts';
import { findViteConfig, readViteConfig } from './vite-config.ts';

export type { ImportAlias };

/** Aliases without any configuration, as in the templates of Vite, Vue, Nuxt and SvelteKit. */
export const conventionalAliases: readonly ImportAlias[] = [
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

/** Maximum depth of conditions. Node has no limit, but nobody nests deeper. */
const maxConditionDepth = 20;

function listTargets(value: unknown, depth = 0): string[] {
  if (typeof value === 'string') return [value];
  if (depth === maxConditionDepth) return [];
  if (Array.isArray(value)) return value.flatMap((item) => listTargets(item, depth + 1));
  if (!isRecord(value)) return [];
  const first = Object.keys(value).find((condition) => conditions.includes(condition));
  return first === undefined ? [] : listTargets(value[first], depth + 1);
}
