/** Turns an uncaught error in the user's code into a diagnostic. */
import {
  describeJsonError,
  findModule,
  findClosestName,
  isScriptPath,
  getPosition,
  createReplaceFix,
} from '@vitrine/compiler';
import type { QuickFix } from '@vitrine/project';
import type { UncaughtError } from '../../runtime-error-messages.ts';
import type { SourceDiagnostic } from '../diagnostics.ts';
import type { ProjectView } from '../project-view.ts';
import { readErrorContext } from './error-context.ts';
import { explainError } from './error-table.ts';
import { describeNetworkRule } from './describe-load-error.ts';
import { parsePackageUrl, type PackageModule } from './package-url.ts';

/** Describes an error whose location and stack are already mapped to the user's files. */
export function describeUncaughtError(
  thrown: UncaughtError,
  project: ProjectView,
): SourceDiagnostic {
  const error = { ...thrown, message: cleanMessage(thrown) };
  const text = project.read(error.path) ?? '';
  const described =
    describeRule(error) ??
    describeJson(error, text) ??
    describeExport(error, project, text) ??
    describeImport(error, project, text) ??
    describeEffect(error, project) ??
    describeNewComponent(error, project) ??
    describeMessage(error, text);
  return error.kind === 'rejection'
    ? { ...described, message: describeRejection(error, described) }
    : described;
}

/**
 * Removes what frameworks add to a message. Svelte appends component names: "x is not defined\n\n\tin
 * App\n" → "x is not defined". Vue templates look names up in several objects: "_ctx.x is not a function"
 * → "x is not a function".
 */
function cleanMessage({ path, message }: UncaughtError): string {
  const alone = message.replace(/\n\n(?:(?:\t| {2})in .*(?:\n|$))+$/, '');
  return path.endsWith('.vue')
    ? alone.replace(/(?<![\w$.])(?:_ctx|\$(?:setup|props|data|options))\./g, '')
    : alone;
}

/** Message of an unhandled rejection. A reason that isn't an error is shown as it is: “late”. */
function describeRejection(error: UncaughtError, { message }: SourceDiagnostic): string {
  const isError = /^[\p{L}_$][\w$.]*: /u.test(error.message);
  if (isError) return `Unhandled promise rejection: ${message}`;
  return error.message === ''
    ? 'Unhandled promise rejection without a reason.'
    : `Unhandled promise rejection: ${error.message}.`;
}

/** A request failed by a network rule; the browser reports an unreachable host. */
function describeRule({ rule, ...error }: UncaughtError): SourceDiagnostic | undefined {
  return rule === undefined
    ? undefined
    : { ...error, message: describeNetworkRule('A request', rule) };
}

/** An invalid JSON file: the error is reported where its generated module doesn't parse. */
function describeJson(error: UncaughtError, text: string): SourceDiagnostic | undefined {
  return error.path.endsWith('.json') ? { ...error, ...describeJsonError(text) } : undefined;
}

/**
 * `new App()` of a Svelte 5 component, as Svelte 4 had it. Svelte throws inside the component, and its stack may end
 * before the call.
 */
function describeNewComponent(
  error: UncaughtError,
  project: ProjectView,
): SourceDiagnostic | undefined {
  const [, name] = /component_api_invalid_new[^]*`new (\w+)`/.exec(error.message) ?? [];
  if (name === undefined) return undefined;
  const message = `Svelte 5 components aren’t classes. Instead of “new ${name}(…)”, write “mount(${name}, …)” with mount from “svelte”.`;
  for (const path of project.paths) {
    const text = isScriptPath(path) ? (project.read(path) ?? '') : '';
    const found = new RegExp(String.raw`\bnew\s+${name}\b`).exec(text);
    if (found) return { ...error, path, ...getPosition(text, found.index), message };
  }
  return { ...error, message };
}

/** An effect hook without a function. React and Preact call effects later, so the stack doesn't show where. */
function describeEffect(error: UncaughtError, project: ProjectView): SourceDiagnostic | undefined {
  if (error.path !== '' || !/^TypeError: .+ is not a function$/.test(error.message))
    return undefined;
  for (const path of project.paths) {
    const text = isScriptPath(path) ? (project.read(path) ?? '') : '';
    const found = /\b(use(?:Layout|Insertion)?Effect)\(\s*\)/.exec(text);
    if (!found) continue;
    const message = `“${found[1]}” needs a function: ${found[1]}(() => { … }, []).`;
    return { ...error, path, ...getPosition(text, found.index), message };
  }
  return undefined;
}

function describeMessage(error: UncaughtError, text: string): SourceDiagnostic {
  const { message, suggestion } = explainError(error.message, readErrorContext(text, error));
  const { column } = { ...error, ...suggestion };
  const fix =
    suggestion && createReplaceFix(text, { ...error, column }, suggestion.name, suggestion.by);
  return { ...error, message, ...(fix && { fixes: [fix] }) };
}

