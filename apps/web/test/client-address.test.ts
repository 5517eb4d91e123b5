import { expect, test, vi } from 'vitest';
import {
  createClientAddressReader,
  processHeader,
  type ClientAddressReaderOptions,
} from '../server/client-address.ts';
import { parseSettings } from '../server/settings.ts';

const publicHost = 'play.example.com';

function createReader(o: Partial<ClientAddressReaderOptions> = {}) {
  const advise = vi.fn<(message: string) => void>();
  const read = createClientAddressReader({
    trustedProxies: [],
    publicOrigin: `http://${publicHost}`,
    processToken: 'the token of this instance',
    warn: advise,
    ...o,
  });
  return {
    read: (peer: string | undefined, headers: Record<string, string> = {}) =>
      read({ socket: { remoteAddress: peer }, headers: { host: publicHost, ...headers } }),
    advice: () => advise.mock.calls.map(([message]) => message),
  };
}

const forwardedFor = (text: string) => ({ 'x-forwarded-for': text });

test('AU-11: ignores forwarding headers without a trusted proxy', () => {
  const { read } = createReader({ trustedProxies: ['10.0.0.2'] });
  expect(read('203.0.113.9', forwardedFor('198.51.100.1'))).toBe('203.0.113.9');
  expect(createReader().read('127.0.0.1', forwardedFor('198.51.100.1'))).toBe('127.0.0.1');
});

test.each([
  ['10.0.0.2', '198.51.100.1', '198.51.100.1'],
  ['::ffff:10.0.0.2', '198.51.100.1', '198.51.100.1'],
  ['10.0.0.2', '1.2.3.4, 198.51.100.1', '198.51.100.1'],
  ['10.0.0.2', '1.2.3.4, 198.51.100.1, 172.20.1.1', '198.51.100.1'],
  ['2001:db8::7', '2a00::1', '2a00::1'],
  ['10.0.0.2', '', '10.0.0.2'],
  ['10.0.0.2', 'unknown', '10.0.0.2'],
  ['10.0.0.2', '172.16.0.1', '172.16.0.1'],
])(
  'a connection from %s with X-Forwarded-For %j has the client address %s',
  (connection, forwarded, address) => {
    const { read } = createReader({
      trustedProxies: ['10.0.0.2', '172.16.0.0/12', '2001:db8::/32'],
    });
    expect(read(connection, forwardedFor(forwarded))).toBe(address);
  },
);

test('PT-01.5: trusts another process of the instance only with its token', () => {
  const { read } = createReader();
  const from = (token: string, client?: string) =>
    read('10.0.0.9', { [processHeader]: token, ...(client && forwardedFor(client)) });
  expect(from('the token of this instance', '198.51.100.1')).toBe('198.51.100.1');
  // A request of the process itself.
  expect(from('the token of this instance')).toBe('');
  expect(from('', '198.51.100.1')).toBe('10.0.0.9');
  expect(from('the token of that instance', '198.51.100.1')).toBe('10.0.0.9');
});

test('PT-01.5: a connection without an address counts as an address, never as this process', () => {
  expect(createReader().read(undefined)).toBe('unknown');
});

test('warns the administrator once if visitors appear to share one address', () => {
  const plain = createReader();
  plain.read('127.0.0.1');
  expect(plain.advice()).toEqual([]);
  for (const header of ['x-forwarded-for', 'x-real-ip', 'forwarded']) {
    const { read, advice } = createReader();
    for (let count = 0; count < 3; count++) read('127.0.0.1', { [header]: '198.51.100.1' });
    expect(advice()).toEqual([
      expect.stringContaining('set TRUSTED_PROXIES=127.0.0.1 and restart'),
    ]);
  }
  const second = createReader({ trustedProxies: ['127.0.0.1'] });
  second.read('10.0.0.3', forwardedFor('198.51.100.1'));
  expect(second.advice()).toEqual([expect.stringContaining('TRUSTED_PROXIES=127.0.0.1,10.0.0.3')]);
});

test('assumes a proxy for HTTPS even if it adds no header', () => {
  const { read, advice } = createReader({ publicOrigin: `https://${publicHost}` });
  // A function or a script on this machine.
  read('127.0.0.1', { host: '127.0.0.1:4000' });
  expect(advice()).toEqual([]);
  read('127.0.0.1');
  expect(advice()).toEqual([expect.stringContaining('set TRUSTED_PROXIES=127.0.0.1')]);
});

test('warns once about a trusted proxy that sends no header', () => {
  const { read, advice } = createReader({ trustedProxies: ['127.0.0.1'] });
  read('127.0.0.1', forwardedFor('198.51.100.1'));
  read('127.0.0.1', { host: '127.0.0.1:4000' });
  expect(advice()).toEqual([]);
  read('127.0.0.1');
  read('127.0.0.1');
  expect(advice()).toEqual([expect.stringContaining('proxy_set_header X-Forwarded-For')]);
});

test('rejects an invalid proxy address on startup', () => {
  expect(parseSettings({ TRUSTED_PROXIES: '10.0.0.2, ::1/128' }).trustedProxies).toEqual([
    '10.0.0.2',
    '::1/128',
  ]);
  for (const wrong of ['proxy.example.com', '10.0.0.2/33', '10.0.0.2/x']) {
    expect(() => parseSettings({ TRUSTED_PROXIES: wrong })).toThrow(/TRUSTED_PROXIES.*10\.0\.0\.2/);
  }
});
