/** What to tell of an error that nothing caught, at a place in the person's own file. */
import {
  describeJsonMistake,
  findModule,
  findNear,
  isScriptPath,
  positionAt,
  replaceName,
} from '@vitrine/compiler';
import type { Fix } from '@vitrine/project';
import type { ThrownProblem } from '../problem-messages.ts';
import type { CodeProblem } from './preview-state.ts';
import type { ProjectView } from './project-view.ts';
import { aroundPlace } from './thrown-place.ts';
import { wordThrown } from './thrown-words.ts';
import { wordRule } from './unloaded-words.ts';

/** `said` has its place, and those in its stack, in the files as they were written. */
export function describeThrown(thrown: ThrownProblem, project: ProjectView): CodeProblem {
  const said = { ...thrown, sentence: asWritten(thrown) };
  const text = project.read(said.path) ?? '';
  const described =
    describeRule(said) ??
    describeJson(said, text) ??
    describeExport(said, project, text) ??
    describeImport(said, project, text) ??
    describeEffect(said, project) ??
    describeWords(said, text);
  return said.kind === 'rejection'
    ? { ...described, sentence: wordRejection(said, described) }
    : described;
}

/**
 * Without what components add. Svelte says behind an error in which of its functions:
 * "x is not defined\n\n\tin App\n" → "x is not defined". In a template of Vue a name is looked up in
 * several objects: "_ctx.x is not a function" → "x is not a function".
 */
function asWritten({ path, sentence }: ThrownProblem): string {
  const alone = sentence.replace(/\n\n(?:(?:\t| {2})in .*(?:\n|$))+$/, '');
  return path.endsWith('.vue')
    ? alone.replace(/(?<![\w$.])(?:_ctx|\$(?:setup|props|data|options))\./g, '')
    : alone;
}

/** What is no error is shown as it is: “late”. */
function wordRejection(said: ThrownProblem, { sentence }: CodeProblem): string {
  const isError = /^[\p{L}_$][\w$.]*: /u.test(said.sentence);
  if (isError) return `Unhandled promise rejection: ${sentence}`;
  return said.sentence === ''
    ? 'Unhandled promise rejection without a reason.'
    : `Unhandled promise rejection: ${said.sentence}.`;
}

/** The browser's words are those of a host that is out of reach. */
function describeRule({ rule, ...said }: ThrownProblem): CodeProblem | undefined {
  return rule === undefined ? undefined : { ...said, sentence: wordRule('A request', rule) };
}

/** The module for a JSON file that is none does not parse where the file does not. */
function describeJson(said: ThrownProblem, text: string): CodeProblem | undefined {
  return said.path.endsWith('.json') ? { ...said, ...describeJsonMistake(text) } : undefined;
}

/** React and Preact call an effect later, from their own code: where one has no function is not told. */
function describeEffect(said: ThrownProblem, project: ProjectView): CodeProblem | undefined {
  if (said.path !== '' || !/^TypeError: .+ is not a function$/.test(said.sentence))
    return undefined;
  for (const path of project.paths) {
    const text = isScriptPath(path) ? (project.read(path) ?? '') : '';
    const found = /\b(use(?:Layout|Insertion)?Effect)\(\s*\)/.exec(text);
    if (!found) continue;
    const sentence = `“${found[1]}” needs a function: ${found[1]}(() => { … }, []).`;
    return { ...said, path, ...positionAt(text, found.index), sentence };
  }
  return undefined;
}

function describeWords(said: ThrownProblem, text: string): CodeProblem {
  const { sentence, meant } = wordThrown(said.sentence, aroundPlace(text, said));
  const { column } = { ...said, ...meant };
  const fix = meant && replaceName(text, { ...said, column }, meant.name, meant.by);
  return { ...said, sentence, ...(fix && { fixes: [fix] }) };
}

