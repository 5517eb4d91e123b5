/**
 * The conformance table: small projects, each a folder of test/conformance with `seen.json`, which says
 * what must be seen in its page. Folders of an area share a language.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { frameworkLock } from './frameworks.ts';
import { lockFile } from './packages.ts';

export interface Seen {
  /** Text of the page, as a person reads it. */
  text?: string;
  /** Expression in the page → its value, promises awaited. */
  value?: Record<string, unknown>;
  /** Methods of console lines, in order. */
  logs?: string[];
  /** Path and line of each problem; none if left out. */
  problems?: [path: string, line: number][] | 'any';
  /** The paths on which the language offers this; both if left out. */
  paths?: string[];
  /** Uses the package of the rig. */
  packages?: boolean;
  /** Uses Vue or Svelte. */
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
