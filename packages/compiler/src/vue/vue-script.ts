/** Compiles the script of a Vue component, whose default export becomes a variable. */
import type { SFCDescriptor } from '@vue/compiler-sfc';
import { createMappedCode, createUnmappedCode, type MappedCode } from '../component/mapped-code.ts';
import type { VueCompiler } from './load-compiler.ts';
import type { LanguageContext } from '../compile-context.ts';

/** Name of the variable in the component's module. */
export const componentVariable = '__component';

export interface VueScript {
  code: MappedCode;
  /** Bindings of names used in the template. */
  bindings: NonNullable<ReturnType<VueCompiler['compileScript']>['bindings']>;
  /** Names that `<script setup>` imports and that may be components. */
  components: string[];
}

/** Compiles the script. Throws on errors in it. */
export function compileVueScript(
  vue: VueCompiler,
  descriptor: SFCDescriptor,
  id: string,
  { exists, read, settings }: LanguageContext,
): VueScript {
  const { script, scriptSetup } = descriptor;
  if (script?.src !== undefined) return importScript(script.src);
  if (!script && !scriptSetup)
    return {
      code: createUnmappedCode(`const ${componentVariable} = {};`),
      bindings: {},
      components: [],
    };
  /** Files whose types were read. The compiler caches types by path, but projects share paths. */
  const readPaths = new Set<string>();
  try {
    const compiled = vue.compileScript(descriptor, {
      id,
      genDefaultAs: componentVariable,
      inlineTemplate: false,
      // Vue parses TypeScript's own decorators itself; standard ones are compiled afterwards.
      babelParserPlugins: settings.hasOwnDecorators ? [] : ['decorators', 'decoratorAutoAccessors'],
      fs: {
        fileExists: exists,
        readFile(path) {
          readPaths.add(path);
          return read(path);
        },
        realpath: (path) => path,
      },
    });
    return {
      code: createMappedCode(compiled.content, compiled.map),
      bindings: compiled.bindings ?? {},
      components: Object.entries(compiled.imports ?? {})
        .filter(([name, { isType, isUsedInTemplate }]) => {
          return /^[A-Z]/.test(name) && !isType && isUsedInTemplate;
        })
        .map(([name]) => name),
    };
  } finally {
    for (const path of readPaths) vue.invalidateTypeCache(path);
  }
}

/** `<script src="./a.ts">`: the component is the default export of that file. */
function importScript(url: string): VueScript {
  const from = JSON.stringify(url);
  const code = `import ${componentVariable} from ${from};\nexport * from ${from};`;
  return { code: createUnmappedCode(code), bindings: {}, components: [] };
}
