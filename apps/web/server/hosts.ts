import type { Settings } from './settings.ts';

/** What a request's `Host` names. Unknown names are refused: a rebinding DNS name is one of them. */
export type HostKind = { kind: 'app' | 'preview'; origin: string } | { kind: 'unknown' };

export interface Hosts {
  /** The origins under which this process is the app, the public one first. */
  readonly appOrigins: readonly string[];
  /** Hosts whose subdomains are previews; the second site also serves the portable page itself. */
  readonly previewHosts: readonly string[];
  /** Every host that a page of ours may frame, as CSP sources without a scheme. */
  readonly frameSources: readonly string[];
  classify(host: string): HostKind;
}

/** The table of hosts; `port` is the one that was really bound. */
export function createHosts(settings: Settings, port: number): Hosts {
  const { host: publicHost, protocol } = new URL(settings.publicOrigin);
  const origins = new Map([[publicHost, settings.publicOrigin]]);
  if (settings.loopback) {
    // Not [::1]: a content security policy cannot name an IPv6 address, so previews would not show.
    for (const name of ['localhost', '127.0.0.1'])
      origins.set(`${name}:${port}`, `http://${name}:${port}`);
  }
  const previewHosts = [publicHost, ...(settings.previewHost ? [settings.previewHost] : [])];
  return {
    appOrigins: [...origins.values()],
    previewHosts,
    frameSources: [
      ...new Set([...previewHosts.flatMap((host) => [host, `*.${host}`]), ...origins.keys()]),
    ],
    classify(host) {
      const name = host.toLowerCase();
      const origin = origins.get(name);
      if (origin) return { kind: 'app', origin };
      return previewHosts.some((suffix) => name === suffix || name.endsWith(`.${suffix}`))
        ? { kind: 'preview', origin: `${protocol}//${name}` }
        : { kind: 'unknown' };
    },
  };
}