const missingExport =
  /^SyntaxError: (?:The requested module '(.+)' does(?:n't| not) provide an export named:? '(.+)'|import not found: (.+)|ambiguous indirect export: (.+))/;

/** What a module does not have, by the browser's words; undefined for every other error. */
export function findMissingExport(
  sentence: string,
): { readonly name: string; readonly address: string | undefined } | undefined {
  const [, address, ...names] = missingExport.exec(sentence) ?? [];
  const name = names.find((found) => found !== undefined);
  return name === undefined ? undefined : { name, address };
}

/** An import of a name that its module does not have; undefined for every other error. */
function describeExport(
  said: ThrownProblem,
  project: ProjectView,
  text: string,
): CodeProblem | undefined {
  const missing = findMissingExport(said.sentence);
  if (!missing) return undefined;
  const { name, address } = missing;
  const specifier = findSpecifier(text, said.line, name) ?? plainSpecifier(address);
  const path =
    specifier === undefined
      ? undefined
      : findModule(said.path, specifier, (other) => project.paths.includes(other));
  const exported = path === undefined ? undefined : project.exportsOf(path);
  const module = path ?? `“${specifier ?? 'This module'}”`;
  const sentence = `${wordMissing(module, name)}${exported ? wordExports(name, exported) : ''}`;
  const fix = exported && fixImport(said, text, name, exported);
  return {
    ...said,
    sentence,
    ...(path !== undefined && { module: path }),
    ...(fix && { fixes: [fix] }),
  };
}

/** What `import()` could not load, by the browser's words; undefined for every other error. */
function describeImport(
  said: ThrownProblem,
  { paths }: ProjectView,
  text: string,
): CodeProblem | undefined {
  // Of one that does not parse, browsers say neither which it is nor where.
  if (said.path === '' && said.sentence.startsWith('SyntaxError: '))
    return { ...describeWords(said, text), module: '' };
  const [, address] = /dynamically imported module: ([^\s?#]+)/.exec(said.sentence) ?? [];
  if (address === undefined) return undefined;
  const module = paths.find((path) => address.endsWith(`/${encodeURI(path)}`));
  return { ...describeWords(said, text), ...(module !== undefined && { module }) };
}

function wordMissing(module: string, name: string): string {
  return name === 'default'
    ? `${module} has no default export.`
    : `${module} has no export “${name}”.`;
}

function wordExports(name: string, exported: readonly string[]): string {
  if (exported.length === 0) return ' It has no exports.';
  const shown = exported.slice(0, 8).map((each) => (each === 'default' ? each : `“${each}”`));
  const more = exported.length > shown.length ? ' and more' : '';
  const advice =
    name === 'default'
      ? ', which are imported in braces'
      : isOnlyDefault(exported)
        ? ', which is imported without braces'
        : '';
  return exported.length === 1 && name === 'default'
    ? ` It exports ${shown.join('')}, which is imported in braces.`
    : ` It exports ${shown.join(', ')}${more}${advice}.`;
}

function isOnlyDefault(exported: readonly string[]): boolean {
  return exported.length === 1 && exported[0] === 'default';
}

function fixImport(
  place: ThrownProblem,
  text: string,
  name: string,
  exported: readonly string[],
): Fix | undefined {
  const start = { ...place, column: 1 };
  if (name === 'default') {
    const [only] = exported;
    const [, local] = /\bimport\s+([\w$]+)\s+from\b/.exec(lineOf(text, place.line)) ?? [];
    return exported.length === 1 && only !== undefined && local === only
      ? replaceName(text, start, `import ${local} `, `import { ${local} } `)
      : undefined;
  }
  if (isOnlyDefault(exported)) {
    const braces = new RegExp(String.raw`\{\s*${escapeName(name)}\s*\}`).exec(
      lineOf(text, place.line),
    )?.[0];
    return braces === undefined ? undefined : replaceName(text, start, braces, name);
  }
  const near = findNear(name, exported);
  return near === undefined ? undefined : replaceName(text, place, name, near);
}

/** What the import at a line takes its names from; it may go on over several lines. */
function findSpecifier(text: string, line: number, name: string): string | undefined {
  const lines = text.split('\n');
  const rest = lines.slice(Math.max(0, line - 1)).join('\n');
  const found = /\bfrom\s*(["'])([^"'\n]+)\1/.exec(rest);
  const isNear =
    found !== null && (name === 'default' || rest.slice(0, found.index).includes(name));
  return isNear ? found[2] : undefined;
}

/** "vitrine-module:src/App.tsx" and "/src/App.tsx" → "/src/App.tsx" */
function plainSpecifier(address: string | undefined): string | undefined {
  const path = /^vitrine-module:(.+)$/.exec(address ?? '')?.[1];
  return path === undefined ? address : `/${path}`;
}

function lineOf(text: string, line: number): string {
  return text.split('\n')[line - 1] ?? '';
}

/** For an expression: the one sign of a name that means something there. */
export function escapeName(name: string): string {
  return name.replaceAll('$', String.raw`\$`);
}
