import type { TextEdit } from '../typescript/messages.ts';
import { findNames } from './known-names.ts';
import type { LintAsked, RuleFix, RuleProblem } from './messages.ts';
import { readPageRules, readScriptRules, type OwnConfig } from './own-rules.ts';
import { placeProblems, type Mendable, type Said } from './rule-problem.ts';

/** Longer texts, or texts with longer lines, are generated, and nobody fixes them by hand. */
const maxTextLength = 300_000;
const longLine = /[^\n]{2000}/;
/** Diagnostics reported per file at most. */
const maxDiagnostics = 100;

/** The diagnostics of a file, and the inputs they were computed from. */
interface CachedResult {
  readonly text: string;
  readonly own: OwnConfig;
  /** The project's global names, joined. Empty if the language does not need them. */
  readonly names: string;
  readonly found: readonly Mendable[];
}

/**
 * The files of a project and their lint diagnostics. The linter of each language is loaded with its
 * first file.
 */
export class LintProject {
  readonly #files = new Map<string, string>();
  /** Cached results by path. Removed with the file. */
  readonly #cache = new Map<string, CachedResult>();
  /** Globals of the platform. */
  #globalNames: readonly string[] = [];
  /** The project's lint config. Cleared when one of its config files changes. */
  #config: { readonly scripts: OwnConfig; readonly pages: OwnConfig } | undefined;

  setNames(globals: readonly string[]): void {
    this.#globalNames = globals;
  }

  changeFiles(changed: ReadonlyMap<string, string>, removed: readonly string[]): void {
    for (const path of removed) {
      this.#files.delete(path);
      this.#cache.delete(path);
    }
    for (const [path, text] of changed) this.#files.set(path, text);
    if ([...changed.keys(), ...removed].some(isConfig)) this.#config = undefined;
  }

  async problems({ path }: LintAsked['problems']): Promise<readonly RuleProblem[]> {
    const found = await this.#lint(path);
    // Fixes are left out; the page requests them when needed.
    return found.map(({ fix: _fix, suggestions: _suggestions, ...problem }) => problem);
  }

  async fixes({ path, from, to }: LintAsked['fixes']): Promise<readonly RuleFix[]> {
    const all = await this.#lint(path);
    const touched = all.filter((each) => each.from <= to && each.to >= from);
    const single = touched.flatMap(listFixes);
    const allFixes = all.flatMap(({ fix }) => fix ?? []);
    return allFixes.length > 1 && touched.some(({ fix }) => fix)
      ? [
          ...single,
          { label: 'Fix all auto-fixable problems in this file', edits: withoutOverlaps(allFixes) },
        ]
      : single;
  }

  async #lint(path: string): Promise<readonly Mendable[]> {
    const text = this.#files.get(path);
    const linter = findLinter(path);
    if (!linter || text === undefined || text.length > maxTextLength || longLine.test(text))
      return [];
    const config = this.#getConfig(linter);
    const projectGlobals = linter === 'script' ? findNames(this.#files, path) : [];
    const globals = projectGlobals?.join(' ') ?? '?';
    const cached = this.#cache.get(path);
    if (cached?.text === text && cached.own === config && cached.names === globals)
      return cached.found;
    const messages = await this.#runLinter(linter, path, text, config, projectGlobals);
    const found = placeProblems(path, text, keepMostSevere(messages).slice(0, maxDiagnostics));
    this.#cache.set(path, { text, own: config, names: globals, found });
    return found;
  }

  #getConfig(linter: LinterName): OwnConfig {
    const config = (this.#config ??= {
      scripts: readScriptRules(this.#files),
      pages: readPageRules(this.#files),
    });
    return linter === 'page' ? config.pages : config.scripts;
  }

  async #runLinter(
    linter: LinterName,
    path: string,
    text: string,
    config: OwnConfig,
    projectGlobals: readonly string[] | undefined,
  ): Promise<readonly Said[]> {
    switch (linter) {
      case 'script': {
        const { checkScript } = await import('./script-rules.ts');
        const globals = projectGlobals && [...this.#globalNames, ...projectGlobals];
        return checkScript(text, { own: config, names: globals, hasHooks: this.#hasHooks() });
      }
      case 'typed': {
        const { checkTyped } = await import('./typed-scripts.ts');
        return checkTyped(path, text, {
          own: config,
          names: undefined,
          hasHooks: this.#hasHooks(),
        });
      }
      case 'component': {
        const { checkComponent } = await import('./typed-scripts.ts');
        const messages = checkComponent(path, text, {
          own: config,
          names: undefined,
          hasHooks: false,
        });
        if (!path.endsWith('.vue')) return messages;
        const { checkTemplate } = await import('./page-rules.ts');
        return [...messages, ...checkTemplate(text, this.#getConfig('page'))];
      }
      case 'style': {
        const { checkStyle } = await import('./style-rules.ts');
        return checkStyle(text, config);
      }
      case 'data': {
        const { checkData } = await import('./data-rules.ts');
        return checkData(text, config);
      }
      case 'page': {
        const { checkMarkup } = await import('./page-rules.ts');
        return checkMarkup(text, config);
      }
    }
  }

  #hasHooks(): boolean {
    return /"p?react"\s*:/.test(this.#files.get('package.json') ?? '');
  }
}

function isConfig(path: string): boolean {
  return /^(?:\.eslintrc(?:\.json)?|package\.json|\.htmlvalidate\.json)$/.test(path);
}

type LinterName = 'script' | 'typed' | 'component' | 'style' | 'data' | 'page';

function findLinter(path: string): LinterName | undefined {
  if (/\.(?:[cm]?js|jsx)$/.test(path)) return 'script';
  if (/\.(?:[cm]?ts|tsx)$/.test(path)) return path.endsWith('.d.ts') ? undefined : 'typed';
  if (/\.(?:vue|svelte)$/.test(path)) return 'component';
  if (path.endsWith('.css')) return 'style';
  if (/\.html?$/.test(path)) return 'page';
  // The lockfile has an empty key, which a JSON rule would report.
  return path.endsWith('.json') && !path.endsWith('package-lock.json') ? 'data' : undefined;
}

/** Keeps the most severe message of those that start at the same offset. */
function keepMostSevere(messages: readonly Said[]): Said[] {
  const byPlace = Map.groupBy(messages, ({ from }) => from);
  return [...byPlace.values()].flatMap(
    (each) => each.find(({ severity }) => severity === 'error') ?? each[0] ?? [],
  );
}

function listFixes({ rule, sentence, fix, suggestions }: Mendable): RuleFix[] {
  const suggested = suggestions.map(({ label, edit }) => ({ label, edits: [edit] }));
  return fix ? [{ label: `Fix ${rule}: ${sentence}`, edits: [fix] }, ...suggested] : suggested;
}

/**
 * The edits, in order, without those that overlap an earlier one. Applying fixes again fixes the
 * rest.
 */
function withoutOverlaps(edits: readonly TextEdit[]): TextEdit[] {
  let end = -1;
  return edits
    .toSorted((a, b) => a.from - b.from)
    .filter((edit) => {
      if (edit.from <= end) return false;
      end = edit.to;
      return true;
    });
}
