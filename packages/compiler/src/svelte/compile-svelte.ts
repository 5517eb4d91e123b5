/**
 * Compiles Svelte components (`.svelte`) to modules with Svelte's own HMR. Svelte removes types
 * itself.
 */
import type { CompiledText } from '../compiled-file.ts';
import { createStyleCode } from '../component/component-styles.ts';
import { createFailedComponent, finishComponent } from '../component/finish-component.ts';
import {
  concatenateCode,
  createUnmappedCode,
  createMappedCode,
  type MappedCode,
} from '../component/mapped-code.ts';
import { createShortHash } from '../short-hash.ts';
import { loadSvelteCompiler, svelteOptions, type SvelteCompiler } from './load-compiler.ts';
import { describeSvelteError, describeSvelteWarnings } from './svelte-diagnostics.ts';
import { sameImportsExpression } from '../script/imports-export.ts';
import { applyEdits } from '../rewrite-module.ts';
import { shiftMap } from '../source-map.ts';
import { createStateEdits, hmrStateFunction } from './hmr-state.ts';
import { hmrRuntimeUrl } from './hmr-runtime.ts';
import { compileEarlierSvelte } from './compile-earlier-svelte.ts';
import { compileStyleBlock } from './style-block.ts';
import { createVersionProblem, getMajor } from '../framework-versions.ts';
import type { ModuleSource, LanguageContext } from '../compile-context.ts';

export async function compileSvelte(
  source: ModuleSource,
  context: LanguageContext,
): Promise<CompiledText> {
  const { path } = source;
  const version = context.versions.svelte;
  const major = getMajor(version) ?? 5;
  if (version !== undefined && !(major >= 3 && major <= 5)) {
    const manifest = context.read('package.json');
    return createFailedComponent(path, [
      createVersionProblem('svelte', version, supportedVersions, manifest),
    ]);
  }
  if (major === 3 || major === 4) return compileEarlierSvelte(source, context, major);
  const svelte = await loadSvelteCompiler();
  const style = await compileStyleBlock(source, context);
  if (style.problems.length > 0) return createFailedComponent(path, style.problems);
  const compiled = tryCompile(svelte, path, style.text);
  if ('message' in compiled) return createFailedComponent(path, [compiled]);

  const id = `svelte-${createShortHash(path)}`;
  const code = concatenateCode([
    addHmrCode(compiled.js, path),
    createUnmappedCode(createStyleCode(path, id, compiled.css?.code ?? '', context.exists)),
  ]);
  const finished = await finishComponent(source, code, context, { identity: svelteIdentity });
  const warnings = describeSvelteWarnings(compiled.warnings, style.text === source.text);
  return { ...finished, problems: [...finished.problems, ...warnings] };
}

const supportedVersions = {
  label: 'Svelte',
  versions: '3, 4, and 5',
  oldest: '^3.59.2',
  newest: '^5.57.3',
};

function tryCompile(svelte: SvelteCompiler, path: string, text: string) {
  try {
    return svelte.compile(text, {
      ...svelteOptions(path),
      css: 'external',
      // Depends on the path only, so that an edit of the styles doesn't change the rest of the code.
      cssHash: () => `svelte-${createShortHash(path)}`,
      discloseVersion: false,
      hmr: true,
    });
  } catch (error) {
    return describeSvelteError(error, text);
  }
}

/** Expression of a function that returns the same value for all versions of a component. */
const svelteIdentity = '(one) => one?.[$.HMR]?.current ?? one';

/** Adds HMR code to the output of Svelte's compiler, to preserve the component's state. */
function addHmrCode(
  { code, map }: { code: string; map: { mappings: string } },
  path: string,
): MappedCode {
  const edits = createStateEdits(code, path);
  const state = JSON.stringify(createShortHash(code));
  return concatenateCode([
    createMappedCode(
      chooseUpdate(applyEdits(code, edits), state, path),
      shiftMap(map, code, edits),
    ),
    createUnmappedCode(`import ${hmrStateFunction} from ${JSON.stringify(hmrRuntimeUrl)};`),
    createUnmappedCode(`export const __state = ${state};`),
  ]);
}

/**
 * Chooses how an edited component is updated. Svelte recreates its instances. If only its styles have
 * changed, the code is the same and the running version is kept, and replaced by the next edit. If it
 * threw when it was created, there is nothing to recreate, and its importers create it again.
 * `App[$.HMR].update(module.default)` → `if (module.__state === … && …) …; else if (…) …; else` and the
 * original call
 */
function chooseUpdate(code: string, state: string, path: string): string {
  return code.replace(/([\w$]+)\[\$\.HMR\]\.update\(module\.default\)/, (update, name: string) => {
    const current = `${name}[$.HMR].current`;
    const isSame = `module.__state === ${state} && ${sameImportsExpression}`;
    const isGone = `${hmrStateFunction}.isGone(${JSON.stringify(path)}, ${current})`;
    return `if (${isSame}) module.default[$.HMR].current = ${current}; else if (${isGone}) import.meta.hot.invalidate(); else ${update}`;
  });
}
