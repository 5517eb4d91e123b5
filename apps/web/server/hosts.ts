import type { DeploymentConfig } from './deployment-config.ts';
import type { Settings } from './settings.ts';

/**
 * What a request's `Host` refers to. Unknown hosts are rejected, which prevents DNS rebinding.
 * `program` hosts serve the API and the health check to programs on this machine, but no pages.
 */
type HostKind = { kind: 'app' | 'preview' | 'program'; origin: string } | { kind: 'unknown' };

export interface Hosts {
  /** Origins of the app, the public one first. */
  readonly appOrigins: readonly string[];
  /** Hosts whose subdomains are previews. The preview host itself serves the srcdoc transport. */
  readonly previewHosts: readonly string[];
  /** Hosts that the app's pages may frame, as CSP sources without a scheme. */
  readonly frameSources: readonly string[];
  classify(host: string): HostKind;
}

/** Creates the table of hosts from the settings. */
export function createHosts(
  { publicOrigin, previewHost }: Pick<Settings, 'publicOrigin' | 'previewHost'>,
  { pageOrigins, apiHosts }: DeploymentConfig,
): Hosts {
  const { host: publicHost, protocol } = new URL(publicOrigin);
  const origins = new Map(pageOrigins.map((origin) => [new URL(origin).host, origin]));
  const previewHosts = [publicHost, ...(previewHost ? [previewHost] : [])];
  return {
    appOrigins: pageOrigins,
    previewHosts,
    frameSources: [
      ...new Set([...previewHosts.flatMap((host) => [host, `*.${host}`]), ...origins.keys()]),
    ],
    classify(host) {
      const name = host.toLowerCase();
      const origin = origins.get(name);
      if (origin) return { kind: 'app', origin };
      if (apiHosts.includes(name)) return { kind: 'program', origin: `http://${name}` };
      return previewHosts.some((suffix) => name === suffix || name.endsWith(`.${suffix}`))
        ? { kind: 'preview', origin: `${protocol}//${name}` }
        : { kind: 'unknown' };
    },
  };
}
