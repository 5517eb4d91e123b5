import { isLoopback, type Settings } from './settings.ts';

/**
 * What a process believes about whoever asks it, decided by its settings alone. The address a
 * connection comes from, the `Host` it names and whether it has forwarding headers prove nothing: a
 * proxy on this machine connects from loopback, nginx by default names its upstream and adds no
 * header, and a forwarded port (SSH, an editor) looks the same. So nothing is granted for being
 * local: mail is shown to browsers that were given a secret, and limits count every address.
 */
export interface Layout {
  /** Origins under which pages are served, the public one first. */
  readonly pageOrigins: readonly string[];
  /** Hosts under which programs on this machine reach the API and the health check, but no page. */
  readonly programHosts: readonly string[];
  /** Base URL of the backend for functions. */
  readonly functionsUrl: string;
  /** Proxies whose X-Forwarded-For is believed; nobody else's is. */
  readonly trustedProxies: readonly string[];
  /** Mail is kept in DATA_DIR, and readable at `/outbox` with the secret of the startup output. */
  readonly keepsMail: boolean;
}

export function describeLayout(settings: Settings): Layout {
  const { port, listen, publicOrigin, trustedProxies, mail, hosted } = settings;
  const { host: publicHost, hostname, port: publicPort, protocol } = new URL(publicOrigin);
  const isLocal = isLoopback(hostname);
  const isListeningLocally = isLoopback(listen);
  // The public port is another process's where this one has the backend alone.
  const ports = new Set([
    String(port),
    ...(protocol === 'http:' && publicPort ? [publicPort] : []),
  ]);
  const localHosts = ['localhost', '127.0.0.1']
    .flatMap((name) => [...ports].map((number) => `${name}:${number}`))
    .filter((host) => host !== publicHost);
  const listenHost = `${listen.includes(':') ? `[${listen}]` : listen}:${port}`;
  return {
    // Where people open another address, a page under a local name would believe in the wrong origin.
    // Not [::1]: a content security policy cannot name an IPv6 address.
    pageOrigins: [publicOrigin, ...(isLocal ? localHosts.map((host) => `http://${host}`) : [])],
    programHosts: isListeningLocally ? [...new Set([...localHosts, listenHost])] : localHosts,
    functionsUrl: isListeningLocally ? `http://${listenHost}` : publicOrigin,
    trustedProxies,
    keepsMail: mail === null && hosted === null,
  };
}
