import { describe, expect, it } from 'vitest';
import { detectPreviewHost } from '../src/preview-host.ts';

const agents = {
  chromium:
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36',
  firefox: 'Mozilla/5.0 (X11; Linux x86_64; rv:153.0) Gecko/20100101 Firefox/153.0',
  safari:
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Safari/605.1.15',
  'chrome on iOS':
    'Mozilla/5.0 (iPhone; CPU iPhone OS 26_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/150.0 Mobile/15E148 Safari/604.1',
} as const;

function location(
  agent: keyof typeof agents,
  appOrigin: string,
  more: { isSecureContext?: boolean; hasServiceWorker?: boolean; separateHost?: string } = {},
) {
  const chosen = detectPreviewHost({
    appOrigin,
    separateHost: 'vitrine-preview.localhost:4000',
    userAgent: agents[agent],
    isSecureContext: true,
    hasServiceWorker: true,
    ...more,
  });
  return chosen.transport === 'isolated-origin'
    ? chosen.origin('edit--abc')
    : `${chosen.origin} ${chosen.sharesProcess}`;
}

const app = 'http://vitrine.localhost:4000';

describe('the host of a preview', () => {
  it.each([
    ['chromium', app, {}, 'http://edit--abc.vitrine.localhost:4000'],
    ['firefox', app, {}, 'http://edit--abc.vitrine-preview.localhost:4000'],
    ['safari', app, {}, 'http://vitrine-preview.localhost:4000 true'],
    ['chrome on iOS', app, {}, 'http://vitrine-preview.localhost:4000 true'],
    ['chromium', 'https://play.example.org', {}, 'https://edit--abc.play.example.org'],
    ['firefox', app, { hasServiceWorker: false }, 'http://vitrine-preview.localhost:4000 false'],
    ['chromium', 'http://localhost:4000', {}, 'http://127.0.0.1:4000 false'],
    ['firefox', 'http://127.0.0.1:4000', {}, 'http://localhost:4000 false'],
    [
      'chromium',
      'http://192.168.1.5:4000',
      { isSecureContext: false },
      'http://192.168.1.5:4000 false',
    ],
    [
      'firefox',
      'http://192.168.1.5:4000',
      { isSecureContext: false },
      'http://192.168.1.5:4000 true',
    ],
    ['firefox', 'http://[fd00::1]:4000', { isSecureContext: false }, 'http://[fd00::1]:4000 true'],
    [
      'chromium',
      'http://school.lan',
      { isSecureContext: false },
      'http://vitrine-preview.localhost:4000 false',
    ],
  ] as const)('in %s at %s (%j) is %s', (agent, origin, more, expected) => {
    expect(location(agent, origin, more)).toBe(expected);
  });
});
