import type { TextEdit } from '../typescript/messages.ts';
import { findKnownGlobals } from './known-globals.ts';
import type { LintParams, LintFix, LintDiagnostic } from './messages.ts';
import { readHtmlValidateConfig, readEslintConfig, type LintConfig } from './lint-config.ts';
import { locateMessages, type FixableDiagnostic, type LinterMessage } from './lint-diagnostics.ts';

/** Longer texts, or texts with longer lines, are generated, and nobody fixes them by hand. */
const maxTextLength = 300_000;
const longLine = /[^\n]{2000}/;
/** Diagnostics reported per file at most. */
const maxDiagnostics = 100;

/** The diagnostics of a file, and the inputs they were computed from. */
interface CachedResult {
  readonly text: string;
  readonly config: LintConfig;
  /** The project's global names, joined. Empty if the language does not need them. */
  readonly globals: string;
  readonly diagnostics: readonly FixableDiagnostic[];
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
  #config: { readonly scripts: LintConfig; readonly pages: LintConfig } | undefined;

  setGlobalNames(globals: readonly string[]): void {
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

  async lint({ path }: LintParams['problems']): Promise<readonly LintDiagnostic[]> {
    const found = await this.#lint(path);
    // Fixes are left out; the page requests them when needed.
    return found.map(({ fix: _fix, suggestions: _suggestions, ...problem }) => problem);
  }

  async listFixes({ path, from, to }: LintParams['fixes']): Promise<readonly LintFix[]> {
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

  async #lint(path: string): Promise<readonly FixableDiagnostic[]> {
    const text = this.#files.get(path);
    const linter = findLinter(path);
    if (!linter || text === undefined || text.length > maxTextLength || longLine.test(text))
      return [];
    const config = this.#getConfig(linter);
    const projectGlobals = linter === 'script' ? findKnownGlobals(this.#files, path) : [];
    const globals = projectGlobals?.join(' ') ?? '?';
    const cached = this.#cache.get(path);
    if (cached?.text === text && cached.config === config && cached.globals === globals)
      return cached.diagnostics;
    const messages = await this.#runLinter(linter, path, text, config, projectGlobals);
    const found = locateMessages(path, text, keepMostSevere(messages).slice(0, maxDiagnostics));
    this.#cache.set(path, { text, config, globals, diagnostics: found });
    return found;
  }

  #getConfig(linter: LinterName): LintConfig {
    const config = (this.#config ??= {
      scripts: readEslintConfig(this.#files),
      pages: readHtmlValidateConfig(this.#files),
    });
    return linter === 'page' ? config.pages : config.scripts;
  }

  async #runLinter(
    linter: LinterName,
    path: string,
    text: string,
    config: LintConfig,
    projectGlobals: readonly string[] | undefined,
  ): Promise<readonly LinterMessage[]> {
    switch (linter) {
      case 'script': {
        const { lintScript } = await import('./script-rules.ts');
        const globals = projectGlobals && [...this.#globalNames, ...projectGlobals];
        return lintScript(text, { config, globals, hasHooks: this.#hasHooks() });
      }
      case 'typed': {
        const { lintTypeScript } = await import('./typescript-scripts.ts');
        return lintTypeScript(path, text, {
          config,
          globals: undefined,
          hasHooks: this.#hasHooks(),
        });
      }
      case 'component': {
        const { lintComponentScripts } = await import('./typescript-scripts.ts');
        const messages = lintComponentScripts(path, text, {
          config,
          globals: undefined,
          hasHooks: false,
        });
        if (!path.endsWith('.vue')) return messages;
        const { lintVueTemplate } = await import('./html-rules.ts');
        return [...messages, ...lintVueTemplate(text, this.#getConfig('page'))];
      }
      case 'style': {
        const { lintStylesheet } = await import('./style-rules.ts');
        return lintStylesheet(text, config);
      }
      case 'data': {
        const { lintJson } = await import('./data-rules.ts');
        return lintJson(text, config);
      }
      case 'page': {
        const { lintHtml } = await import('./html-rules.ts');
        return lintHtml(text, config);
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
function keepMostSevere(messages: readonly LinterMessage[]): LinterMessage[] {
  const byPlace = Map.groupBy(messages, ({ from }) => from);
  return [...byPlace.values()].flatMap(
    (each) => each.find(({ severity }) => severity === 'error') ?? each[0] ?? [],
  );
}

function listFixes({ rule, message, fix, suggestions }: FixableDiagnostic): LintFix[] {
  const suggested = suggestions.map(({ label, edit }) => ({ label, edits: [edit] }));
  return fix ? [{ label: `Fix ${rule}: ${message}`, edits: [fix] }, ...suggested] : suggested;
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
