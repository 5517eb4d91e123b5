// oxlint-disable-next-line typescript/triple-slash-reference -- every program that compiles this module needs them
/// <reference path="../npm-modules.d.ts" />
import Config from '@npmcli/config';
import npmDefinitions from '@npmcli/config/lib/definitions/index.js';

/** Configuration of the registries. Contains tokens: never logged, sent or stored. */
export interface RegistrySettings {
  /** npm's flat options: `registry`, `@scope:registry`, `//host/:_authToken`, `ca`, `proxy` … */
  readonly npm: Readonly<Record<string, unknown>>;
  /** Additional hosts that tarballs may be fetched from (`cdn.example.com:8443`). */
  readonly tarballHosts: readonly string[];
}

/**
 * Reads npm's own configuration as npm would in `folder`: its .npmrc, the user's, the global one,
 * and `npm_config_…` variables of the environment.
 */
export async function readRegistrySettings(options: {
  folder: string;
  env: Readonly<Record<string, string | undefined>>;
  tarballHosts: readonly string[];
}): Promise<RegistrySettings> {
  const { definitions, shorthands, flatten, nerfDarts } = npmDefinitions;
  const config = new Config({
    definitions,
    shorthands,
    flatten,
    nerfDarts,
    npmPath: options.folder,
    argv: [],
    env: { ...options.env },
    cwd: options.folder,
    warn: false,
  });
  await config.load();
  return { npm: { ...config.flat }, tarballHosts: options.tarballHosts };
}

/** Registry that npm uses by default. */
export const publicRegistryUrl = new URL(npmDefinitions.definitions.registry.default);

/** Registry URL for a package: its scope's registry, or the default one. Ends in a slash. */
export function getRegistryUrl(settings: RegistrySettings, name: string): URL {
  const scope = name.startsWith('@') ? name.slice(0, name.indexOf('/')) : undefined;
  const scopeRegistry = scope === undefined ? undefined : settings.npm[`${scope}:registry`];
  return parseRegistryUrl(scopeRegistry ?? settings.npm['registry'] ?? publicRegistryUrl);
}

/** All registries in these settings. */
export function listRegistries(settings: RegistrySettings): URL[] {
  const scoped = Object.entries(settings.npm).filter(([key]) => /^@[^/]+:registry$/.test(key));
  return [getRegistryUrl(settings, ''), ...scoped.map(([, url]) => parseRegistryUrl(url))];
}

function parseRegistryUrl(value: unknown): URL {
  const text = String(value);
  return new URL(text.endsWith('/') ? text : `${text}/`);
}
