import { allowInsecureRequests } from 'oauth4webapi';
import type { ProviderSettings } from './provider-settings.ts';

const timeoutMs = 10_000;

/** Options for requests to a provider. Plain http is only allowed on loopback, as in tests. */
export function createProviderRequestOptions({ url }: ProviderSettings) {
  const { protocol, hostname } = new URL(url);
  const isLocal = protocol === 'http:' && /^(localhost|127\.0\.0\.1|\[::1\])$/.test(hostname);
  return {
    signal: () => AbortSignal.timeout(timeoutMs),
    [allowInsecureRequests]: isLocal,
  };
}