const missingExport =
  /^SyntaxError: (?:The requested module '(.+)' does(?:n't| not) provide an export named:? '(.+)'|import not found: (.+)|ambiguous indirect export: (.+))/;

/** Reads a missing export from the browser's message; undefined for any other error. */
export function findMissingExport(
  message: string,
): { readonly name: string; readonly address: string | undefined } | undefined {
  const [, address, ...names] = missingExport.exec(message) ?? [];
  const name = names.find((found) => found !== undefined);
  return name === undefined ? undefined : { name, address };
}

/** An import of a name that its module doesn't export; undefined for any other error. */
function describeExport(
  error: UncaughtError,
  project: ProjectView,
  text: string,
): SourceDiagnostic | undefined {
  const missing = findMissingExport(error.message);
  if (!missing) return undefined;
  const { name, address } = missing;
  const specifier = findSpecifier(text, error.line, name) ?? specifierOf(address);
  const path =
    specifier === undefined
      ? undefined
      : findModule(error.path, specifier, (other) => project.paths.includes(other));
  const exported = path === undefined ? undefined : project.findExports(path);
  const found = path === undefined ? parsePackageUrl(address ?? '') : undefined;
  const module = path ?? (found ? nameModule(found) : `“${specifier ?? 'This module'}”`);
  const importer = error.path === '' ? findImporter(error.stack) : undefined;
  const message = `${describeMissing(module, name, importer)}${exported ? describeExports(name, exported) : ''}`;
  const fix = exported && fixImport(error, text, name, exported);
  return {
    ...error,
    message,
    ...(path !== undefined && { module: path }),
    ...(fix && { fixes: [fix] }),
  };
}

/** A failed `import()`; undefined for any other error. */
function describeImport(
  error: UncaughtError,
  { paths }: ProjectView,
  text: string,
): SourceDiagnostic | undefined {
  // Browsers report neither the module nor the location of a syntax error in an imported module.
  if (error.path === '' && error.message.startsWith('SyntaxError: '))
    return { ...describeMessage(error, text), module: '' };
  const [, address] = /dynamically imported module: ([^\s?#]+)/.exec(error.message) ?? [];
  if (address === undefined) return undefined;
  const module = paths.find((path) => address.endsWith(`/${encodeURI(path)}`));
  return {
    ...describeMessage(error, text),
    ...(module !== undefined && { module }),
    ...(navigator.onLine && { isFailedImport: true }),
  };
}

function describeMissing(module: string, name: string, importer: string | undefined): string {
  const what = name === 'default' ? 'default export' : `export “${name}”`;
  return `${module} has no ${what}${importer === undefined ? '' : `, which ${importer} imports`}.`;
}

/** "three 0.154.0", "three/addons/a.js of three 0.154.0" */
function nameModule({ name, version, subpath }: PackageModule): string {
  const package_ = `${name} ${version}`;
  return subpath === '' ? package_ : `${name}${subpath} of ${package_}`;
}

/** The package whose module can't be linked, "three 0.154.0": the first in the stack. */
function findImporter(stack: string): string | undefined {
  const [, address = ''] = /(https?:\S+?):\d+:\d+/.exec(stack) ?? [];
  const found = parsePackageUrl(address);
  return found && `${found.name} ${found.version}`;
}

function describeExports(name: string, exported: readonly string[]): string {
  if (exported.length === 0) return ' It has no exports.';
  const shown = exported.slice(0, 8).map((each) => (each === 'default' ? each : `“${each}”`));
  const more = exported.length > shown.length ? ' and more' : '';
  const advice =
    name === 'default'
      ? ', which are imported with braces'
      : isOnlyDefault(exported)
        ? ', which is imported without braces'
        : '';
  return exported.length === 1 && name === 'default'
    ? ` It exports ${shown.join('')}, which is imported with braces.`
    : ` It exports ${shown.join(', ')}${more}${advice}.`;
}

function isOnlyDefault(exported: readonly string[]): boolean {
  return exported.length === 1 && exported[0] === 'default';
}

function fixImport(
  location: UncaughtError,
  text: string,
  name: string,
  exported: readonly string[],
): QuickFix | undefined {
  const start = { ...location, column: 1 };
  if (name === 'default') {
    const [only] = exported;
    const [, local] = /\bimport\s+([\w$]+)\s+from\b/.exec(lineOf(text, location.line)) ?? [];
    return exported.length === 1 && only !== undefined && local === only
      ? createReplaceFix(text, start, `import ${local} `, `import { ${local} } `)
      : undefined;
  }
  if (isOnlyDefault(exported)) {
    const braces = new RegExp(String.raw`\{\s*${escapeIdentifier(name)}\s*\}`).exec(
      lineOf(text, location.line),
    )?.[0];
    return braces === undefined ? undefined : createReplaceFix(text, start, braces, name);
  }
  const near = findClosestName(name, exported);
  return near === undefined ? undefined : createReplaceFix(text, location, name, near);
}

/** Module specifier of the import at a line; the import may span several lines. */
function findSpecifier(text: string, line: number, name: string): string | undefined {
  const lines = text.split('\n');
  const rest = lines.slice(Math.max(0, line - 1)).join('\n');
  const found = /\bfrom\s*(["'])([^"'\n]+)\1/.exec(rest);
  const isNear =
    found !== null && (name === 'default' || rest.slice(0, found.index).includes(name));
  return isNear ? found[2] : undefined;
}

/** Specifier from a module's URL: "vitrine-module:src/App.tsx" and "/src/App.tsx" → "/src/App.tsx" */
function specifierOf(address: string | undefined): string | undefined {
  const path = /^vitrine-module:(.+)$/.exec(address ?? '')?.[1];
  return path === undefined ? address : `/${path}`;
}

function lineOf(text: string, line: number): string {
  return text.split('\n')[line - 1] ?? '';
}

/** Escapes a name for a regular expression; `$` is the only special character of an identifier. */
export function escapeIdentifier(name: string): string {
  return name.replaceAll('$', String.raw`\$`);
}
