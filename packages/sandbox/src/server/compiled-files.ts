import {
  mayRead,
  needsCompiling,
  readFacts,
  type PackageOptions,
  type ProjectFacts,
} from '@vitrine/compiler';
import { createHash } from 'node:crypto';
import type { CompilePool, CompileResult } from './compile-pool.ts';

export interface ServedProject {
  id: string;
  slug: string;
  revision: number;
  isPrivate: boolean;
  files: ReadonlyMap<string, string>;
  /** Told to whoever opens its preview by itself; its slug stands for it where this is left out. */
  credit?: { title: string; author: string };
  /** Modules of packages that show all their names; see compiler, `PackageOptions`. */
  plainAddresses?: ReadonlySet<string>;
}

/** What stands for a file of a project. */
export type CompiledForm = Omit<CompileResult, 'number'>;

const asItIs: CompiledForm = { code: null, map: null, module: null };

export interface CompiledFiles {
  /** Compiles when first asked; the same contents in the same surroundings once. */
  find(project: ServedProject, path: string, text: string): Promise<CompiledForm>;
}

/** Characters of code and maps that are kept; the form used longest ago leaves first. */
const keptCharacters = 32_000_000;
const keptProjects = 100;

/** `origin` is that of the app's host. */
export function createCompiledFiles(pool: CompilePool, origin: string): CompiledFiles {
  /** By hash of all that a form depends on. Entries are there as soon as they are being made. */
  const forms = new Map<string, Promise<CompiledForm>>();
  const sizes = new Map<string, number>();
  let characters = 0;
  /** By project and revision, newest last: reading its facts looks through every page. */
  const surroundings = new Map<string, Surroundings>();

  const findSurroundings = (project: ServedProject): Surroundings => {
    // More becomes known of packages as they are built.
    const id = `${project.id}-${project.revision}-${project.plainAddresses?.size ?? 0}`;
    const found = surroundings.get(id) ?? readSurroundings(project, origin);
    surroundings.delete(id);
    surroundings.set(id, found);
    for (const old of [...surroundings.keys()].slice(0, -keptProjects)) surroundings.delete(old);
    return found;
  };
  const keep = (key: string, form: CompiledForm) => {
    const size = [form.code, form.module, form.map?.mappings].reduce(
      (sum, text) => sum + (text?.length ?? 0),
      0,
    );
    sizes.set(key, size);
    characters += size;
    for (const [old] of forms) {
      if (characters <= keptCharacters || old === key) break;
      drop(old);
    }
  };
  const drop = (key: string) => {
    forms.delete(key);
    characters -= sizes.get(key) ?? 0;
    sizes.delete(key);
  };

  return {
    find(project, path, text) {
      const { facts, packages, hash, exists } = findSurroundings(project);
      if (!needsCompiling({ path, text }, { exists, mapped: facts.mapped }))
        return Promise.resolve(asItIs);
      const texts = new Map([...project.files].filter(([other]) => mayRead({ path, text }, other)));
      const key = hashOf([hash, path, text, ...[...texts].flat()]);
      const known = forms.get(key);
      // Used again, it goes to the end of those that leave.
      if (known) forms.delete(key);
      const form = known ?? pool.compile({ project: hash, facts, packages, path, text, texts });
      forms.set(key, form);
      if (!known)
        form.then(
          (made) => keep(key, made),
          // A failure is not kept: the next request tries again.
          () => drop(key),
        );
      return form;
    },
  };
}

interface Surroundings {
  facts: ProjectFacts;
  packages: PackageOptions;
  hash: string;
  exists(path: string): boolean;
}

function readSurroundings(
  { files, plainAddresses = new Set() }: ServedProject,
  origin: string,
): Surroundings {
  const facts = readFacts(files);
  const paths = new Set(facts.paths);
  return {
    facts,
    packages: { origin, plainAddresses },
    hash: hashOf([JSON.stringify(facts), ...plainAddresses]),
    exists: (path) => paths.has(path),
  };
}

function hashOf(parts: readonly string[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(`${part.length}:`).update(part);
  return hash.digest('base64url');
}
