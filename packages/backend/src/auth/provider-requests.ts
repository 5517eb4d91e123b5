import { allowInsecureRequests } from 'oauth4webapi';
import type { ProviderSettings } from './provider-settings.ts';

const patienceMs = 10_000;

/** How a provider is asked. Plain http is for one on this machine, as tests have. */
export function requestOptions({ url }: ProviderSettings) {
  const { protocol, hostname } = new URL(url);
  const isLocal = protocol === 'http:' && /^(localhost|127\.0\.0\.1|\[::1\])$/.test(hostname);
  return {
    signal: () => AbortSignal.timeout(patienceMs),
    [allowInsecureRequests]: isLocal,
  };
}
