import type { Layout } from './layout.ts';
import type { Settings } from './settings.ts';

/**
 * What a request's `Host` names. Unknown names are refused: a rebinding DNS name is one of them.
 * `program` hosts have the API and the health check for programs on this machine, and no pages.
 */
export type HostKind =
  { kind: 'app' | 'preview' | 'program'; origin: string } | { kind: 'unknown' };

export interface Hosts {
  /** The origins under which this process is the app, the public one first. */
  readonly appOrigins: readonly string[];
  /** Hosts whose subdomains are previews; the second site also serves the portable page itself. */
  readonly previewHosts: readonly string[];
  /** Every host that a page of ours may frame, as CSP sources without a scheme. */
  readonly frameSources: readonly string[];
  classify(host: string): HostKind;
}

/** The table of hosts. */
export function createHosts(
  { publicOrigin, previewHost }: Pick<Settings, 'publicOrigin' | 'previewHost'>,
  { pageOrigins, programHosts }: Layout,
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
      if (programHosts.includes(name)) return { kind: 'program', origin: `http://${name}` };
      return previewHosts.some((suffix) => name === suffix || name.endsWith(`.${suffix}`))
        ? { kind: 'preview', origin: `${protocol}//${name}` }
        : { kind: 'unknown' };
    },
  };
}
