import { describe, expect, it } from 'vitest';
import { parseEnvFile, readEnvironment } from '../src/env-files.ts';

function read(files: Record<string, string>, prefixes: string[] = []) {
  return readEnvironment((path) => files[path], prefixes);
}

describe('an .env file', () => {
  it.each([
    ['A=1', { A: '1' }],
    ['A = 1 ', { A: '1' }],
    ['export A=1', { A: '1' }],
    ['A=', { A: '' }],
    ['# A=1\nB=2', { B: '2' }],
    ['A=1 # one', { A: '1' }],
    ['A="1 # one" # two', { A: '1 # one' }],
    [`A='1 # "one"'`, { A: '1 # "one"' }],
    ['A=`it\'s "1"`', { A: 'it\'s "1"' }],
    ['A="one\\ntwo"', { A: 'one\ntwo' }],
    ["A='one\\ntwo'", { A: 'one\\ntwo' }],
    ['A="one\ntwo"\nB=3', { A: 'one\ntwo', B: '3' }],
    ['A="open\nB=3', { A: '"open', B: '3' }],
    ['A=1\r\nB=2\r\n', { A: '1', B: '2' }],
    ['A: 1', { A: '1' }],
    ['A=https://a.example/?b=c&d', { A: 'https://a.example/?b=c&d' }],
    ['A=1\nA=2', { A: '2' }],
    ['not a line', {}],
  ])('%j', (text, values) => {
    expect(Object.fromEntries(parseEnvFile(text))).toEqual(values);
  });
});

describe('the environment', () => {
  it('has Vite’s own values without any file', () => {
    expect(read({})).toEqual({
      BASE_URL: '/',
      DEV: true,
      MODE: 'development',
      PROD: false,
      SSR: false,
    });
  });

  it('takes the variable of the most specific file, and only public ones', () => {
    const files = {
      '.env': 'VITE_A=1\nVITE_B=1\nVITE_C=1\nVITE_D=1\nKEY=secret',
      '.env.local': 'VITE_B=2\nVITE_C=2\nVITE_D=2',
      '.env.development': 'VITE_C=3\nVITE_D=3',
      '.env.development.local': 'VITE_D=4',
      '.env.production': 'VITE_A=5',
      'src/.env': 'VITE_A=6',
    };
    expect(read(files)).toMatchObject({ VITE_A: '1', VITE_B: '2', VITE_C: '3', VITE_D: '4' });
    expect(read(files)).not.toHaveProperty('KEY');
    expect(read({ '.env': 'MY_A=1\nREACT_APP_B=2' }, ['MY_'])).toMatchObject({
      MY_A: '1',
      REACT_APP_B: '2',
    });
  });

  it('expands references to other variables', () => {
    const text = [
      'HOST=a.example',
      'VITE_URL=https://${HOST}:$PORT/',
      'VITE_PORT=${PORT:-80}',
      String.raw`VITE_PRICE=\$5`,
      'VITE_LOOP=a${VITE_LOOP}b',
    ];
    expect(read({ '.env': text.join('\n') })).toMatchObject({
      VITE_URL: 'https://a.example:/',
      VITE_PORT: '80',
      VITE_PRICE: '$5',
      VITE_LOOP: 'ab',
    });
  });

  it('stops at references that double with each line, or lead on and on', () => {
    const lines = (count: number, value: (name: string) => string) =>
      Array.from({ length: count }, (_, at) => `VITE_${at}=${value(`VITE_${at + 1}`)}`).join('\n');
    const doubled = read({ '.env': `${lines(40, (name) => `\${${name}}\${${name}}`)}\nVITE_40=x` });
    expect(JSON.stringify(doubled).length).toBeLessThan(1_000_000);
    const empty = read({ '.env': lines(40, (name) => `\${${name}}\${${name}}`) });
    expect(empty['VITE_0']).toBe('');
    const long = read({ '.env': lines(100, (name) => `a\${${name}}`) });
    expect(long['VITE_90']).toBe('a'.repeat(10));
  });

  it('can’t replace Vite’s own values', () => {
    expect(read({ '.env': 'MODE=x\nDEV=x' }, ['MODE', 'DEV'])).toMatchObject({
      MODE: 'development',
    });
  });
});
