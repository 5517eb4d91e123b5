import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createJsonLog, createLog, combineLogs } from '../server/log.ts';
import { openLogFile } from '../server/log-file.ts';

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-log-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, 'logs');
}

test('logs JSON to the file and text to the terminal, with secrets redacted', () => {
  const folder = makeFolder();
  const file = openLogFile(folder);
  const shown: string[] = [];
  const log = combineLogs(
    createLog((line) => shown.push(line)),
    createJsonLog((line) => file.write(line)),
  );
  log.warn('It rained.', { millimetres: 4, token: 'abc' });
  const [line = ''] = readFileSync(join(folder, 'vitrine.log'), 'utf8').split('\n');
  expect(JSON.parse(line)).toMatchObject({
    level: 'warn',
    message: 'It rained.',
    millimetres: 4,
    token: '(removed)',
  });
  expect(shown.join('')).toMatch(/warn It rained\. millimetres=4 token=\(removed\)\n$/);
  expect(statSync(join(folder, 'vitrine.log')).mode & 0o077).toBe(0);
  file.close();
});

test('creates a data folder that the user of PostgreSQL can enter, if it runs as root', () => {
  const dataDir = join(makeFolder(), 'data');
  openLogFile(join(dataDir, 'logs')).close();
  expect(statSync(dataDir).mode & 0o777).toBe(process.getuid?.() === 0 ? 0o711 : 0o700);
  expect(statSync(join(dataDir, 'logs')).mode & 0o777).toBe(0o700);
});

test('rotates a full file, deletes the oldest, and continues after a restart', () => {
  const folder = makeFolder();
  const limits = { maxBytes: 100, keep: 2 };
  let file = openLogFile(folder, limits);
  const write = (number: number) => file.write(`${String(number).padStart(39, ' ')}\n`);
  for (let number = 1; number <= 7; number += 1) write(number);
  file.close();
  file = openLogFile(folder, limits);
  write(8);
  write(9);
  file.close();
  const kept = ['vitrine.2.log', 'vitrine.1.log', 'vitrine.log'].map((name) =>
    readFileSync(join(folder, name), 'utf8').trim().split(/\s+/),
  );
  expect(kept).toEqual([['5', '6'], ['7', '8'], ['9']]);
  expect(readdirSync(folder).length).toBe(3);
});
