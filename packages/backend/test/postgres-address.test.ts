import { expect, test } from 'vitest';
import { formatDatabaseUrl, parseDatabaseUrl } from '../src/postgres/index.ts';

test.each([
  'postgres://ada:s%3Acret%40@db.test:6543/vitrine',
  'postgres://ada:x@db.test:5432/vitrine?sslmode=verify-full',
  'postgres://ada@[::1]:5432/vitrine',
  'postgres://ada@/vitrine?host=%2Fvar%2Frun%2Fpostgresql&port=5433',
])('parses and formats %s', (url) => {
  expect(formatDatabaseUrl(parseDatabaseUrl(url))).toBe(url);
});

test('fills in defaults', () => {
  expect(parseDatabaseUrl('postgresql://ada@db.test')).toEqual({
    host: 'db.test',
    port: 5432,
    database: 'ada',
    user: 'ada',
    password: '',
  });
});

test.each([
  ['mysql://ada@db.test/x', 'must start with'],
  ['postgres://db.test/x', 'has no user'],
  ['postgres://ada@/x', 'has no host'],
  ['postgres://ada@db.test/x?sslmode=prefer', 'sslmode=prefer'],
  ['postgres://ada@db.test/x?options=-c', 'unknown parameter options'],
  ['postgres://ada:100%@db.test/x', 'escaped as %25'],
  ['not an address', 'isn’t a valid URL'],
])('rejects %s', (url, message) => {
  expect(() => parseDatabaseUrl(url)).toThrow(message);
});

test('does not quote a password in an error', () => {
  expect(() => parseDatabaseUrl('postgres://ada:hunter2@db.test:port/x')).toThrow(/^(?!.*hunter2)/);
});
