/**
 * Conformance projects: each is a folder of test/conformance with a `seen.json` that contains the expected state of its
 * page. Projects of one area use the same language.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { frameworkLock } from './frameworks.ts';
import { lockFile } from './packages.ts';

export interface Seen {
  /** Visible text of the page. */
  text?: string;
  /** Expressions evaluated in the page, with their expected (awaited) values. */
  value?: Record<string, unknown>;
  /** Methods of log entries, in order. */
  logs?: string[];
  /** Path and line of each diagnostic; none if left out. */
  problems?: [path: string, line: number][] | 'any';
  /** Transports that the language supports; both if left out. */
  transports?: string[];
  /** Uses the package of the rig. */
  packages?: boolean;
  /** Uses Preact, React, Svelte or Vue. */
  frameworks?: boolean;
}

export interface ConformanceProject {
  /** `AREA/NAME`. */
  name: string;
  files: Record<string, string>;
  seen: Seen;
}

const folder = fileURLToPath(new URL('../conformance/', import.meta.url));

export function readProjects(): ConformanceProject[] {
  return list(folder).flatMap((area) =>
    list(`${folder}${area}`).map((name) => readProject(`${area}/${name}`)),
  );
}

function readProject(name: string): ConformanceProject {
  const files: Record<string, string> = {};
  for (const path of readdirSync(`${folder}${name}`, { recursive: true, encoding: 'utf8' }))
    if (!isFolder(`${folder}${name}/${path}`))
      files[path] = readFileSync(`${folder}${name}/${path}`, 'utf8');
  const seen = JSON.parse(files['seen.json'] ?? '') as Seen;
  delete files['seen.json'];
  if (seen.frameworks) files['package-lock.json'] = frameworkLock;
  if (seen.packages) files['package-lock.json'] = lockFile('1.0.0');
  return { name, files, seen };
}

function list(path: string): string[] {
  return readdirSync(path).sort();
}

function isFolder(path: string): boolean {
  return statSync(path).isDirectory();
}
