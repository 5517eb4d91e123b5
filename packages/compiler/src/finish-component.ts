/** The last compilation steps of a single-file component, shared by Vue and Svelte. */
import { decode } from '@jridgewell/sourcemap-codec';
import type { SyntaxProblem } from './check-script.ts';
import {
  createImports,
  failingCode,
  joinEdits,
  makeHotIn,
  tryEdits,
  type ModuleContext,
  type ModuleSource,
} from './compile-module.ts';
import { unchanged, type CompiledText } from './compiled-file.ts';
import { holdsDecorators } from './decorators.ts';
import { tellImports } from './imported-values.ts';
import { positionAt } from './instrument-html.ts';
import { followMap, joinCode, toScriptMap, unmapped, type MappedCode } from './mapped-code.ts';
import { applyEdits } from './rewrite-module.ts';
import { createPlaceFinder, shiftMap, type Position } from './source-map.ts';
import type { TransformScript } from './transform-script.ts';

/** The step that removes types and compiles JSX. */
export interface TypedStep {
  transform: TransformScript;
  /** `tsx` and `jsx` if it may contain JSX. */
  language: 'ts' | 'tsx' | 'jsx';
}

export interface ComponentOptions {
  /** Set if the component contains TypeScript or JSX. */
  typed?: TypedStep | undefined;
  /** See `createImportsExport`. */
  identity: string;
}

/** Compiles types and decorators, exports the imported values, and resolves imports to URLs. */
export async function finishComponent(
  source: ModuleSource,
  component: MappedCode,
  context: ModuleContext,
  { typed, identity }: ComponentOptions,
): Promise<CompiledText> {
  const untyped = typed ? removeTypes(source.path, component, context, typed) : component;
  const plain = 'problems' in untyped ? untyped : await removeDecorators(source, untyped);
  if ('problems' in plain) return failedComponent(source.path, plain.problems);
  return finishModule(
    source,
    joinCode([plain, unmapped(tellImports(plain.code, identity))]),
    context,
  );
}

/** Resolves imports to URLs. */
export function finishModule(
  { path, text }: ModuleSource,
  plain: MappedCode,
  context: ModuleContext,
): CompiledText {
  const map = toScriptMap(path, text, plain.mappings);
  const find = createPlaceFinder(map.mappings);
  const imports = createImports({ path, text: plain.code }, context);
  const { edits: hotEdits, hot } = makeHotIn({ path, text: plain.code }, context, null);
  const edits = joinEdits(tryEdits(plain.code, imports.rewrite), hotEdits);
  return {
    ...unchanged,
    code: applyEdits(plain.code, edits),
    map: shiftMap(map, plain.code, edits),
    hot,
    ...imports.found((at) => find(positionAt(plain.code, at)) ?? start),
  };
}

/** Position of diagnostics without an exact one: the file's first character. */
export const start: Position = { line: 1, column: 1 };

function removeTypes(
  path: string,
  { code, mappings }: MappedCode,
  { settings }: ModuleContext,
  { transform, language }: TypedStep,
): MappedCode | { problems: SyntaxProblem[] } {
  const result = transform(`${path}.${language}`, code, settings);
  if (result.problems.length > 0) {
    const find = createPlaceFinder(toScriptMap(path, '', mappings).mappings);
    return { problems: result.problems.map((one) => ({ ...one, ...(find(one) ?? start) })) };
  }
  const own = decode(result.map?.mappings ?? '');
  return { code: result.code, mappings: followMap(own, mappings) };
}

async function removeDecorators(
  { path, text }: ModuleSource,
  plain: MappedCode,
): Promise<MappedCode | { problems: SyntaxProblem[] }> {
  if (!holdsDecorators(plain.code)) return plain;
  const { translateDecorators } = await import('./translate-decorators.ts');
  const map = toScriptMap(path, text, plain.mappings);
  const {
    code,
    map: own,
    problems,
  } = translateDecorators({ path, text }, { code: plain.code, map, problems: [] });
  return problems.length > 0 ? { problems } : { code, mappings: decode(own?.mappings ?? '') };
}

/** Creates the output of a component that doesn't compile; its code fails at the same position. */
export function failedComponent(path: string, problems: SyntaxProblem[]): CompiledText {
  const [problem] = problems;
  const code = problem && failingCode(path, problem);
  return { ...unchanged, code, problems };
}
