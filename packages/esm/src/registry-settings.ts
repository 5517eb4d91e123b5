// oxlint-disable-next-line typescript/triple-slash-reference -- whoever compiles this module needs them
/// <reference path="./npm-modules.d.ts" />
import Config from '@npmcli/config';
import npmDefinitions from '@npmcli/config/lib/definitions/index.js';

/** What a registry is reached with. Holds tokens: never logged, answered or stored. */
export interface RegistrySettings {
  /** npm's flat options: `registry`, `@scope:registry`, `//host/:_authToken`, `ca`, `proxy` … */
  readonly npm: Readonly<Record<string, unknown>>;
  /** Hosts, besides the registries' own, that tarballs may come from (`cdn.example.com:8443`). */
  readonly tarballHosts: readonly string[];
}

/**
 * npm's own configuration as npm would read it in `folder`: its .npmrc, the user's, the machine's
 * and `npm_config_…` of the environment.
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

/** The registry that npm asks where nothing else is set. */
export const publicRegistry = new URL(npmDefinitions.definitions.registry.default);

/** The registry of a package: its scope's, or the default one. Ends in a slash. */
export function registryOf(settings: RegistrySettings, name: string): URL {
  const scope = name.startsWith('@') ? name.slice(0, name.indexOf('/')) : undefined;
  const own = scope === undefined ? undefined : settings.npm[`${scope}:registry`];
  return registryAddress(own ?? settings.npm['registry'] ?? publicRegistry);
}

/** Every registry that these settings name. */
export function listRegistries(settings: RegistrySettings): URL[] {
  const scoped = Object.entries(settings.npm).filter(([key]) => /^@[^/]+:registry$/.test(key));
  return [registryOf(settings, ''), ...scoped.map(([, address]) => registryAddress(address))];
}

function registryAddress(value: unknown): URL {
  const text = String(value);
  return new URL(text.endsWith('/') ? text : `${text}/`);
}
