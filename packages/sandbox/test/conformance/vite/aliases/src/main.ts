import { at } from '@/at';
import { tilde } from '~/lib/tilde';
import { lib } from '$lib/tilde';
import { config } from '#config';
import { one } from '#parts/one';
import { Button } from '@parts/button';
import { all } from 'utils';
import { based } from 'lib/based';
import url from 'assets/a.svg';
import text from 'assets/a.svg?raw';
import sheet from '~styles/site.css?inline';

const later = await import('@/later');
const outside = new URL('./assets/a.svg', import.meta.url);
const found = [at, tilde, lib, config, one, Button, all, based, later.default, text.slice(0, 4)];
const reached = await Promise.all([url, outside].map(async (each) => (await fetch(each)).ok));
document.querySelector('p')!.textContent = [...found, sheet.trim(), ...reached].join(' ');
