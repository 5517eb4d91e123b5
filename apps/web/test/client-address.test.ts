import { expect, test } from 'vitest';
import { createAddressReader, networkOf } from '../server/client-address.ts';
import { parseSettings } from '../server/settings.ts';

const behind = createAddressReader(['10.0.0.2', '172.16.0.0/12', '2001:db8::/32']);

test('without a proxy of ours in between, what a request says of itself is not believed', () => {
  expect(behind('203.0.113.9', '198.51.100.1')).toBe('203.0.113.9');
  expect(createAddressReader([])('127.0.0.1', '198.51.100.1')).toBe('127.0.0.1');
});

test.each([
  ['10.0.0.2', '198.51.100.1', '198.51.100.1'],
  ['::ffff:10.0.0.2', '198.51.100.1', '198.51.100.1'],
  ['10.0.0.2', '1.2.3.4, 198.51.100.1', '198.51.100.1'],
  ['10.0.0.2', '1.2.3.4, 198.51.100.1, 172.20.1.1', '198.51.100.1'],
  ['2001:db8::7', '2a00::1', '2a00::1'],
  ['10.0.0.2', null, '10.0.0.2'],
  ['10.0.0.2', 'unknown', '10.0.0.2'],
  ['10.0.0.2', '172.16.0.1', '172.16.0.1'],
])('from %s with %s before it, the request is from %s', (connection, forwarded, address) => {
  expect(behind(connection, forwarded)).toBe(address);
});

test('what is no address of a proxy is refused at the start', () => {
  expect(parseSettings({ TRUSTED_PROXIES: '10.0.0.2, ::1/128' }).trustedProxies).toEqual([
    '10.0.0.2',
    '::1/128',
  ]);
  for (const wrong of ['proxy.example.com', '10.0.0.2/33', '10.0.0.2/x']) {
    expect(() => parseSettings({ TRUSTED_PROXIES: wrong })).toThrow(/TRUSTED_PROXIES.*10\.0\.0\.2/);
  }
});

test.each([
  ['198.51.100.7', '198.51.100.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:0db8:0001:0002:ffff::1', '2001:db8:1:2'],
  ['2001:db8::1', '2001:db8:0:0'],
  ['::1', '0:0:0:0'],
  ['2001:db8:1:2::192.0.2.1', '2001:db8:1:2'],
  ['64:ff9b::192.0.2.1', '64:ff9b:0:0'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
  ['', ''],
])('limits count %s as %s', (address, network) => {
  expect(networkOf(address)).toBe(network);
});
