import { isLoopback, type Settings } from './settings.ts';

/**
 * What a process trusts about requests, derived only from its settings. A connection's address, its
 * `Host` and the lack of forwarding headers prove nothing: a proxy on this machine connects from
 * loopback, nginx by default sends its upstream's host and no forwarding header, and a forwarded
 * port (SSH, an editor) looks the same. So local requests get no privileges: emails are shown only
 * to browsers with a secret, and rate limits count every address.
 */
export interface DeploymentConfig {
  /** Origins that serve pages, the public one first. */
  readonly pageOrigins: readonly string[];
  /** Hosts that serve the API and the health check to programs on this machine, but no pages. */
  readonly apiHosts: readonly string[];
  /** Base URL of the backend for edge functions. */
  readonly functionsUrl: string;
  /** Proxies whose X-Forwarded-For is trusted. */
  readonly trustedProxies: readonly string[];
  /**
   * Whether emails are kept in DATA_DIR and shown at `/outbox` with the startup output's secret.
   */
  readonly hasMailOutbox: boolean;
}

export function getDeploymentConfig(settings: Settings): DeploymentConfig {
  const { port, listen, publicOrigin, trustedProxies, mail, hosted } = settings;
  const { host: publicHost, hostname, port: publicPort, protocol } = new URL(publicOrigin);
  const isLocal = isLoopback(hostname);
  const isListeningLocally = isLoopback(listen);
  // The public port may belong to another process, if this one only runs the backend.
  const ports = new Set([
    String(port),
    ...(protocol === 'http:' && publicPort ? [publicPort] : []),
  ]);
  const localHosts = ['localhost', '127.0.0.1']
    .flatMap((name) => [...ports].map((number) => `${name}:${number}`))
    .filter((host) => host !== publicHost);
  const listenHost = `${listen.includes(':') ? `[${listen}]` : listen}:${port}`;
  return {
    // With a remote public origin, a page under a local name would have the wrong origin.
    // [::1] is left out because a CSP can't contain an IPv6 address.
    pageOrigins: [publicOrigin, ...(isLocal ? localHosts.map((host) => `http://${host}`) : [])],
    apiHosts: isListeningLocally ? [...new Set([...localHosts, listenHost])] : localHosts,
    functionsUrl: isListeningLocally ? `http://${listenHost}` : publicOrigin,
    trustedProxies,
    hasMailOutbox: mail === null && hosted === null,
  };
}
