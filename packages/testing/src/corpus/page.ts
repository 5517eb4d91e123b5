/** Runs exercises in a real page with a real package server, and measures result, time and size. */
import { serve } from '@hono/node-server';
import type { Browser, Page } from '@playwright/test';
import type { Server } from 'node:http';
import { parsePackageName } from '@vitrine/esm/lockfile';
import type { PackageServer } from '@vitrine/esm';
import type { Exercise } from './exercises.ts';
import { pageTools } from './page-tools.ts';

export interface Outcome {
  readonly name: string;
  readonly passed: boolean;
  readonly why?: string;
  readonly resolveMs?: number;
  readonly loadMs?: number;
  readonly requests?: number;
  readonly kilobytes?: number;
}

export interface ExercisePlace {
  run(exercise: Exercise, browser: Browser): Promise<Outcome>;
  close(): Promise<void>;
}

const html =
  '<!doctype html><meta charset="utf-8"><body><div id="root" style="width:400px;height:300px"></div>';

/** Host of the page next to a package server. `timeoutMs` limits one exercise. */
export async function openExercisePlace(
  packages: PackageServer,
  appOrigin: string,
  timeoutMs: number,
): Promise<ExercisePlace> {
  const answer = async (request: Request) =>
    (await packages.fetch(request)) ??
    new Response(html, { headers: { 'content-type': 'text/html; charset=utf-8' } });
  const server = await new Promise<Server>((ready) => {
    const started = serve({ fetch: answer, port: 0, hostname: '127.0.0.1' }, () =>
      ready(started as Server),
    );
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const origin = `http://127.0.0.1:${address.port}`;
  return {
    run: (exercise, browser) =>
      runOne({ packages, appOrigin, origin, timeoutMs }, exercise, browser),
    close: () => new Promise((closed) => void server.close(() => closed())),
  };
}

interface Place {
  readonly packages: PackageServer;
  readonly appOrigin: string;
  readonly origin: string;
  readonly timeoutMs: number;
}

interface Added {
  readonly base: string;
  readonly plain?: readonly string[];
}

async function runOne(place: Place, exercise: Exercise, browser: Browser): Promise<Outcome> {
  const { name } = exercise;
  const context = await browser.newContext();
  const problems: string[] = [];
  try {
    const page = await context.newPage();
    const traffic = watch(page, problems);
    await page.addInitScript({ content: pageTools });
    await page.goto(place.origin);
    const started = performance.now();
    const added = await addPackages(place, exercise.packages);
    const resolveMs = Math.round(performance.now() - started);
    // Builds that the server starts by itself for the resolved versions count too.
    const loading = performance.now();
    const value = await evaluate(place, page, exercise, added);
    const loadMs = Math.round(performance.now() - loading);
    const passed = value === true;
    const why = passed ? {} : { why: [`gave ${JSON.stringify(value)}`, ...problems].join(' | ') };
    return { name, passed, ...why, resolveMs, loadMs, ...(await traffic()) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { name, passed: false, why: [reason, ...problems].join(' | ').slice(0, 2_000) };
  } finally {
    await context.close();
  }
}

/** Adds packages like the Packages panel does in a project without packages. */
async function addPackages({ packages, appOrigin }: Place, names: readonly string[]) {
  const add = names.map((spec) => {
    const at = spec.indexOf('@', 1);
    return at < 0
      ? { name: spec, range: '*' }
      : { name: spec.slice(0, at), range: spec.slice(at + 1) };
  });
  const response = await packages.fetch(
    new Request('http://127.0.0.1/npm/-/resolve', {
      method: 'POST',
      headers: { origin: appOrigin, 'content-type': 'application/json' },
      body: JSON.stringify({ packageJson: '{}', add }),
    }),
  );
  const body = (await response?.json()) as { packages?: (Added & { name: string })[] };
  if (!body.packages) throw new Error(`not resolved: ${JSON.stringify(body)}`);
  return new Map(body.packages.map((item) => [item.name, item]));
}

/** Counts what comes from the package server, and records errors in the page. */
function watch(page: Page, problems: string[]) {
  const sizes: Promise<number>[] = [];
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text());
  });
  page.on('response', (response) => {
    if (!response.url().includes('/npm/')) return;
    if (!response.ok())
      void response.text().then(
        (text) => problems.push(`${response.url()} ${text}`),
        () => undefined,
      );
    sizes.push(
      response.body().then(
        (body) => body.length,
        () => 0,
      ),
    );
  });
  return async () => {
    const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
    return { requests: sizes.length, kilobytes: Math.round(bytes / 1024) };
  };
}

async function evaluate(
  { origin, timeoutMs }: Place,
  page: Page,
  { script }: Exercise,
  added: ReadonlyMap<string, Added>,
): Promise<unknown> {
  const text = placeImports(script, (specifier, names) => {
    const name = parsePackageName(specifier) ?? specifier;
    const found = added.get(name);
    const address = `${origin}${found?.base}${specifier.slice(name.length)}`;
    const isSure =
      names.length === 0 || found?.plain?.includes(specifier.slice(name.length)) === true;
    return isSure ? address : `${address}?names=${[...new Set(names)].sort().join(',')}`;
  });
  const bases = Object.fromEntries([...added].map(([name, { base }]) => [name, origin + base]));
  const work = page.evaluate(
    async ({ text: module, bases: addresses }) => {
      const fileOf = (name: string, path: string) => `${addresses[name]}/-/${path}`;
      Object.assign(globalThis, { root: document.getElementById('root'), fileOf });
      const blob = new Blob([module], { type: 'text/javascript' });
      const loaded = (await import(URL.createObjectURL(blob))) as { default: unknown };
      return loaded.default;
    },
    { text, bases },
  );
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, fail) => {
    timer = setTimeout(() => fail(new Error(`no answer in ${timeoutMs} ms`)), timeoutMs);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/** Imports of an exercise, each on a line of its own, as the compiler would write them. */
function placeImports(
  script: string,
  place: (specifier: string, names: string[]) => string,
): string {
  return script.replaceAll(
    /^import (?:(.*) from )?'([^']+)';$/gm,
    (_, clause: string | undefined, specifier: string) => {
      const listed = /\{([^}]*)\}/.exec(clause ?? '')?.[1]?.split(',') ?? [];
      const names = listed.map((item) => item.trim().split(' as ')[0] ?? '');
      const whole = /\* as (\w+)/.exec(clause ?? '')?.[1];
      const members =
        whole === undefined ? [] : [...script.matchAll(new RegExp(`\\b${whole}\\.([\\w$]+)`, 'g'))];
      names.push(...members.map(([, member = '']) => member));
      const wanted = names.filter((name) => name !== '' && name !== 'default');
      return `import ${clause === undefined ? '' : `${clause} from `}'${place(specifier, wanted)}';`;
    },
  );
}
