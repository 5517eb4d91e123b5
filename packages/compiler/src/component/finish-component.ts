/** The last compilation steps of a single-file component, shared by Vue and Svelte. */
import { decode } from '@jridgewell/sourcemap-codec';
import type { CompileDiagnostic } from '../script/check-script.ts';
import {
  compareEdits,
  createImportResolver,
  createFailingModule,
  findProjectEdits,
  joinFound,
  mergeEdits,
  createHmrCode,
  tryFindImportEdits,
} from '../compile-module.ts';
import { unchangedFile, type CompiledText } from '../compiled-file.ts';
import { hasDecorators } from '../script/decorators.ts';
import { createImportsExport } from '../script/imports-export.ts';
import { getPosition } from '../page/instrument-html.ts';
import {
  composeMappings,
  concatenateCode,
  createScriptMap,
  createUnmappedCode,
  type MappedCode,
} from './mapped-code.ts';
import { applyEdits } from '../rewrite-module.ts';
import { createPositionMapper, shiftMap, type Position } from '../source-map.ts';
import type { TransformScript } from '../script/transform-script.ts';
import type { ModuleContext, ModuleSource } from '../compile-context.ts';

/** The step that removes types and compiles JSX. */
export interface TypeScriptStep {
  transform: TransformScript;
  /** `tsx` and `jsx` if it may contain JSX. */
  language: 'ts' | 'tsx' | 'jsx';
}

interface ComponentOptions {
  /** Set if the component contains TypeScript or JSX. */
  typed?: TypeScriptStep | undefined;
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
  if ('problems' in plain) return createFailedComponent(source.path, plain.problems);
  return finishModule(
    source,
    concatenateCode([plain, createUnmappedCode(createImportsExport(plain.code, identity))]),
    context,
  );
}

/** Resolves imports to URLs. */
export function finishModule(
  { path, text }: ModuleSource,
  plain: MappedCode,
  context: ModuleContext,
): CompiledText {
  const map = createScriptMap(path, text, plain.mappings);
  const find = createPositionMapper(map.mappings);
  const imports = createImportResolver({ path, text: plain.code }, context);
  const hmr = createHmrCode({ path, text: plain.code }, context, null);
  const own = findProjectEdits({ path, text: plain.code }, context);
  const edits = mergeEdits(
    [...tryFindImportEdits(plain.code, imports.rewrite), ...own.edits].sort(compareEdits),
    hmr.edits,
  );
  const locationOf = (at: number) => find(getPosition(plain.code, at)) ?? startPosition;
  return {
    ...unchangedFile,
    code: applyEdits(plain.code, edits),
    map: shiftMap(map, plain.code, edits),
    hot: hmr.info,
    ...joinFound(imports.found(locationOf), own, locationOf),
  };
}

/** Position of diagnostics without an exact one: the file's first character. */
export const startPosition: Position = { line: 1, column: 1 };

function removeTypes(
  path: string,
  { code, mappings }: MappedCode,
  { settings }: ModuleContext,
  { transform, language }: TypeScriptStep,
): MappedCode | { problems: CompileDiagnostic[] } {
  const result = transform(`${path}.${language}`, code, settings);
  if (result.problems.length > 0) {
    const find = createPositionMapper(createScriptMap(path, '', mappings).mappings);
    return {
      problems: result.problems.map((one) => ({ ...one, ...(find(one) ?? startPosition) })),
    };
  }
  const resultMappings = decode(result.map?.mappings ?? '');
  return { code: result.code, mappings: composeMappings(resultMappings, mappings) };
}

async function removeDecorators(
  { path, text }: ModuleSource,
  plain: MappedCode,
): Promise<MappedCode | { problems: CompileDiagnostic[] }> {
  if (!hasDecorators(plain.code)) return plain;
  const { compileDecorators } = await import('../script/compile-decorators.ts');
  const map = createScriptMap(path, text, plain.mappings);
  const {
    code,
    map: own,
    problems,
  } = compileDecorators({ path, text }, { code: plain.code, map, problems: [] });
  return problems.length > 0 ? { problems } : { code, mappings: decode(own?.mappings ?? '') };
}

/** Creates the output of a component that doesn't compile; its code fails at the same position. */
export function createFailedComponent(path: string, problems: CompileDiagnostic[]): CompiledText {
  const [problem] = problems;
  const code = problem && createFailingModule(path, problem);
  return { ...unchangedFile, code, problems };
}
