import type { TextEdit } from '../typescript/messages.ts';
import { findNames } from './known-names.ts';
import type { LintAsked, RuleFix, RuleProblem } from './messages.ts';
import { readPageRules, readScriptRules, type OwnConfig } from './own-rules.ts';
import { placeProblems, type Mendable, type Said } from './rule-problem.ts';

/** Larger ones are made by machines, and nobody mends them by hand; so are those with longer lines. */
const longestText = 300_000;
const longestLine = /[^\n]{2000}/;
/** More than these in one file are not read. */
const toldAtMost = 100;

/** What was found in a file, and what it was found with. */
interface Checked {
  readonly text: string;
  readonly own: OwnConfig;
  /** The names of the project, in one string; empty where they do not matter. */
  readonly names: string;
  readonly found: readonly Mendable[];
}

/** The files of one project, and what rules say of them. A language's rules are loaded with its first file. */
export class LintProject {
  readonly #files = new Map<string, string>();
  /** By path, while the file is there. */
  readonly #checked = new Map<string, Checked>();
  /** Names that every page has. */
  #names: readonly string[] = [];
  /** What the project says of rules, until one of its files changes that could say so. */
  #own: { readonly scripts: OwnConfig; readonly pages: OwnConfig } | undefined;

  setNames(names: readonly string[]): void {
    this.#names = names;
  }

  changeFiles(changed: ReadonlyMap<string, string>, removed: readonly string[]): void {
    for (const path of removed) {
      this.#files.delete(path);
      this.#checked.delete(path);
    }
    for (const [path, text] of changed) this.#files.set(path, text);
    if ([...changed.keys(), ...removed].some(isConfig)) this.#own = undefined;
  }

  async problems({ path }: LintAsked['problems']): Promise<readonly RuleProblem[]> {
    const found = await this.#check(path);
    // What mends them is asked for when somebody wants it.
    return found.map(({ fix: _fix, suggestions: _suggestions, ...problem }) => problem);
  }

  async fixes({ path, from, to }: LintAsked['fixes']): Promise<readonly RuleFix[]> {
    const all = await this.#check(path);
    const touched = all.filter((each) => each.from <= to && each.to >= from);
    const single = touched.flatMap(listFixes);
    const ofAll = all.flatMap(({ fix }) => fix ?? []);
    return ofAll.length > 1 && touched.some(({ fix }) => fix)
      ? [...single, { label: 'Fix all that rules can fix in this file', edits: apart(ofAll) }]
      : single;
  }

  async #check(path: string): Promise<readonly Mendable[]> {
    const text = this.#files.get(path);
    const language = languageOf(path);
    if (!language || text === undefined || text.length > longestText || longestLine.test(text))
      return [];
    const own = this.#readOwn(language);
    const ofProject = language === 'script' ? findNames(this.#files, path) : [];
    const names = ofProject?.join(' ') ?? '?';
    const known = this.#checked.get(path);
    if (known?.text === text && known.own === own && known.names === names) return known.found;
    const said = await this.#listSaid(language, path, text, own, ofProject);
    const found = placeProblems(path, text, onceEach(said).slice(0, toldAtMost));
    this.#checked.set(path, { text, own, names, found });
    return found;
  }

  #readOwn(language: Language): OwnConfig {
    const own = (this.#own ??= {
      scripts: readScriptRules(this.#files),
      pages: readPageRules(this.#files),
    });
    return language === 'page' ? own.pages : own.scripts;
  }

  async #listSaid(
    language: Language,
    path: string,
    text: string,
    own: OwnConfig,
    ofProject: readonly string[] | undefined,
  ): Promise<readonly Said[]> {
    switch (language) {
      case 'script': {
        const { checkScript } = await import('./script-rules.ts');
        const names = ofProject && [...this.#names, ...ofProject];
        return checkScript(text, { own, names, hasHooks: this.#hasHooks() });
      }
      case 'typed': {
        const { checkTyped } = await import('./typed-scripts.ts');
        return checkTyped(path, text, { own, names: undefined, hasHooks: this.#hasHooks() });
      }
      case 'component': {
        const { checkComponent } = await import('./typed-scripts.ts');
        const said = checkComponent(path, text, { own, names: undefined, hasHooks: false });
        if (!path.endsWith('.vue')) return said;
        const { checkTemplate } = await import('./page-rules.ts');
        return [...said, ...checkTemplate(text, this.#readOwn('page'))];
      }
      case 'style': {
        const { checkStyle } = await import('./style-rules.ts');
        return checkStyle(text, own);
      }
      case 'data': {
        const { checkData } = await import('./data-rules.ts');
        return checkData(text, own);
      }
      case 'page': {
        const { checkMarkup } = await import('./page-rules.ts');
        return checkMarkup(text, own);
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

type Language = 'script' | 'typed' | 'component' | 'style' | 'data' | 'page';

function languageOf(path: string): Language | undefined {
  if (/\.(?:[cm]?js|jsx)$/.test(path)) return 'script';
  if (/\.(?:[cm]?ts|tsx)$/.test(path)) return path.endsWith('.d.ts') ? undefined : 'typed';
  if (/\.(?:vue|svelte)$/.test(path)) return 'component';
  if (path.endsWith('.css')) return 'style';
  if (/\.html?$/.test(path)) return 'page';
  // What npm writes has an empty key.
  return path.endsWith('.json') && !path.endsWith('package-lock.json') ? 'data' : undefined;
}

/** Of several that begin at one place the most serious. */
function onceEach(said: readonly Said[]): Said[] {
  const byPlace = Map.groupBy(said, ({ from }) => from);
  return [...byPlace.values()].flatMap(
    (each) => each.find(({ severity }) => severity === 'error') ?? each[0] ?? [],
  );
}

function listFixes({ rule, sentence, fix, suggestions }: Mendable): RuleFix[] {
  const offered = suggestions.map(({ label, edit }) => ({ label, edits: [edit] }));
  return fix ? [{ label: `Fix ${rule}: ${sentence}`, edits: [fix] }, ...offered] : offered;
}

/** Those that do not touch each other, in order; the others come with the next time. */
function apart(edits: readonly TextEdit[]): TextEdit[] {
  let end = -1;
  return edits
    .toSorted((a, b) => a.from - b.from)
    .filter((edit) => {
      if (edit.from <= end) return false;
      end = edit.to;
      return true;
    });
}
