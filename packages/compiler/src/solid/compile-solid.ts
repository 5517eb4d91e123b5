// oxlint-disable-next-line typescript/triple-slash-reference -- it has nothing to be imported
/// <reference path="./babel-plugin.d.ts" />
/**
 * Compiles Solid's JSX, which becomes templates and fine-grained updates instead of calls per element,
 * with Solid's Babel plugin, in the same build in the browser and on the server. Types are removed
 * before, and the plugin's options are those of `babel-preset-solid`, which depends on a whole Babel.
 */
import { decode } from '@jridgewell/sourcemap-codec';
import babel from '@babel/standalone/babel.min.js';
import solidPlugin from 'babel-plugin-jsx-dom-expressions';
import type { ModuleSource } from '../compile-context.ts';
import { composeMappings, createScriptMap } from '../component/mapped-code.ts';
import { getPosition } from '../page/instrument-html.ts';
import type { CompileDiagnostic } from '../script/check-script.ts';
import type { TransformedScript } from '../script/transform-script.ts';

const pluginOptions = {
  moduleName: 'solid-js/web',
  builtIns: [
    'For',
    'Show',
    'Switch',
    'Match',
    'Suspense',
    'SuspenseList',
    'Portal',
    'Index',
    'Dynamic',
    'ErrorBoundary',
  ],
  contextToCustomElements: true,
  wrapConditionals: true,
  generate: 'dom',
  // Would only write to the console.
  validate: false,
};

const options: Parameters<typeof babel.transform>[1] = {
  plugins: [[solidPlugin, pluginOptions]],
  parserOpts: { plugins: ['jsx', 'decorators', 'decoratorAutoAccessors'] },
  sourceType: 'module',
  sourceMaps: true,
  compact: false,
  configFile: false,
  babelrc: false,
};

/**
 * Compiles the JSX of a script.
 * @param script The source without types, with its JSX and without problems.
 * @returns JavaScript; a problem where Solid has no meaning for the JSX.
 */
export function compileSolid(
  { path, text }: ModuleSource,
  script: TransformedScript,
): TransformedScript {
  try {
    const output = babel.transform(script.code, options);
    if (typeof output?.code !== 'string' || !output.map || !script.map)
      throw new Error(`${path} was compiled without a source map`);
    const mappings = composeMappings(decode(output.map.mappings), decode(script.map.mappings));
    return { code: output.code, map: createScriptMap(path, text, mappings), problems: [] };
  } catch (error) {
    const problem = error instanceof Error ? describeSolidError(error.message, text) : undefined;
    if (!problem) throw error;
    return { code: '', map: undefined, problems: [problem] };
  }
}

/** The plugin's errors have no position, only the names of elements. */
const solidErrors: readonly [RegExp, (parent: string, child: string) => string][] = [
  [
    /Fragments can only be used top level in JSX\. Not used under a <([^>]+)>/,
    (parent) => `Solid has no fragments inside of an element. Remove “<>” inside “<${parent}>”.`,
  ],
  [
    /<([^>]+)> is not supported in <([^>]+)>/,
    (child, parent) =>
      `Solid doesn’t allow “<${child}>” in “<${parent}>”. Make it a component of its own.`,
  ],
];

function describeSolidError(message: string, text: string): CompileDiagnostic | undefined {
  for (const [pattern, format] of solidErrors) {
    const [, first, second = ''] = pattern.exec(message) ?? [];
    if (first === undefined) continue;
    const at = Math.max(0, text.indexOf(`<${first}`));
    return { message: format(first, second), ...getPosition(text, at) };
  }
  return undefined;
}
